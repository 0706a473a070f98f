"""What must match to the letter, checked apart from words in general: numbers, dates, units, names,
denials, opposites."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from salon.answer.opposites import DENIALS, NUMBERS, opposites
from salon.answer.words import fold_key, stem, words
from salon.types import Lack, LackKind

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMBER = re.compile(r"\d")
_YEAR = re.compile(r"(?:1\d|20)\d\d$")
_NAME = re.compile(r"(?<![.!?…:\"'“”‘’«»\n—–-] )(?<=[\w,;)’'] )[A-ZÀ-ÖØ-Þ][\w'’-]+")
_CONTRACTED = re.compile(r"n['’]t$", re.IGNORECASE)
_MONTHS_TEXT = """
    january february march april june july august september october november december janvier
    février mars avril mai juin juillet août septembre octobre novembre décembre januar februar
    märz juni juli oktober dezember enero febrero marzo abril mayo junio julio agosto septiembre
    octubre noviembre diciembre
"""
_MONTHS = frozenset(_MONTHS_TEXT.split())
_UNITS_TEXT = """
    km m cm mm kg g mg l ml mile miles metre metres meter meters kilometre kilometres kilometer
    kilometers foot feet inch inches yard yards pound pounds ounce ounces ton tons tonne tonnes
    second seconds minute minutes hour hours day days week weeks month months year years decade
    decades century centuries percent dollar dollars euro euros million millions billion
    billions thousand thousands hundred degree degrees acre acres jour jours semaine semaines
    mois an ans année années heure heures mètre mètres livre tag tage woche wochen monat monate
    jahr jahre stunde stunden pfund prozent día días semana semanas mes meses año años hora
    horas metro metros libra libras
"""
_UNITS = frozenset(_UNITS_TEXT.split())


@dataclass(frozen=True, slots=True)
class Numbered:
    """A number as it is compared, as it was written, and the word that follows it."""

    value: str
    text: str
    unit: str


def numbers(text: str) -> list[Numbered]:
    """Numbers of a text, small ones also when written out."""
    tokens = _TOKEN.findall(text)
    found = []
    for at, token in enumerate(tokens):
        value = normal(token)
        if value:
            unit = tokens[at + 1].casefold() if at + 1 < len(tokens) else ""
            found.append(Numbered(value, token, unit if unit in _UNITS else ""))
    return found


def normal(token: str) -> str:
    """A number without its grouping, "" for what is none: 1,000 and 1.000 are 1000."""
    if not _NUMBER.search(token):
        return NUMBERS.get(token.casefold(), "")
    bare = token.rstrip("%")
    return re.sub(r"[.,](?=\d{3}(?:\D|$))", "", bare).replace(",", ".")


def denied(text: str, code: str) -> bool:
    """Whether a text denies something: an odd number of denials."""
    table = _denials(code)
    count = sum(
        token.casefold() in table or bool(_CONTRACTED.search(token))
        for token in _TOKEN.findall(text)
    )
    return count % 2 == 1


_denial_tables: dict[str, frozenset[str]] = {}


def _denials(code: str) -> frozenset[str]:
    code = code[:2]
    if code not in _denial_tables:
        _denial_tables[code] = frozenset(DENIALS.get(code, "").split())
    return _denial_tables[code]


def names(text: str, code: str) -> list[str]:
    """Capitalised words inside sentences; German nouns are no names."""
    if code.startswith("de"):
        return []
    return [name for name in _NAME.findall(text) if stem(name.casefold(), code)]


class Held:
    """What a stretch of the sources has: stems, numbers with their units, folded text."""

    def __init__(self, text: str, code: str) -> None:
        self.code = code
        self.order = [word.stem for word in words(text, code)]
        self.stems = frozenset(self.order)
        self.key = fold_key(text)
        self.numbers: dict[str, set[str]] = {}
        for number in numbers(text):
            self.numbers.setdefault(number.value, set()).add(number.unit)
        self.roots = frozenset(s[:5] for s in self.stems if len(s) >= 5)

    def has(self, word: str) -> bool:
        """A stem, or another word of the same family: five first letters in common."""
        return word in self.stems or (len(word) >= 5 and word[:5] in self.roots)


def lacks(text: str, everything: Held, spare: Held) -> list[Lack]:
    """Words of a claim that `everything` (the passages) lacks, but for those of `spare`.

    `spare` is the question with titles and names of who speaks: what stands there need not be said
    again.
    """
    found: list[Lack] = []
    for number in numbers(text):
        if lack := _number_lack(number, everything, spare):
            found.append(lack)
    named = [n for n in names(text, everything.code) if not _known(n, everything, spare)]
    found += [Lack(name, "name") for name in dict.fromkeys(named)]
    told = {lack.text for lack in found}
    for word in words(text, everything.code):
        written = text[word.span.start : word.span.end]
        plain = not _NUMBER.search(written) and not normal(written) and written not in told
        if plain and not everything.has(word.stem) and not spare.has(word.stem):
            kind: LackKind = "date" if written.casefold() in _MONTHS else "word"
            found.append(Lack(written, kind))
            told.add(written)
    return found


def _number_lack(number: Numbered, everything: Held, spare: Held) -> Lack | None:
    if number.value in spare.numbers or number.value == "1":
        return None
    units = everything.numbers.get(number.value)
    if units is None:
        written = not _NUMBER.search(number.text)
        if written and everything.has(stem(number.text.casefold(), everything.code)):
            return None
        return Lack(number.text, "date" if _YEAR.match(number.value) else "number")
    others = units - {""}
    if number.unit and others and number.unit.rstrip("s") not in {u.rstrip("s") for u in others}:
        return Lack(f"{number.text} {number.unit}", "unit", f"{number.text} {min(others)}")
    return None


def _known(name: str, *held: Held) -> bool:
    bare = re.sub(r"['’]s$", "", name)
    return any(fold_key(bare) in one.key for one in held)


def turned(text: str, place: str, code: str, place_stems: Collection[str]) -> list[Lack]:
    """Denials and opposites: where a claim says the reverse of the place it is nearest to."""
    found: list[Lack] = []
    if denied(text, code) != denied(place, code):
        found.append(Lack(_denial(text, code) or "…", "negation", _denial(place, code)))
    table = opposites(code)
    said = {word.stem: text[word.span.start : word.span.end] for word in words(text, code)}
    for stemmed, written in said.items():
        there = [o for o in table.get(stemmed, ()) if o in place_stems and o not in said]
        if there and stemmed not in place_stems:
            found.append(Lack(written, "opposite", there[0]))
    return found


def _denial(text: str, code: str) -> str:
    table = _denials(code)
    tokens = _TOKEN.findall(text)
    return next((t for t in tokens if t.casefold() in table or _CONTRACTED.search(t)), "")
