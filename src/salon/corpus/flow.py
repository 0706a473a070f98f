"""Lines that end where a page was full: joined to paragraphs, verse and layout left as they are.

A line end that is joined stands as a space, one character for one, so that offsets hold and the
way back to the original needs no entry for it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from salon.corpus.extract import Drop
from salon.corpus.genre import SPEAKER, is_verse
from salon.types import Span

# A paragraph is wrapped when no line could have taken the next one's first word.
_FULL = 0.8
_NARROWEST, _WIDEST = 38, 130
_LOWER = 0.25
_LOOSE = 0.9
# A paragraph has at least so many lines a stop within it.
_MOST_STOPS = 5
# A line broken early, by the mark of a note or a head that is cut, is one of so many.
_MOST_ODD, _MANY = 8, 6
_ENDS = re.compile(r"[.!?:;][”’\"'»)\]]*\s*$")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_STARTS = re.compile(r"[-*•]\s|\(?\d{1,3}[.)]\s|\[[\d:. ]+\]|_?[A-Z][\w .'-]{0,30}:\s")
_HYPHEN = re.compile(r"[-\u00ad\u00ac\u2010]\n(?=[^\W\d_]{2})")
_BEFORE = re.compile(r"[^\W\d_]{2,}$")
_AFTER = re.compile(r"[^\W\d_]+")
_VOCABULARY = 1_000_000
# Line ends with a hyphen are the printer's when there are more of them than of the author's own.
_TYPESET = 0.01
_LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Flow:
    """`text` has the length of the original; `hyphens` are drops; `wrapped` counts line ends."""

    text: str
    hyphens: tuple[Drop, ...]
    wrapped: int


def flow(text: str, drops: Sequence[Drop] = ()) -> Flow:
    """Wrapped paragraphs on one line each, and the hyphens at line ends that go.

    Lines are measured without `drops`: a number in the margin makes none longer.
    A hyphen goes when the text has the word without it elsewhere, stays when it has the word with
    it; else it goes when the book as a whole breaks words at line ends.
    """
    hyphens = _hyphens(text)
    shown = _masked(text, drops)
    broken = [drop.start for drop in hyphens]
    written: list[str] = []
    at = wrapped = 0
    for blank in _BLANK.finditer(text):
        wrapped += _paragraph(text, shown, Span(at, blank.start()), broken, written)
        written.append(blank.group())
        at = blank.end()
    wrapped += _paragraph(text, shown, Span(at, len(text)), broken, written)
    return Flow("".join(written), hyphens, wrapped)


def _masked(text: str, drops: Sequence[Drop]) -> str:
    """The text with a mark for each character that is dropped, line ends left."""
    if not drops:
        return text
    pieces: list[str] = []
    at = 0
    for drop in drops:
        pieces.append(text[at : drop.start])
        gone = text[drop.start : drop.end].split("\n")
        pieces.append("\n".join("\0" * len(line) for line in gone))
        at = drop.end
    return "".join((*pieces, text[at:]))


def _paragraph(text: str, shown: str, span: Span, broken: Sequence[int], written: list[str]) -> int:
    block = text[span.start : span.end]
    if "\n" not in block:
        written.append(block)
        return 0
    lines = block.rstrip("\n").split("\n")
    measured = lines
    if shown is not text:
        seen = shown[span.start : span.start + len(block.rstrip("\n"))].split("\n")
        measured = [line.replace("\0", "").rstrip() for line in seen]
    places = [place for place, line in enumerate(measured) if line]
    stops = _stops([measured[place] for place in places])
    if stops is None:
        written.append(block)
        return 0
    kept = {places[place] for place in stops}
    ends = ["\n" if place in kept else " " for place in range(len(lines) - 1)]
    for line, mark in zip(lines, ends, strict=False):
        written += (line, mark)
    written += (lines[-1], "\n" * (len(block) - len(block.rstrip("\n"))))
    inside = bisect_left(broken, span.end) - bisect_left(broken, span.start)
    return max(len(ends) - len(kept) - inside, 0)


def _stops(lines: Sequence[str]) -> set[int] | None:
    """The lines of a wrapped block that end a paragraph; None when it is not wrapped.

    A line of a verse or of a table ends although there was room for the next one's first word;
    in a paragraph only its last does.
    """
    if len(lines) < 2:
        return None
    # One line may be longer, as by the mark of a note.
    widest = sorted(map(len, lines))[-1 - (len(lines) >= _MANY)]
    if not _NARROWEST <= widest <= _WIDEST:
        return None
    full, loose = _FULL * widest, _LOOSE * widest
    lower = odd = 0
    stops: set[int] = set()
    for place, (before, line) in enumerate(pairwise(lines)):
        if line[:1] in (" ", "\t", "") or _STARTS.match(line):
            return None
        length = len(before)
        if length < full and length + 1 + _first_word(line) < loose:
            if _ENDS.search(before) and not line[:1].islower():
                stops.add(place)
            else:
                odd += 1
        lower += line[:1].islower()
    if len(stops) * _MOST_STOPS > len(lines) or odd * _MOST_ODD > len(lines):
        return None
    block = "\n".join(lines)
    if "\t" in block or "  " in block or SPEAKER.match(lines[1]):
        return stops if _is_prose_with_gaps(lines) else None
    if lower >= _LOWER * (len(lines) - 1):
        return stops
    return None if is_verse(block) else stops


def _is_prose_with_gaps(lines: Sequence[str]) -> bool:
    """Columns of a table have gaps in most lines; prose has two spaces after a stop."""
    gaps = sum(1 for line in lines if re.search(r"[^.!?:;”\"'’)\s]\s{2,}\S|\t", line))
    return 4 * gaps < len(lines) and not is_verse("\n".join(lines))


def _first_word(line: str) -> int:
    space = line.find(" ")
    return space if space >= 0 else len(line)


def _hyphens(text: str) -> tuple[Drop, ...]:
    found = list(_HYPHEN.finditer(text))
    if not found:
        return ()
    words = set(text[:_VOCABULARY].lower().split())
    lines = text.count("\n") or 1
    typeset = len(found) >= _TYPESET * lines and len(found) > 2
    drops: list[Drop] = []
    for match in found:
        start, end = match.span()
        before = _BEFORE.search(text, max(0, start - _LONGEST_WORD), start)
        after = _AFTER.match(text, end, end + _LONGEST_WORD)
        if before is None or after is None:
            continue
        one, two = before.group().lower(), after.group()
        if two[0].isupper() and not one.isupper():
            drops.append(Drop(end - 1, end, ""))
            continue
        two = two.lower()
        whole, halves = one + two in words, f"{one}-{two}" in words
        goes = whole if whole != halves else typeset
        drops.append(Drop(start if goes else end - 1, end, ""))
    return tuple(drops)
