"""Finds what an answer puts in quotation marks and looks each up in the whole corpus.

A claim of quotation is a quoted span of at least three words and twelve letters (six characters in
scripts without spaces), or a block quote. Shorter ones are scare quotes, words spoken of, single
words: they claim nothing. A title in title case that the corpus does not have is a title, not a
quotation. An outer quotation that is found covers what is quoted inside it; when it is absent, the
inner ones are looked up for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from salon.answer.fold import fold
from salon.answer.lookup import ABSENT, Finding, look_up
from salon.answer.marks import Quoted, masked_code, quoted
from salon.answer.quote_index import Place, QuoteIndex
from salon.answer.sameness import Sameness
from salon.answer.set_off import joined, verse
from salon.answer.words import UNSPACED
from salon.corpus.sentences import sentences
from salon.types import QuoteCheck, QuotePlace, QuoteVerdict, SourceInfo, Span

_LEAST_WORDS = 3
_LEAST_LETTERS = 12
_LEAST_UNSPACED = 6
_LEAST_TITLE = 4
_SMALL_WORDS = frozenset(
    "a an and as at but by for from in into of on or the to upon with".split()  # noqa: SIM905
)


Standing = Callable[[str, Span], tuple[str, str]]
"""The section and the page at which a span of a source begins; blocking."""

Elsewhere = Callable[[str], Sequence[tuple[str, Place]]]
"""The personas of the house that have these words word for word, and where; blocking."""

Prefer = Callable[[Quoted, Place], int]


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim of quotation and what was found of it.

    `places` are to be cited: the best one when found or changed, one a part when stitched. `others`
    are places in the sources of other personas. `named` is a source that the answer names in error.
    """

    quoted: Quoted
    finding: Finding
    places: tuple[Place, ...] = ()
    others: tuple[tuple[str, Place], ...] = ()
    named: str = ""

    @property
    def verdict(self) -> QuoteVerdict:
        return "misattributed" if self.others or self.named else self.finding.verdict

    @property
    def own_words(self) -> bool:
        """Whether the persona's sources have these words in one place, wherever the answer says."""
        return self.finding.verdict == "found"

    def report(self, standing: Standing) -> QuoteCheck:
        inner = self.quoted.inner
        places = [_place(place, *standing(place.source.id, place.span)) for place in self.places]
        places += [_place(place, persona=persona) for persona, place in self.others]
        return QuoteCheck(
            inner.start,
            inner.end,
            self.quoted.text,
            self.verdict,
            tuple(places),
            self.finding.changes,
            self.named,
        )


def _place(place: Place, section: str = "", page: str = "", persona: str = "") -> QuotePlace:
    source, span = place.source, place.span
    return QuotePlace(
        source.name,
        source.id,
        source.title,
        span.start,
        span.end,
        place.text,
        section,
        page,
        persona,
    )


def told(report: QuoteCheck) -> str:
    """What a reader is told of a quotation that is not the source's words as the answer says."""
    place = report.places[0] if report.places else None
    where = (place.title or place.source) if place else ""
    if report.verdict == "changed":
        changes = "; ".join(
            f'"{c.quoted}" for "{c.source}"'
            if c.quoted and c.source
            else f'"{c.quoted}" was added'
            if c.quoted
            else f'"{c.source}" was left out'
            for c in report.changes
            if c.kind == "words"
        )
        return f'quoted with changes: "{report.text}" ({changes}; {where})'
    if report.verdict == "stitched":
        return f'put together from {len(report.places)} places: "{report.text}"'
    if report.verdict == "misattributed" and place and place.persona:
        return f'the words of {place.persona}, not of this persona: "{report.text}"'
    if report.verdict == "misattributed":
        return f'in {where}, not in {report.named}: "{report.text}"'
    return f'not in the sources, though quoted: "{report.text}"'


