"""Units to passages of a size: greedy, ending where a paragraph ends when one ends near."""

from __future__ import annotations

from collections.abc import Sequence

from salon.corpus.units import Unit
from salon.types import CutterConfig, Span

# A passage may end this far before or after its target to end with a paragraph.
_LEEWAY = 0.2
# A rest below this share of the target is taken into the passage before it.
_REST = 0.3


def pack(units: Sequence[Unit], config: CutterConfig) -> list[Span]:
    """Spans that together hold every unit, each of about `target` and at most `maximum` tokens.

    A span begins with the last units of the one before it, as many as fit into `overlap` tokens.
    """
    spans: list[Span] = []
    first, last = 0, -1
    while last + 1 < len(units):
        begin = first
        last = _last(units, begin, max(last + 1, begin), config)
        spans.append(Span(units[begin].start, units[last].end))
        first = _overlapping(units, begin, last, config.overlap)
    return spans


def _last(units: Sequence[Unit], begin: int, least: int, config: CutterConfig) -> int:
    """The index of the unit that the passage from `begin` ends with, at least `least`."""
    tokens = sum(unit.tokens for unit in units[begin : least + 1])
    best, nearest = least, abs(tokens - config.target)
    low, high = config.target * (1 - _LEEWAY), config.target * (1 + _LEEWAY)
    good = units[least].ends and tokens >= low
    at = least
    while at + 1 < len(units):
        tokens += units[at + 1].tokens
        if tokens > config.maximum:
            return best
        at += 1
        distance = abs(tokens - config.target)
        ends = units[at].ends and low <= tokens <= high
        if (ends, -distance) > (good, -nearest):
            best, nearest, good = at, distance, ends
        if tokens > high and not _nearly_done(units, at, config):
            return best
    # All that is left fits: a small rest is not worth a passage of its own.
    rest = sum(unit.tokens for unit in units[best + 1 :])
    return at if rest < config.target * _REST else best


def _nearly_done(units: Sequence[Unit], at: int, config: CutterConfig) -> bool:
    rest = 0
    for unit in units[at + 1 :]:
        rest += unit.tokens
        if rest > config.target * _REST:
            return False
    return True


def _overlapping(units: Sequence[Unit], begin: int, last: int, overlap: int) -> int:
    """The index of the first unit of the next passage: whole units of this one, or none."""
    first, tokens = last + 1, 0
    while first - 1 > begin and tokens + units[first - 1].tokens <= overlap:
        first -= 1
        tokens += units[first].tokens
    return first
