"""Where in a corpus some words may stand that are not there letter for letter.

A dozen short windows of them are looked for; blocks that have several, and rare ones, come first,
and where the windows lie in a block tells where the words would begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salon.answer import grams
from salon.answer.fold import Word, codes_of
from salon.answer.quote_file import BLOCK
from salon.answer.quote_index import QuoteIndex
from salon.answer.words import UNSPACED

_MOST_WINDOWS = 16
_LONG, _SHORT, _UNSPACED = 12, 9, 4
_SHORT_BELOW = 30
_BLOCKS_LONG, _BLOCKS_SHORT = 8, 24
_PLACES_IN_BLOCK = 4
_MANY_WINDOWS = 6
_NEAR_BEST = 0.6
"""A block is not opened when its windows weigh less than so much of what was found already."""

_DRIFT = 48
"""Letters by which windows of one place may disagree on where the words begin."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """`at` is a character of all texts where the letters of word `word` stand; `weight` grows with
    the windows that agree and with how rare they are."""

    at: int
    word: int
    weight: float


@dataclass(frozen=True, slots=True)
class _Window:
    """Letters of some words: `word` is the first of them, `before` the letters ahead of it."""

    letters: str
    word: int
    before: int


def candidates(index: QuoteIndex, words: Sequence[Word]) -> list[Candidate]:
    """Places, the best first; a few dozen at the most."""
    windows = _windows(words)
    rows = [grams.rows_of(codes_of(window.letters)) for window in windows]
    windows = [window for window, some in zip(windows, rows, strict=True) if len(some)]
    rows = [some for some in rows if len(some)]
    if not windows or not index.blocks:
        return []
    starts = np.cumsum([0, *(len(some) for some in rows[:-1])])
    bits = np.bitwise_and.reduceat(index.bits(np.concatenate(rows)), starts, axis=0)
    held = np.unpackbits(bits, axis=1)[:, : index.blocks]
    hits = held.sum(axis=1)
    weights = np.log2((index.blocks + 2) / (hits + 1)).astype(np.float32)
    scores: npt.NDArray[np.float32] = weights @ held.astype(np.float32)
    joined = scores.copy()
    joined[:-1] += 0.5 * scores[1:]
    letters = sum(len(word.letters) for word in words)
    most = _BLOCKS_SHORT if letters < _SHORT_BELOW else _BLOCKS_LONG
    order = np.argsort(-joined, kind="stable")[:most]
    # One window in a block of its own is chance where there are many; two are not.
    least = (
        1.2 * float(weights[hits > 0].max(initial=0.0)) if len(windows) >= _MANY_WINDOWS else 0.0
    )
    found: list[Candidate] = []
    best = 0.0
    for block in order.tolist():
        if not scores[block] or joined[block] <= max(least, _NEAR_BEST * best):
            break
        found += _in_block(index, block, windows, held[:, block], weights)
        best = max((candidate.weight for candidate in found), default=0.0)
    return sorted(found, key=lambda c: -c.weight)


def _windows(words: Sequence[Word]) -> list[_Window]:
    """Evenly spread windows of whole words with enough letters to be rare; of few letters, all."""
    letters = "".join(word.letters for word in words)
    if len(letters) < _SHORT_BELOW and not UNSPACED.search(letters):
        owners = [number for number, word in enumerate(words) for _ in word.letters]
        ends = range(len(letters) - _SHORT + 1)
        return [_Window(letters[i : i + _SHORT], owners[i], i) for i in ends]
    found, before = [], 0
    for first, word in enumerate(words):
        window, last = "", first
        while last < len(words) and len(window) < _LONG:
            window += words[last].letters
            last += 1
            if len(window) >= _UNSPACED and UNSPACED.search(window):
                break
        if len(window) >= _LONG or UNSPACED.search(window):
            found.append(_Window(window, first, before))
        before += len(word.letters)
    if len(found) <= _MOST_WINDOWS:
        return found
    picked = np.linspace(0, len(found) - 1, _MOST_WINDOWS).astype(np.int64)
    return [found[i] for i in picked]


def _in_block(
    index: QuoteIndex,
    block: int,
    windows: Sequence[_Window],
    held: npt.NDArray[np.uint8],
    weights: npt.NDArray[np.float32],
) -> Iterator[Candidate]:
    """The windows that really stand in a block, those that agree on a beginning as one."""
    region = index.folded(block * BLOCK, (block + 1) * BLOCK, ahead=64)
    places: list[tuple[int, int, int, float]] = []
    for number in np.flatnonzero(held).tolist():
        window = windows[number]
        at = region.letters.find(window.letters)
        for _ in range(_PLACES_IN_BLOCK):
            if at < 0:
                break
            places.append((at - window.before, at, window.word, float(weights[number])))
            at = region.letters.find(window.letters, at + 1)
    places.sort()
    group: list[tuple[int, int, int, float]] = []
    for place in [*places, None]:
        if place is not None and (not group or place[0] - group[-1][0] <= _DRIFT):
            group.append(place)
            continue
        if group:
            best = max(group, key=lambda each: each[3])
            yield Candidate(int(region.offsets[best[1]]), best[2], sum(each[3] for each in group))
        group = [place] if place is not None else []
