"""The fusion of a search's arms into one ranking.

Every arm scores passages by its own measure, so scores are fused rather than ranks: rank fusion
throws away how clear a win was, and on long passages that cost more than it gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from salon.types import Arms


@dataclass(frozen=True, slots=True)
class Weights:
    """`lexical` is the share of the lexical arm; the dense fields divide the rest equally."""

    lexical: float = 0.1


@dataclass(frozen=True, slots=True)
class Fused:
    """A passage's key with its fused score and the best cosine of any of its windows."""

    key: int
    score: float
    similarity: float


def fuse(arms: Arms, weights: Weights = Weights()) -> list[Fused]:  # noqa: B008 - frozen
    """Rank every passage that any arm found, best first.

    A passage's score in a dense field is its best window's cosine, averaged over the fields; the
    lexical scores are added as `lexical` parts of a standard score against `1 - lexical` of the
    dense one (z-scored over the candidates). A passage that an arm did not list gets that arm's
    lowest score, and zero in the lexical arm, which lists everything that shares a term.
    """
    keys = _candidates(arms)
    if not keys:
        return []
    place = {key: index for index, key in enumerate(keys)}
    fields = [_best(entries, place) for entries in arms.dense.values() if entries]
    lexical = np.zeros(len(keys), np.float64)
    for key, score in arms.lexical:
        lexical[place[key]] = score
    dense = np.mean(fields, axis=0) if fields else np.zeros(len(keys))
    score = (1 - weights.lexical) * _standard(dense) + weights.lexical * _standard(lexical)
    similarity = np.max(fields, axis=0) if fields else np.zeros(len(keys))
    order = np.argsort(-score, kind="stable")
    return [Fused(keys[i], float(score[i]), float(similarity[i])) for i in order]


def _candidates(arms: Arms) -> list[int]:
    found: dict[int, None] = {}
    for entries in (*arms.dense.values(), arms.lexical):
        for key, _ in entries:
            found[key] = None
    return list(found)


def _best(entries: Sequence[tuple[int, float]], place: dict[int, int]) -> npt.NDArray[np.float64]:
    """The best window of each passage; entries come best first, so the first one counts."""
    best = np.full(len(place), entries[-1][1], np.float64)
    for key, score in reversed(entries):
        best[place[key]] = score
    return best


def _standard(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    spread = float(values.std())
    if spread < 1e-9:
        return np.zeros_like(values)
    standard: npt.NDArray[np.float64] = (values - values.mean()) / spread
    return standard
