"""Late interaction: the best passages of a search, ranked again word by word.

A window's vector is a mean that drowns what one sentence says. Here every content word of the
question looks for its nearest word in a window; the mean of those cosines is the window's score,
and the best window's is the passage's (maximum similarity, as in ColBERT: Khattab and Zaharia 2020,
but within windows, so that the words are found near each other).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from salon.retrieval.fuse import Fused, standard
from salon.types import PassageTokens, TokenVectors

RERANKED = 32
"""Passages that are looked at; more find little and cost time."""

SHARE = 0.5
"""What the words weigh against the search's own score, both as z-scores of the passages."""

_SCALE = 127.0 * 127.0


def rerank(
    found: Sequence[Fused], words: TokenVectors, tokens: Sequence[PassageTokens]
) -> list[Fused]:
    """Rank the first passages again; `tokens` are theirs, in order. The others follow as before.

    The first `len(tokens)` get their combined score. A question without content words changes
    nothing.
    """
    if not len(words) or not tokens:
        return list(found)
    head = found[: len(tokens)]
    combined = (1 - SHARE) * standard(np.array([one.score for one in head])) + SHARE * standard(
        _scores(words, tokens)
    )
    order = np.argsort(-combined, kind="stable").tolist()
    return [replace(head[n], score=float(combined[n])) for n in order] + list(found[len(head) :])


def _scores(words: TokenVectors, tokens: Sequence[PassageTokens]) -> npt.NDArray[np.float32]:
    """Each passage's best window: the mean, over the question's words, of their best cosine."""
    every = np.concatenate([one.vectors for one in tokens]).astype(np.float32)
    counts = np.array([count for one in tokens for count in one.counts if count], np.intp)
    owners = np.repeat(
        np.arange(len(tokens)), [sum(count > 0 for count in one.counts) for one in tokens]
    )
    scores = np.zeros(len(tokens), np.float32)
    if len(counts):
        cosines = words.astype(np.float32) @ every.T
        starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
        windows = np.maximum.reduceat(cosines, starts, axis=1).mean(axis=0) / _SCALE
        np.maximum.at(scores, owners, windows)
    return scores
