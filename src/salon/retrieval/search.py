"""Question to hits: one embedding, one search of the store, one fusion."""

from __future__ import annotations

import time

from salon.index.generation import Generation
from salon.index.lexical import sparse_query
from salon.ports import Embedder, TokenEmbedder
from salon.retrieval.address import first_person
from salon.retrieval.fuse import LEXICAL_SHARE, Fused, fuse
from salon.retrieval.rerank import RERANKED, rerank
from salon.types import Hit, Retrieved, TokenVectors, Vector

_PER_ARM = 64
"""Entries asked of each arm. 32, 64, 128 and 256 find the same within a question or two of 89, and
every entry costs time."""


def find(
    generation: Generation,
    embedder: Embedder,
    question: str,
    *,
    limit: int = 6,
    lexical_share: float = LEXICAL_SHARE,
) -> Retrieved:
    """The `limit` best passages for a question that stands alone, best first.

    Blocking; call it in a worker thread. Raises ModelUnavailable when the question cannot be
    embedded and RetrievalUnavailable when the search cannot run.
    """
    language = generation.manifest.language
    began = time.perf_counter()
    asked = _fitting(first_person(question, language), embedder)
    vector, words = _embedded(generation, embedder, asked)
    embedded = time.perf_counter()
    arms = generation.store.search(vector, sparse_query(question, language), _PER_ARM)
    ranked = fuse(arms, lexical_share)
    if words is not None:
        keys = [one.key for one in ranked[:RERANKED]]
        size = generation.manifest.windows.tokens
        ranked = rerank(ranked, words, generation.passages.tokens(keys, size))
    hits = _hits(generation, ranked, limit)
    return Retrieved(
        hits=hits,
        question=question,
        embed_ms=(embedded - began) * 1000,
        search_ms=(time.perf_counter() - embedded) * 1000,
        generation=generation.manifest.generation,
    )


def _embedded(
    generation: Generation, embedder: Embedder, question: str
) -> tuple[Vector, TokenVectors | None]:
    """The question's vector, and its words' where the index has those of the passages."""
    if generation.manifest.windows.tokens and isinstance(embedder, TokenEmbedder):
        vectors, tokens = embedder.embed_with_tokens([question], "query")
        return vectors[0], tokens[0]
    return embedder.embed([question], "query")[0], None


def _hits(generation: Generation, ranked: list[Fused], limit: int) -> tuple[Hit, ...]:
    """The first `limit` of different text: twins would fill places with the same words."""
    chosen: dict[int, Fused] = {}
    for fused in ranked:
        chosen.setdefault(generation.passages.twin(fused.key), fused)
        if len(chosen) == limit:
            break
    order = list(chosen.values())
    found = generation.passages.by_keys([fused.key for fused in order])
    return tuple(
        Hit(passage, source, rank, fused.score, fused.similarity, "direct")
        for rank, (fused, (passage, source)) in enumerate(zip(order, found, strict=True), 1)
    )


def _fitting(question: str, embedder: Embedder) -> str:
    """The question's end where it is longer than the embedder reads: people ask last."""
    pieces = embedder.pieces(question)
    room = embedder.id.window - 4
    return question if len(pieces) <= room else question[pieces[-room][0] :]
