"""A persona's whole corpus as answering reads it, out of one generation of its index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from salon.corpus.textmap import to_original
from salon.index.passages import PassageTable
from salon.types import Passage, Section, Source, SourceInfo, Span

if TYPE_CHECKING:
    from salon.answer.quote_index import Place
    from salon.house.others import Others
    from salon.index.generation import Generation

QUOTES_FILE = "quotes.idx"
"""The index of quotations, in the folder of its generation."""

_KEPT_SOURCES = 64


class TableCorpus:
    """The texts of a generation and where they stand, without its vectors. Thread-safe; blocking.

    `fingerprint` is the generation's name: a generation never changes.
    """

    def __init__(self, folder: Path, table: PassageTable, others: Others | None = None) -> None:
        self._folder = folder
        self._table = table
        self._others = others
        self._of = lru_cache(_KEPT_SOURCES)(table.passages_of)
        self._outline = lru_cache(_KEPT_SOURCES)(table.outline)

    @property
    def fingerprint(self) -> str:
        return self._folder.name

    @property
    def index_file(self) -> Path | None:
        return self._folder / QUOTES_FILE

    def texts(self) -> Iterable[tuple[SourceInfo, str]]:
        return self._table.texts()

    def passage_at(self, source_id: str, span: Span) -> Passage | None:
        """The passage that holds most of the span, the first of equals; None when none does."""
        best, most = None, 0
        for passage in self._of(source_id):
            shared = min(passage.end, span.end) - max(passage.start, span.start)
            if shared > most:
                best, most = passage, shared
        return best

    def standing(self, source_id: str, span: Span) -> tuple[str, str]:
        """The titles of the sections that hold the beginning of the span, and its page."""
        outline = self._outline(source_id)
        return (section_at(outline, span.start), page_at(outline, span)) if outline else ("", "")

    def elsewhere(self, quotation: str) -> Sequence[tuple[str, Place]]:
        return self._others(quotation) if self._others else ()


class GenerationCorpus(TableCorpus):
    """It holds the generation open."""

    def __init__(self, folder: Path, generation: Generation, others: Others | None = None) -> None:
        super().__init__(folder, generation.passages, others)
        self.generation = generation


class NoCorpus:
    """Stands in for a corpus that cannot be read now: no quotation is found in it."""

    fingerprint = "none"
    index_file = None

    def texts(self) -> Iterable[tuple[SourceInfo, str]]:
        return ()

    def passage_at(self, source_id: str, span: Span) -> Passage | None:
        return None

    def standing(self, source_id: str, span: Span) -> tuple[str, str]:
        return "", ""

    def elsewhere(self, quotation: str) -> Sequence[tuple[str, Place]]:
        return ()


def section_at(source: Source, at: int) -> str:
    """The titles of the sections that hold a character, the outermost first."""
    path: list[Section] = []
    for section in source.sections:
        if section.start > at:
            break
        path = [*(outer for outer in path if outer.level < section.level), section]
    return ", ".join(section.title for section in path)


def page_at(source: Source, span: Span) -> str:
    """The number of the page that a span begins on, "" where the original has no pages."""
    if not any(part.startswith("page ") for part in source.parts):
        return ""
    places = to_original(source, span)
    return places[0].part.removeprefix("page ") if places else ""
