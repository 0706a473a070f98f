"""The fusion of a search's arms into one ranking.

Every arm scores passages by its own measure, so scores are fused rather than ranks: rank fusion
throws away how clear a win was, and on long passages that cost more than it gave
(`bench/recall.py` prints both).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salon.types import Arms

LEXICAL_SHARE = 0.15
"""What the lexical arm weighs against the dense fields, which share the rest equally."""

_BEST = {"narrow": 2}
"""Windows of a field that count: two, where one short window may match by accident."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A passage's key with its fused score and the best cosine of any of its windows."""

    key: int
    score: float
    similarity: float


def fuse(arms: Arms, lexical_share: float = LEXICAL_SHARE) -> list[Fused]:
    """Rank every passage that any arm found, best first.

    A passage's score in a dense field is the mean cosine of its best windows there; fields are
    averaged. Dense and lexical scores are standardised over the candidates (z-scores) and added by
    their shares. A window that an arm did not list counts as the arm's lowest score; in the
    lexical arm a passage that was not listed scores 0, as one that shares no term does.
    """
    keys = dict.fromkeys(key for arm in (*arms.dense.values(), arms.lexical) for key, _ in arm)
    if not keys:
        return []
    row = {key: index for index, key in enumerate(keys)}
    best = np.zeros(len(row))
    dense = np.zeros(len(row))
    for field, windows in arms.dense.items():
        if windows:
            scores = _best_windows(windows, row, _BEST.get(field, 1))
            best = np.maximum(best, scores[:, 0])
            dense += scores.mean(axis=1)
    lexical = np.zeros(len(row))
    for key, score in arms.lexical:
        lexical[row[key]] = score
    total = (1 - lexical_share) * standard(dense) + lexical_share * standard(lexical)
    order = np.argsort(-total, kind="stable")
    found = list(row)
    return [Fused(found[index], float(total[index]), float(best[index])) for index in order]


def _best_windows(
    windows: Sequence[tuple[int, float]], row: dict[int, int], count: int
) -> npt.NDArray[np.float64]:
    """The `count` best windows of each passage, (passages, count); windows come best first."""
    scores = np.full((len(row), count), windows[-1][1])
    filled = [0] * len(row)
    for key, score in windows:
        index = row[key]
        if filled[index] < count:
            scores[index, filled[index]] = score
            filled[index] += 1
    return scores


def standard(values: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Z-scores: mean 0 and deviation 1; zeros where all values are equal."""
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else np.zeros_like(values)
