"""What kind of writing a stretch of text is, by its lines."""

from __future__ import annotations

import re
from collections import Counter
from typing import Literal

from salon.corpus.blocks import blocks

Genre = Literal["verse", "dialogue", "letter", "lesson", "prose"]

SPEAKER = re.compile(
    r"[ \t]*(?:\*\*|_)?(?:"
    r"([A-Z][\w.’'-]*(?: [A-Z][\w.’'-]*){0,3})(?:\*\*|_)?(?: \([^)\n]{1,30}\))?:(?:\*\*|_)?"
    r"|((?:(?:MR|MRS|DR)\. )?[A-Z]{3,}(?: [A-Z]{2,})?)(?: \([^)\n]{1,30}\))?\."
    r"|([QA])[.:])(?=\s)"
)
"""A label before what somebody says: "SOCRATES.", "Q.", "MR. CROWLEY:", "Moderator (off):"."""

TIMESTAMP = re.compile(r"[ \t]*[\[(]?(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?::(\d{2}))?[\])]?")
_NO_SPEAKER = re.compile(
    r"(?:CHAP(?:TER)?|BOOK|PART|LETTERS?|SECTION|NOTES?|FIG|VOL|PAGE|ITEM|INTRODUCTION|PREFACE)\b.*"
    r"|[IVXLCDM]+\.",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"[ \t\"“_]*(?:my\s+|to\s+)?(?:very\s+)?(?:dear|dearest|hono(?:u)?red|sir|madam|cher|chère"
    r"|lieber|liebe|querid[oa]|caro|cara)\b[^.\n]{0,50}[,:;.—-]",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:yours|your (?:most )?(?:\w+ )?(?:obedient|humble|affectionate|loving|sincere)"
    r"|adieu|farewell|affectionately|sincerely|i am,? (?:my )?(?:dear|sir|with))\b",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"[ \t]*(?:(?:lesson|exercise|step|rule|question|§)\s*)?\d{1,3}[.):]\s+\S", re.IGNORECASE
)
_WIDEST_VERSE = 62
_CAPITAL = 0.7
_SHARE = 0.5
_FEWEST_LINES = 2
_LABEL = 200


def is_verse(text: str) -> bool:
    """Short lines, most of which begin with a capital, as no wrapped prose has them."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    lines = [line for line in lines if line[0] not in "[(*"] or lines
    if len(lines) < _FEWEST_LINES:
        return False
    width = sum(map(len, lines)) / len(lines)
    long = sum(1 for line in lines if len(line) > _WIDEST_VERSE + 15)
    if width > _WIDEST_VERSE or long > len(lines) // 10 or _is_wrapped(lines):
        return False
    first = [line.lstrip("\"'“‘«—–-_* ")[:1] for line in lines]
    capital = sum(1 for char in first if char.isupper() or "\u3400" <= char <= "\u9fff")
    return capital >= _CAPITAL * len(lines)


def _is_wrapped(lines: list[str]) -> bool:
    """Prose broken to a width: all lines but the last of a paragraph come near the widest."""
    widest = max(map(len, lines))
    near = sum(1 for line in lines if len(line) > 0.85 * widest)
    return len(lines) > 3 and near >= 0.8 * len(lines) and widest > _WIDEST_VERSE - 10


def speakers(text: str) -> Counter[str]:
    """Labels of speakers that begin a line, and how often."""
    found: Counter[str] = Counter()
    for line in text.split("\n"):
        match = SPEAKER.match(line)
        if match and not _NO_SPEAKER.fullmatch(match.group().strip()):
            found[next(filter(None, match.groups()))] += 1
    return found


def genre_of(text: str) -> Genre:
    """The genre of a section or a document."""
    parts = list(blocks(text))
    if not parts:
        return "prose"
    sizes = [part.end - part.start for part in parts]
    total = sum(sizes)
    verse = spoken = items = 0
    voices: Counter[str] = Counter()
    for part, size in zip(parts, sizes, strict=True):
        words = text[part.start : part.end]
        labels = speakers(words[:_LABEL])
        if labels or TIMESTAMP.match(words):
            spoken += size
            voices.update(labels)
        elif _ITEM.match(words):
            items += 1
        elif is_verse(words):
            verse += size
    repeated = not voices or max(voices.values()) > 1
    if spoken > _SHARE * total and len(parts) > _FEWEST_LINES and repeated:
        return "dialogue"
    if verse > _SHARE * total:
        return "verse"
    if _GREETING.search(text[:600]) and _CLOSING.search(text[-500:]):
        return "letter"
    if items >= 3 and items >= 0.3 * len(parts):
        return "lesson"
    return "prose"
