"""What kind of heading a short block of plain text may be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from salon.corpus.blocks import Block


class Kind(IntEnum):
    """Kinds of headings, outermost first: the order is that in which they nest."""

    MATTER = 0
    VOLUME = 1
    PART = 2
    CHAPTER = 3
    CAPITALS = 4
    NUMBERED = 5
    TITLE = 6
    LETTER = 7
    NUMBER = 8
    DATE = 9


@dataclass(frozen=True, slots=True)
class Candidate:
    """A block that may be a heading. `number` is 0 where it has none."""

    start: int
    end: int
    kind: Kind
    title: str
    gap: int
    number: int = 0


_ROMAN = r"[IVXLCDM]+"
_NUMERAL = re.compile(rf"({_ROMAN}|\d{{1,4}})\b[.:)]?")
_ORDINAL = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|last"
    r"|premi[eè]re?|deuxi[eè]me|troisi[eè]me|erster?|zweiter?|dritter?|vierter?|primer[oa]?|segund[oa])"
)
_COUNT = (
    rf"(?:{_ROMAN}|\d{{1,4}}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    rf"|{_ORDINAL})"
)
_AFTER = r"(?=$|[\s.,:;)\]—–-])"
_VOLUME = r"(?:volume|vol\.|tome|tomo|band|series)"
_PART = r"(?:part|book|livre|libro|parte|partie|buch|theil|teil)"
_CHAPTER = (
    r"(?:chapter|chap\.|canto|act|scene|letters?|lectures?|essay|sermon|lesson|section|day|dialogue"
    r"|fable|tale|hymn|psalm|chapitre|chant|lettre|acte|sc[eè]ne|cap[ií]tulo|capitolo|carta|kapitel"
    r"|gesang|brief)"
)
_NAMED = tuple(
    (re.compile(rf"(?:(?:the|his|her|le|la|el)\s+)?{pattern}", re.IGNORECASE), kind)
    for name, kind in ((_VOLUME, Kind.VOLUME), (_PART, Kind.PART), (_CHAPTER, Kind.CHAPTER))
    for pattern in (rf"{name}\s+{_COUNT}{_AFTER}", rf"{_ORDINAL}\s+{name}{_AFTER}")
)
_CJK_CHAPTER = re.compile(
    "第[一二三四五六七八九十百千零〇0-9]{1,6}([卷部編编])|第[一二三四五六七八九十百千零〇0-9]{1,6}[章回節节篇]"
)
_MATTER = re.compile(
    r"(?:(?:the\s+)?(?:author|editor|translator|publisher|transcriber|collector)['’]?s?['’]?\s+)?"
    r"(?:preface|foreword|introduction|introductory(?: note)?|prologue|epilogue|postscript"
    r"|afterword|conclusion|appendix|appendices|notes?|footnotes|endnotes|glossary|bibliography|dedication"
    r"|advertisement|acknowledge?ments?|errata|addenda|chronology|advertencia|pr[oó]logo|ap[eé]ndice"
    r"|pr[eé]face|avant-propos|vorrede|vorwort|nachwort|anhang|einleitung)"
    r"(?:\s+(?:and|to|of|by|[IVX]+|[A-D])\b.*)?[.:]?$",
    re.IGNORECASE,
)
CONTENTS = re.compile(
    r"(?:table of )?contents(?: of .*)?[.:]?$|index[.:]?$|inhalt(?:sverzeichnis)?[.:]?$"
    r"|table des mati[eè]res[.:]?$|[ií]ndice[.:]?$|目[录錄次]$|navigation$",
    re.IGNORECASE,
)
_NO_HEADING = re.compile(
    r"(?:the )?end\b.{0,30}$|finis\b|fin\b|\(?(?:exit|exeunt|enter)\b|\*|[-–—_=~]+$",
    re.IGNORECASE,
)
_SALUTATION = re.compile(
    r"[\"“'‘]?(?:my\s+)?(?:dear|honou?red|reverend|worthy)\b.{0,30}$"
    r"|[\"“'‘]?(?:sir|madam|gentlemen|ladies and gentlemen)\b.{0,3}$",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[A-Z]\.\s?){1,4}$")
_MONTH = (
    r"(?:jan(?:uary|vier)?|feb(?:ruary)?|f[eé]vrier|mar(?:ch|s)?|apr(?:il)?|avril|may|mai|june?|juin"
    r"|july?|juillet|aug(?:ust)?|ao[uû]t|sept?(?:ember|embre)?|oct(?:ober|obre)?|nov(?:ember|embre)?"
    r"|dec(?:ember)?|d[eé]cembre)\b\.?"
)
DATE = re.compile(
    rf"(?:{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th|d)?(?:\s*[,.]?\s*\d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er)?\s+(?:of\s+)?{_MONTH}(?:\s*,?\s*\d{{4}})?"
    rf"|{_MONTH},?\s+\d{{4}}|\d{{4}}-\d{{2}}-\d{{2}})",
    re.IGNORECASE,
)
_DATE_LINE = re.compile(
    rf"(?:[A-Z][\w.’' -]{{2,30}},\s*)?(?:\w+day,?\s+)?{DATE.pattern}[.,:]?$", re.IGNORECASE
)
_LETTER = re.compile(r"(?:To|From)\s+(?:the same|my|his|her|[A-Z][\w.’' ]+).{0,60}$")
_ITALIC_LINE = re.compile(r"[\"“]?_[^_]{3,80}_[.:]?(?:\[\d+\])?$")
_UNDERLINE = re.compile(r"[=\-~_^]{3,}$")
_SMALL_WORDS = frozenset(
    {"a", "an", "and", "as", "at", "but", "by", "de", "der", "des", "die", "du", "for", "from"}
    | {"in", "is", "la", "le", "of", "on", "or", "the", "to", "und", "von", "with"}
)
DIVIDER = re.compile(r"[\s*_~=#·•—–-]{3,}$")
_NUMBER_LINE = re.compile(rf"(?:{_ROMAN}|\d{{1,4}})\.$")
_LONGEST_LINE = 78
_LONGEST_NUMBER = 16
_MOST_LINES = 4
_LONGEST = 240
_FAR_RIGHT = 20
_ISOLATED = 3


def candidate(text: str, block: Block) -> Candidate | None:
    """What heading the block may be, or None when it is none."""
    if block.end - block.start > _LONGEST:
        return None
    raw = text[block.start : block.end].split("\n")
    lines = [line.strip() for line in raw]
    if len(lines) > _MOST_LINES or any(len(line) > _LONGEST_LINE for line in lines):
        return None
    if len(lines) > 1 and _UNDERLINE.match(lines[-1]):
        title = pretty(" ".join(lines[:-1]))
        outer = Kind.CHAPTER if lines[-1][0] == "=" else Kind.CAPITALS
        fits = 0 < len(title) <= _LONGEST_LINE
        return Candidate(block.start, block.end, outer, title, block.gap) if fits else None
    words = " ".join(lines).strip("_= ")
    if not words or words[0] in "[(" or words[-1] == ";" or _NO_HEADING.match(words):
        return None
    if (words[-1] == "," and block.gap < _ISOLATED) or _SALUTATION.match(words):
        return None
    indent = len(raw[0]) - len(raw[0].lstrip())
    found = _kind(words, lines, block.gap, indent)
    if found is None:
        return None
    kind, number = found
    return Candidate(block.start, block.end, kind, pretty(words), block.gap, number)


def last_line(text: str, block: Block) -> Candidate | None:
    """A number on the last line of a block: a new poem that no blank line parts from the old."""
    tail = text[max(block.start, block.end - _LONGEST_NUMBER) : block.end]
    words = tail.rpartition("\n")[2].strip()
    if "\n" not in tail or not _NUMBER_LINE.match(words):
        return None
    start = block.end - len(tail.rpartition("\n")[2])
    return Candidate(start, block.end, Kind.NUMBER, pretty(words), 0, numeral(words))


def _kind(words: str, lines: list[str], gap: int, indent: int) -> tuple[Kind, int] | None:
    if len(lines) <= 2 and _MATTER.match(words) and (gap > 1 or words.isupper()):
        return Kind.MATTER, 0
    for pattern, kind in _NAMED:
        if (match := pattern.match(words)) and _is_title(words[match.end() :], gap):
            return kind, numeral(re.sub(r"^\D*?\b(?=(?:[IVXLCDM]+|\d+)\b)", "", words))
    if match := _CJK_CHAPTER.match(words):
        return (Kind.PART if match.group(1) else Kind.CHAPTER), 0
    if (match := _NUMERAL.match(words)) and len(lines) <= 3:
        return _numbered(words, match, gap)
    if _is_capitals(words, lines, gap, indent):
        return Kind.CAPITALS, 0
    if len(lines) == 1 and indent < _FAR_RIGHT:
        if _DATE_LINE.match(words) and gap > 1:
            return Kind.DATE, 0
        if _LETTER.match(words) and gap > 1:
            return Kind.LETTER, 0
        if gap >= _ISOLATED and _ITALIC_LINE.match(lines[0]):
            return Kind.LETTER, 0
        if gap >= _ISOLATED and _is_title(words, gap) and _has_title_case(words, gap):
            return Kind.TITLE, 0
    return None


def _numbered(words: str, match: re.Match[str], gap: int) -> tuple[Kind, int] | None:
    number = numeral(words)
    rest = words[match.end() :].strip(" .-–—")
    if not rest:
        return (Kind.NUMBER, number) if number else None
    if match.group().isalnum() and not match.group().isdigit() and len(match.group()) == 1:
        return None  # "I wonder", "C major": a word, not a number
    if rest.isupper() and len(rest) > 2:
        return Kind.NUMBERED, number
    return (Kind.NUMBERED, number) if gap > 1 and _is_title(rest, gap) and number else None


def _is_capitals(words: str, lines: list[str], gap: int, indent: int) -> bool:
    letters = sum(1 for char in words if char.isupper())
    if not words.isupper() or letters < 3 or letters < 0.6 * len(words.replace(" ", "")):
        return False
    if words.endswith(":") or _INITIALS.match(words):
        return False
    if words[0] in "\"“'‘" and gap < _ISOLATED:
        return False
    # Far to the right stand signatures; a centred title has space above it.
    return not (indent >= _FAR_RIGHT and gap < 2) and len(lines) <= _MOST_LINES


def _is_title(words: str, gap: int) -> bool:
    """Words that may be the title after a number: short, and no running sentence."""
    return len(words) <= (110 if gap >= _ISOLATED else 70) and not re.search(
        r"[.!?] [A-Z]\w+ \w", words
    )


def _has_title_case(words: str, gap: int) -> bool:
    ends = words.endswith((".", ":")) and len(words.split()) > 6
    if len(words) > 70 or ends or words[-1].isdigit():
        return False
    if gap > _ISOLATED and words[0].isupper() and words[-1] not in ".!?:,":
        return len(words.split()) <= 8
    large = [word for word in re.findall(r"[^\W\d_][\w’'-]*", words) if word not in _SMALL_WORDS]
    return bool(large) and all(word[0].isupper() for word in large)


def is_matter(title: str) -> bool:
    """Whether a section is an editor's or a printer's: a preface, notes, an index."""
    return bool(_MATTER.match(title) or CONTENTS.match(title))


def is_bare_number(title: str) -> bool:
    return bool(re.fullmatch(rf"(?:{_ROMAN}|\d{{1,4}})\.?", title))


def numeral(words: str) -> int:
    """The Arabic or Roman number that the words begin with, else 0."""
    match = _NUMERAL.match(words)
    if not match:
        return 0
    return int(match.group(1)) if match.group(1).isdigit() else _roman(match.group(1))


def _roman(letters: str) -> int:
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = before = 0
    for letter in reversed(letters):
        value = values[letter]
        total += value if value >= before else -value
        before = max(before, value)
    return total


def pretty(words: str) -> str:
    """A heading for a reader: no stop at the end, no italics marks, capitals only where due."""
    words = re.sub(r"\[\w{1,3}\]|(?<!\w)_|_(?!\w)|^[=\"“]+|=+$", "", words)
    words = re.sub(r"\s+", " ", words).strip(" .,:-–—=*")
    if not words.isupper() or len(words) < 3:
        return words
    return re.sub(r"[^\W\d_][\w’']*\.?", _lowered, words)


def _lowered(match: re.Match[str]) -> str:
    word = match.group()
    bare = word.rstrip(".")
    if len(bare) == 1 and (bare != word or bare == "I"):
        return word
    if re.fullmatch(_ROMAN, bare) and len(bare) > 1 and bare not in ("DI", "MI", "MIX", "CIVIL"):
        return word
    small = word.lower()
    begins = re.search(r"(?:^|[.:;!?]|[-–—])\s*$", match.string[: match.start()])
    return small if small in _SMALL_WORDS and not begins else word[0] + small[1:]
