"""A persona's whole corpus as answering reads it, out of one generation of its index."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from salon.index.generation import Generation
from salon.types import Passage, SourceInfo, Span

_KEPT_SOURCES = 64


class GenerationCorpus:
    """Thread-safe; blocking. `fingerprint` is the generation's name: a generation never changes.

    It holds the generation open.
    """

    def __init__(self, generation: Generation) -> None:
        self.generation = generation
        self._of = lru_cache(_KEPT_SOURCES)(generation.passages.passages_of)

    @property
    def fingerprint(self) -> str:
        return self.generation.manifest.generation

    def texts(self) -> Iterable[tuple[SourceInfo, str]]:
        return self.generation.passages.texts()

    def passage_at(self, source_id: str, span: Span) -> Passage | None:
        """The passage that holds most of the span, the first of equals; None when none does."""
        best, most = None, 0
        for passage in self._of(source_id):
            shared = min(passage.end, span.end) - max(passage.start, span.start)
            if shared > most:
                best, most = passage, shared
        return best


class NoCorpus:
    """Stands in for a corpus that cannot be read now: no quotation is found in it."""

    fingerprint = "none"

    def texts(self) -> Iterable[tuple[SourceInfo, str]]:
        return ()

    def passage_at(self, source_id: str, span: Span) -> Passage | None:
        return None
