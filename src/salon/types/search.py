"""Vectors, what a store is given and gives back, and hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from salon.types.corpus import Passage, SourceInfo

Vector = npt.NDArray[np.float32]
"""One embedding, shape (dimensions,), or many, shape (n, dimensions)."""


TokenVectors = npt.NDArray[np.int8]
"""A text's content words as unit vectors times 127, shape (words' pieces, token dimensions)."""


@dataclass(frozen=True, slots=True)
class EmbedderId:
    """What must be equal for vectors to be comparable. `window` is in the model's own pieces."""

    name: str
    dimensions: int
    window: int
    metric: Literal["cosine"] = "cosine"


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term weights: `indices` are term hashes (uint32, ascending, unique), `values` floats."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """All that a store keeps of one passage. `key` is its row number in the generation.

    `dense` maps a field ("wide", "narrow") to the windows' vectors, shape (windows, dimensions).
    """

    key: int
    dense: Mapping[str, Vector]
    sparse: SparseVector


@dataclass(frozen=True, slots=True)
class PassageTokens:
    """The token vectors of a passage's wide windows; `counts` says how many each window has."""

    counts: tuple[int, ...]
    vectors: TokenVectors


@dataclass(frozen=True, slots=True)
class Arms:
    """A store's answer, one list of (passage key, score) for each field and "lexical", best first.

    A dense field lists windows, so a key may appear more than once; scores are cosines.
    """

    dense: Mapping[str, list[tuple[int, float]]]
    lexical: list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved passage. `similarity` is its windows' best cosine, `score` the fused score."""

    passage: Passage
    source: SourceInfo
    rank: int
    score: float
    similarity: float
    via: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Hits best first; an empty tuple means searched and found nothing. Times in milliseconds."""

    hits: tuple[Hit, ...]
    question: str
    embed_ms: float
    search_ms: float
    generation: str


@dataclass(frozen=True, slots=True)
class Background:
    """What questions that have nothing to do with a corpus score against it.

    Mean and standard deviation of their best hit's `similarity`, by which one embedder's cosines
    mean the same as another's.
    """

    mean: float
    deviation: float
