"""Passage text to windows: the stretches that are embedded, none longer than the model reads."""

from __future__ import annotations

import bisect
import itertools
import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from salon.ports import Embedder, TokenEmbedder
from salon.types import EmbedderId, Span

WIDE = "wide"
NARROW = "narrow"

# An embedder with so long a window reads a whole passage at once better than parts of it.
_LONG_WINDOW = 2048
# A window cut out of a text may count a piece or two more than it did inside the text.
_MARGIN = 2
# Written without a space for longer than this, it is no word: every piece counts as one.
_LONGEST_WORD = 16
# A header may take this part of a window, so that it never drowns what it introduces.
_HEADER_SHARE = 4

_WORD = re.compile(r"\S+")
_INT32 = "i"


@dataclass(frozen=True, slots=True)
class WindowConfig:
    """Sizes in words; `overlap` is the part of a window that the next one repeats.

    `header` puts a passage's header before the words of its wide windows. `narrow` 0 has none, and
    `tokens` is the size of the vectors of single words that are kept for wide windows, 0 for none.
    """

    wide: int = 170
    narrow: int = 50
    overlap: float = 0.2
    header: bool = False
    tokens: int = 0

    @property
    def fields(self) -> tuple[str, ...]:
        """The dense fields of a collection, the one with the shortest windows last."""
        return (WIDE, NARROW) if self.narrow else (WIDE,)


def windows_for(embedder: Embedder, *, header: bool = False) -> WindowConfig:
    """The windows that suit an embedder: words decide where it tells their vectors.

    Else narrow windows do, which cost as much again to embed and find less (`bench/recall.py`).
    """
    if isinstance(embedder, TokenEmbedder):
        return WindowConfig(narrow=0, header=header, tokens=embedder.token_dimensions)
    return WindowConfig(header=header)


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of one passage: spans of its text by field, and how much header goes first.

    Wide windows are embedded as `header[:header_end]`, a line break and the span's text; with
    `header_end` 0 as the span's text alone, which narrow ones always are.
    """

    header_end: int
    spans: Mapping[str, list[Span]]

    def texts(self, field: str, text: str, header: str) -> list[str]:
        """What is embedded for a field; `text` and `header` are the passage's."""
        before = header[: self.header_end] + "\n" if field == WIDE and self.header_end else ""
        return [before + text[span.start : span.end] for span in self.spans[field]]

    def pack(self) -> bytes:
        """All numbers as int32, to be read back by `unpack`."""
        wide = self.spans[WIDE]
        numbers = array(_INT32, [self.header_end, len(wide)])
        for span in (*wide, *self.spans[NARROW]):
            numbers.extend((span.start, span.end))
        return numbers.tobytes()

    @classmethod
    def unpack(cls, packed: bytes) -> Windows:
        header_end, wide, *bounds = array(_INT32, packed)
        spans = [Span(*pair) for pair in zip(bounds[::2], bounds[1::2], strict=True)]
        return cls(header_end, {WIDE: spans[:wide], NARROW: spans[wide:]})


def passage_windows(
    text: str,
    pieces: Sequence[tuple[int, int]],
    config: WindowConfig,
    embedder: EmbedderId,
    header_pieces: Sequence[tuple[int, int]] = (),
) -> Windows:
    """The windows of each field; at least one, and together they cover the whole text.

    `pieces` are the embedder's spans of `text`, `header_pieces` those of the header that is to be
    put before wide windows, of which at most a quarter of a window is used.
    """
    room = max(1, embedder.window - _MARGIN)
    kept = max(1, min(len(header_pieces), room // _HEADER_SHARE)) if header_pieces else 0
    units = _units(text, pieces, min(_LONGEST_WORD, room))
    wide = 0 if embedder.window >= _LONG_WINDOW else config.wide
    return Windows(
        header_end=header_pieces[kept - 1][1] if kept else 0,
        spans={
            WIDE: _spans(len(text), units, wide, max(1, room - kept), config.overlap),
            NARROW: _spans(len(text), units, config.narrow, room, config.overlap)
            if config.narrow
            else [],
        },
    )


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
    return _spans(len(text), _units(text, pieces, min(_LONGEST_WORD, most)), size, most, overlap)


@dataclass(frozen=True, slots=True)
class _Units:
    """What windows are made of: words, or the pieces of a long run without spaces.

    `before[n]` counts the pieces of the first n units.
    """

    spans: list[tuple[int, int]]
    before: list[int]


def _spans(length: int, units: _Units, size: int, most: int, overlap: float) -> list[Span]:
    words, before = units.spans, units.before
    if not words:
        return [Span(0, length)]
    size = size or len(words)
    spans: list[Span] = []
    start = 0
    while True:
        end = min(start + size, bisect.bisect_right(before, before[start] + most) - 1)
        end = max(end, start + 1)
        if end == len(words) and spans:
            start = max(bisect.bisect_left(before, before[end] - most), end - size)
        spans.append(Span(words[start][0], words[end - 1][1]))
        if end == len(words):
            return spans
        start = max(start + 1, end - round(overlap * (end - start)))


def _units(text: str, pieces: Sequence[tuple[int, int]], longest: int) -> _Units:
    """Words, and of a run of more than `longest` pieces its pieces.

    Several pieces that stand for one character are one unit.
    """
    starts = [piece[0] for piece in pieces]
    units: list[tuple[int, int]] = []
    before = [0]
    at = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        first, at = at, bisect.bisect_left(starts, end, at)
        if at - first <= longest:
            units.append((start, end))
            before.append(before[-1] + at - first)
            continue
        counts = Counter(max(start, place) for place in starts[first:at])
        cuts = [start, *sorted(counts.keys() - {start}), end]
        units += itertools.pairwise(cuts)
        for cut in cuts[:-1]:
            before.append(before[-1] + counts[cut])
    return _Units(units, before)
