"""Passage text to windows: the stretches that are embedded, none longer than the model reads."""

from __future__ import annotations

import bisect
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from salon.types import EmbedderId, Span

WIDE = "wide"
NARROW = "narrow"
FIELDS = (WIDE, NARROW)
"""The dense fields of every collection."""

# An embedder with so long a window reads a whole passage at once better than parts of it.
_LONG_WINDOW = 2048
# A window cut out of a text may count a piece or two more than it did inside the text.
_MARGIN = 2
# Written without a space for longer than this, it is no word: every piece counts as one.
_LONGEST_WORD = 16
# A header may take this part of a window, so that it never drowns what it introduces.
_HEADER_SHARE = 4

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class WindowConfig:
    """Sizes in words; `overlap` is the part of a window that the next one repeats.

    `header` puts a passage's header before the words of its wide windows.
    """

    wide: int = 170
    narrow: int = 50
    overlap: float = 0.2
    header: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """What is embedded: `text` is the passage's `[start:end]`, after a header where one is put."""

    start: int
    end: int
    text: str


def passage_windows(
    text: str,
    pieces: Sequence[tuple[int, int]],
    config: WindowConfig,
    embedder: EmbedderId,
    header: str = "",
    header_pieces: Sequence[tuple[int, int]] = (),
) -> dict[str, list[Window]]:
    """The windows of each field; at least one, and together they cover the whole text.

    `pieces` and `header_pieces` are the embedder's spans of `text` and `header`.
    """
    room = max(1, embedder.window - _MARGIN)
    wide_room = room
    if header_pieces:
        kept = max(1, min(len(header_pieces), room // _HEADER_SHARE))
        header = header[: header_pieces[kept - 1][1]] + "\n"
        wide_room = max(1, room - kept)
    wide = 0 if embedder.window >= _LONG_WINDOW else config.wide
    sizes = {WIDE: (wide, wide_room, header), NARROW: (config.narrow, room, "")}
    return {
        field: [
            Window(span.start, span.end, before + text[span.start : span.end])
            for span in windows(text, pieces, size, most, config.overlap)
        ]
        for field, (size, most, before) in sizes.items()
    }


def windows(
    text: str,
    pieces: Sequence[tuple[int, int]],
    size: int,
    most: int,
    overlap: float = 0.2,
) -> list[Span]:
    """Cut `text` into spans of `size` words, each at most `most` pieces long; size 0 has no bound.

    Every span starts and ends at a word, except within a word of more than sixteen pieces, which
    may be cut between any two. Neighbours share about `overlap` of their words, and the last span
    is shifted back to its full length. A text that fits is one span.
    """
    words, counts = _units(text, pieces, min(_LONGEST_WORD, most))
    if not words:
        return [Span(0, len(text))]
    size = size or len(words)
    before = list(itertools.accumulate(counts, initial=0))
    spans: list[Span] = []
    start = 0
    while True:
        end = min(start + size, bisect.bisect_right(before, before[start] + most) - 1)
        if end == len(words) and spans:
            start = max(bisect.bisect_left(before, before[end] - most), end - size)
        spans.append(Span(words[start][0], words[end - 1][1]))
        if end == len(words):
            return spans
        start = max(start + 1, end - round(overlap * (end - start)))


def _units(
    text: str, pieces: Sequence[tuple[int, int]], longest: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """What windows are made of, and how many pieces each has.

    They are words, and of a run of more than `longest` pieces its pieces (several pieces that
    stand for one character are one unit).
    """
    units: list[tuple[int, int]] = []
    counts: list[int] = []
    at = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        first = at
        while at < len(pieces) and pieces[at][0] < end:
            at += 1
        if at - first <= longest:
            units.append((start, end))
            counts.append(at - first)
            continue
        starts = Counter(max(start, pieces[n][0]) for n in range(first, at))
        cuts = [start, *sorted(starts.keys() - {start}), end]
        units += itertools.pairwise(cuts)
        counts += [starts[cut] for cut in cuts[:-1]]
    return units, counts
