"""Small corpora of our own words, and what it takes to index them without model files."""

from __future__ import annotations

import random
from pathlib import Path

from salon.backends.qdrant import open_store
from salon.index.build import BuildReport, Setup, build
from salon.index.generation import Generation, open_current
from salon.index.lexical import sparse_query
from salon.index.windows import WindowConfig
from salon.ports import BackendContext
from salon.testing.fakes import HashEmbedder
from salon.types import CutterConfig

CONTEXT = BackendContext(models_dir=Path(), options={})
CUTTER = CutterConfig(target=60, maximum=90, overlap=10)
WINDOWS = WindowConfig(wide=40, narrow=12)

_SUBJECTS = ("keeper", "harbour", "lantern", "apprentice", "orchard", "printer", "mill", "clock")
_VERBS = ("mends", "watches", "carries", "measures", "paints", "forgets", "repairs", "counts")
_OBJECTS = ("rope", "bread", "almanac", "kettle", "violin", "letter", "barrel", "compass")
_PLACES = ("Aldmoor", "Brackwater", "Cinderhill", "Dunmarrow", "Eastfold", "Fernlow", "Hollins")


def count_words(texts):
    return [len(text.split()) for text in texts]


def setup(**changes) -> Setup:
    fields = {
        "embedder": HashEmbedder(dimensions=96, window=64),
        "cutter": CUTTER,
        "count": count_words,
        "windows": WINDOWS,
    }
    return Setup(**fields | changes)


def essay(seed: int, sentences: int = 40) -> str:
    """An essay nobody wrote; the same for a seed every time, different for every seed."""
    draw = random.Random(seed)
    lines = []
    for number in range(sentences):
        lines.append(
            f"In {draw.choice(_PLACES)} the {draw.choice(_SUBJECTS)} {draw.choice(_VERBS)} the"
            f" {draw.choice(_OBJECTS)} for the {draw.choice(_SUBJECTS)}, mark {seed}x{number}."
        )
        if number % 6 == 5:
            lines.append("\n\n")
    return " ".join(lines)


def write(sources: Path, **texts: str) -> None:
    """Files `name`.txt below `sources`."""
    sources.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (sources / f"{name}.txt").write_text(text, "utf-8")


class Place:
    """A folder with sources and an index, and the few things that tests do with them."""

    def __init__(self, root: Path) -> None:
        self.sources = root / "sources"
        self.folder = root / "index" / "ada"
        self.sources.mkdir(parents=True)
        self.setup = setup()

    def write(self, **texts: str) -> None:
        write(self.sources, **texts)

    def build(self, **options) -> BuildReport:
        return build(self.folder, self.sources, self.setup, open_store, CONTEXT, **options)

    def open(self, embedder=None) -> Generation:
        return open_current(self.folder, embedder or self.setup.embedder, open_store, CONTEXT)

    def find(self, generation: Generation, question: str):
        """The first passage by its words: every sentence of an essay has a mark of its own."""
        vector = self.setup.embedder.embed([question], "query")[0]
        arms = generation.store.search(vector, sparse_query(question), 5)
        (found, *_) = generation.passages.by_keys([key for key, _ in arms.lexical])
        return found[0]

    def current(self) -> str:
        return (self.folder / "current").read_text().strip()

    def generations(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path.is_dir())
