"""Units to passages of a size: greedy, ending where a paragraph ends when one ends near.

Paragraphs are parted into sentences only where a passage has to begin or end within one, so most
of a text is never searched for sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from salon.corpus.units import Split, Unit, joined, total
from salon.types import CutterConfig

# A passage may end this far before or after its target to end with a paragraph.
_LEEWAY = 0.2
# A rest below this share of the target is taken into the passage before it.
_REST = 0.3


def pack(units: Sequence[Unit], config: CutterConfig, split: Split | None = None) -> list[Unit]:
    """Spans that together hold every unit, each of about `target` and at most `maximum` tokens.

    A span begins with the last units of the one before it, as many as fit into `overlap` tokens.
    Without `split` no unit is parted. A span's tokens are the sum of its units'.
    """
    packer = _Packer(list(units), config, split)
    return packer.run()


class _Packer:
    def __init__(self, units: list[Unit], config: CutterConfig, split: Split | None) -> None:
        self._units, self._config, self._split = units, config, split
        self._low = config.target * (1 - _LEEWAY)
        self._high = config.target * (1 + _LEEWAY)

    def run(self) -> list[Unit]:
        spans: list[Unit] = []
        begin, least = 0, 0
        while least < len(self._units):
            last = self._last(begin, least)
            spans.append(joined(self._units[begin : last + 1]))
            if last + 1 == len(self._units):
                break
            begin, least = self._overlap(begin, last)
        return spans

    def _last(self, begin: int, least: int) -> int:
        """The index of the unit that the passage from `begin` ends with, at least `least`."""
        while True:
            ends, wide, whole = self._ends(begin, least)
            if whole is not None:
                return whole
            if ends is not None:
                return ends
            at, before = self._straddling(begin, least)
            if at is None or not self._parted(at, self._low - before, self._high - before):
                return wide

    def _ends(self, begin: int, least: int) -> tuple[int | None, int, int | None]:
        """The paragraph's end nearest to the target, any unit's end nearest to it, and the last
        unit of all, when what is left fits and is not worth two passages."""
        units, config = self._units, self._config
        tokens = total(units[begin:least])
        best, near = None, least
        nearest = distance_of_best = float("inf")
        at = least
        while at < len(units):
            tokens += units[at].tokens
            if tokens > config.maximum and at > least:
                return best, near, None
            distance = abs(tokens - config.target)
            if distance < nearest:
                near, nearest = at, distance
            if units[at].ends and self._low <= tokens <= self._high and distance < distance_of_best:
                best, distance_of_best = at, distance
            if tokens > self._high + _REST * config.target:
                return best, near, None
            at += 1
        chosen = near if best is None else best
        rest = total(units[chosen + 1 :])
        return best, near, len(units) - 1 if rest < config.target * _REST else None

    def _straddling(self, begin: int, least: int) -> tuple[int | None, int]:
        """The first unit that is a whole paragraph and reaches over the lower bound, and how many
        tokens the passage has before it."""
        tokens = 0
        for at in range(begin, len(self._units)):
            unit = self._units[at]
            if at >= least and tokens + unit.tokens >= self._low:
                return (at if unit.paragraph else None), tokens
            tokens += unit.tokens
        return None, tokens

    def _parted(self, at: int, first: float, last: float) -> bool:
        """Whether the paragraph at that index could be parted between those of its tokens."""
        unit = self._units[at]
        if self._split is None or not unit.paragraph:
            return False
        parts = self._split(unit, first, last)
        if len(parts) < 2:
            return False
        self._units[at : at + 1] = parts
        return True

    def _overlap(self, begin: int, last: int) -> tuple[int, int]:
        """The index of the next passage's first unit, and of the first that is new in it."""
        first, tokens = last + 1, 0
        while first - 1 > begin:
            unit = self._units[first - 1]
            if tokens + unit.tokens <= self._config.overlap:
                first -= 1
                tokens += unit.tokens
                continue
            before = len(self._units)
            wanted = self._config.overlap - tokens
            if wanted < 2 or not self._parted(first - 1, unit.tokens - wanted, unit.tokens):
                break
            added = len(self._units) - before
            first, last = first + added, last + added
        return first, last + 1
