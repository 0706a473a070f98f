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

# A paragraph is wrapped when no line could have taken the next one's first word.
_FULL = 0.8
_NARROWEST, _WIDEST = 38, 130
_LOWER = 0.25
_LOOSE = 0.9
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_STARTS = re.compile(r"[-*•]\s|\(?\d{1,3}[.)]\s|\[[\d:. ]+\]|_?[A-Z][\w .'-]{0,30}:\s")
_HYPHEN = re.compile(r"(?<=[^\W\d_]{2})[-\u00ad\u00ac\u2010]\n(?=[^\W\d_]{2})")
_BEFORE = re.compile(r"[^\W\d_]+$")
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


def flow(text: str) -> Flow:
    """Wrapped paragraphs on one line each, and the hyphens at line ends that go.

    A hyphen goes when the text has the word without it elsewhere, stays when it has the word with
    it; else it goes when the book as a whole breaks words at line ends.
    """
    hyphens = _hyphens(text)
    broken = [drop.start for drop in hyphens]
    written: list[str] = []
    at = wrapped = 0
    for blank in _BLANK.finditer(text):
        wrapped += _paragraph(text, at, blank.start(), broken, written)
        written.append(blank.group())
        at = blank.end()
    wrapped += _paragraph(text, at, len(text), broken, written)
    return Flow("".join(written), hyphens, wrapped)


def _paragraph(text: str, start: int, end: int, broken: Sequence[int], written: list[str]) -> int:
    block = text[start:end]
    if "\n" not in block or not _is_wrapped(block):
        written.append(block)
        return 0
    joined = block.rstrip("\n").replace("\n", " ")
    written.append(joined + block[len(joined) :])
    inside = bisect_left(broken, end) - bisect_left(broken, start)
    return joined.count(" ") - block.count(" ") - inside


def _is_wrapped(block: str) -> bool:
    """Whether lines end because they were full, not because a verse or a table row does."""
    lines = block.rstrip("\n").split("\n")
    widest = max(map(len, lines))
    if len(lines) < 2 or not _NARROWEST <= widest <= _WIDEST:
        return False
    full = _FULL * widest
    lower = 0
    for before, line in pairwise(lines):
        first = line[:1]
        if first in " \t" or not first or _STARTS.match(line):
            return False
        # A line that the next one's first word would have overfilled, or one that was full.
        if len(before) < full and len(before) + 1 + _first_word(line) < _LOOSE * widest:
            return False
        lower += first.islower()
    if "\t" in block or "  " in block.strip() or SPEAKER.match(lines[1]):
        return _is_prose_with_gaps(lines)
    if lower >= _LOWER * (len(lines) - 1):
        return True
    return not is_verse(block)


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