def check(
    text: str,
    index: QuoteIndex,
    code: str = "en",
    *,
    prefer: Prefer | None = None,
    elsewhere: Elsewhere | None = None,
) -> list[Checked]:
    """Every claim of quotation in `text`, in order.

    Of several places the one with the highest `prefer` is taken, one in a source that the sentence
    names before all, else the first.
    """
    same = Sameness(index, code)
    naming = Naming(text, index.sources)
    found: list[Checked] = []
    waiting = list(reversed(spans_of(text)))
    while waiting:
        one = waiting.pop()
        finding = look_up(index, one.text, same) if is_claim(one) else ABSENT
        if finding.places:
            found.append(_checked(one, finding, naming, prefer))
            continue
        if is_claim(one) and not one.split and not one.loose:
            others = tuple(elsewhere(one.text)) if elsewhere else ()
            if others or not is_title(one):
                found.append(Checked(one, ABSENT, others=others))
        waiting.extend(reversed(one.within))
    return found


def spans_of(text: str) -> list[Quoted]:
    """Every outermost span that may be a quotation, marked, parted or set off, in order."""
    marked = joined(text, quoted(text))
    return sorted([*marked, *verse(masked_code(text), marked)], key=lambda one: one.whole.start)


def _checked(one: Quoted, finding: Finding, naming: Naming, prefer: Prefer | None) -> Checked:
    if finding.verdict == "stitched":
        return Checked(one, finding, finding.places)
    named = naming.sources_at(one.whole)
    ids = {source.id for source in named}

    def worth(place: Place) -> tuple[bool, int]:
        return place.source.id in ids, prefer(one, place) if prefer else 0

    best = max(finding.places, key=worth)
    wrong = named and best.source.id not in ids and finding.verdict == "found"
    return Checked(one, finding, (best,), named=named[0].title if wrong else "")


class Naming:
    """Which sources an answer names, by their titles, in the sentence of a quotation."""

    def __init__(self, text: str, sources: Sequence[SourceInfo]) -> None:
        self._sentences: list[Span] | None = None
        self._text = text
        self._titles: list[tuple[re.Pattern[str], SourceInfo]] = []
        for source in sources:
            title = _main_title(source.title)
            if len(fold(title)) >= _LEAST_TITLE and title[:1].isupper() and title in text:
                self._titles.append((re.compile(rf"(?<!\w){re.escape(title)}(?!\w)"), source))

    def sources_at(self, whole: Span) -> list[SourceInfo]:
        """The sources named in the sentences of a quotation, outside of it."""
        if not self._titles:
            return []
        if self._sentences is None:
            self._sentences = sentences(self._text)
        around = [s for s in self._sentences if s.start < whole.end and whole.start < s.end]
        start = min((s.start for s in around), default=whole.start)
        end = max((s.end for s in around), default=whole.end)
        outside = f"{self._text[start : whole.start]} \n {self._text[whole.end : end]}"
        return [source for title, source in self._titles if title.search(outside)]


def _main_title(title: str) -> str:
    """The title without its subtitle, its extension and a leading article."""
    main = re.split(r"[:;(\[—]|, (?:and|or|et|und|y)\b| - ", title)[0].strip()
    return re.sub(r"^(?:The|A|An|Le|La|Les|Der|Die|Das|El|Los|Las)\s+", "", main)


def is_claim(one: Quoted) -> bool:
    letters = fold(one.text)
    if UNSPACED.search(letters):
        return len(letters) >= _LEAST_UNSPACED
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", one.text)
    return len(words) >= _LEAST_WORDS and len(letters) >= _LEAST_LETTERS


def is_title(one: Quoted) -> bool:
    """Up to eight words in title case without a sentence's end: the name of a work."""
    words = re.findall(r"[^\W\d_][\w'’-]*", one.text)
    if one.block or not 2 <= len(words) <= 8 or re.search(r"[.!?;:]\W*$", one.text):
        return False
    return words[0][0].isupper() and all(
        word[0].isupper() or word.lower() in _SMALL_WORDS for word in words
    )


def claims(text: str) -> Iterator[Quoted]:
    """The outermost quoted spans that claim to be quotations."""
    return (one for one in quoted(text) if is_claim(one))
