"""Indexing against the embedder alone, and the price of one changed file of a thousand.

usage: python -m bench indexing

The embedder alone gets the very windows that the index embeds, sorted by length in calls of the
same size, and nothing else to do. Both run in turn, several times, in one process.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.places import CORPORA, RESULTS, machine, save
from salon.corpus.tokens import Cl100k
from salon.index.build import BuildReport, Setup, build
from salon.index.embedding import Windowing
from salon.index.generation import open_current
from salon.index.windows import windows_for
from salon.model_files import path_of
from salon.plugins import load_plugins
from salon.ports import BackendContext, Embedder
from salon.settings import load
from salon.types import CutterConfig

FILES = 1000
WORDS = 120
SHARE = 8
"""The part of the files that the comparison with the embedder uses, and its turns."""
TURNS = 3
CALL = 64


def write_files(folder: Path, files: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = (
        (CORPORA / "darwin/voyage_of_the_beagle_pg944.txt").read_text("utf-8", "replace").split()
    )
    for number in range(files):
        text = " ".join(words[number * WORDS : (number + 1) * WORDS])
        (folder / f"{number:04}.txt").write_text(f"{text}.\n", "utf-8")


class Place:
    """One index folder with its sources and what both are made with."""

    def __init__(
        self, folder: Path, files: int, embedder: Embedder, context: BackendContext
    ) -> None:
        self.folder, self.embedder, self.context = folder, embedder, context
        self.store = load_plugins().store_factory("qdrant-edge")
        self.setup = Setup(
            embedder=embedder,
            cutter=CutterConfig(),
            count=Cl100k(path_of(context.models_dir, "cl100k")).count_all,
            windows=windows_for(embedder),
        )
        write_files(folder / "sources", files)

    def build(self) -> tuple[BuildReport, float]:
        began = time.perf_counter()
        report = build(
            self.folder / "index", self.folder / "sources", self.setup, self.store, self.context
        )
        return report, time.perf_counter() - began

    def forget(self) -> None:
        shutil.rmtree(self.folder / "index", ignore_errors=True)

    def windows(self) -> list[str]:
        """The texts that the current generation's vectors were made of."""
        generation = open_current(self.folder / "index", self.embedder, self.store, self.context)
        manifest, table = generation.manifest, generation.passages
        windowing = Windowing(self.embedder, manifest.windows, manifest.language)
        texts = [
            text
            for info in table.sources()
            for passage in table.passages_of(info.id)
            for field in manifest.windows.fields
            for text in windowing.windows(passage.text, passage.header).texts(
                field, passage.text, passage.header
            )
        ]
        generation.close()
        return sorted(dict.fromkeys(texts), key=len)


def alone(embedder: Embedder, texts: Sequence[str]) -> float:
    began = time.perf_counter()
    for start in range(0, len(texts), CALL):
        embedder.embed(texts[start : start + CALL])
    return time.perf_counter() - began


def main(arguments: Sequence[str]) -> None:
    import os

    context = BackendContext(load(None, dict(os.environ)).models_dir, {})
    embedder = load_plugins().embedder_factory("minilm")("", context)
    console = Console()
    small = Place(RESULTS / "indexing-small", FILES // SHARE, embedder, context)
    small.build()
    texts = small.windows()
    ratios = []
    for _ in range(TURNS):
        bare = alone(embedder, texts)
        small.forget()
        _, whole = small.build()
        ratios.append(bare / whole)
    throughput = float(np.median(ratios))

    full = Place(RESULTS / "indexing", FILES, embedder, context)
    full.forget()
    report, seconds = full.build()
    changed = []
    for turn in range(TURNS):
        path = full.folder / "sources" / f"{500 + turn:04}.txt"
        path.write_text(
            path.read_text("utf-8").replace(" the ", " that ", 1) + "Changed.\n", "utf-8"
        )
        changed.append(full.build()[1])
    again = float(np.median(changed))

    sheet = Table("what", "figure", "bar")
    sheet.add_row("throughput against the embedder alone", f"{throughput:.2f}", ">= 0.85")
    sheet.add_row(f"{FILES} files, {report.vectors} vectors", f"{seconds:.1f} s", "")
    sheet.add_row("one changed file", f"{again:.2f} s, {again / seconds:.1%}", "<= 2 %")
    console.print(sheet)
    console.print(machine())
    save(
        "indexing",
        {"throughput": throughput, "full_s": seconds, "changed_s": again, "share": again / seconds},
    )
