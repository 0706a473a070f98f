"""What intake makes of every file of the test corpora, and the chunking benchmark.

usage: python -m bench intake [files | chunking]

files: encoding found (against the manifest's traits), Project Gutenberg's words gone, damaged words
per 1,000, seconds and peak memory, each file in a process of its own.
chunking: character-level recall, precision and intersection over union of the five best passages
over the questions of Chroma's chunking evaluation (MIT): passages of the library's cutters, found
by BM25 and by the library's own search.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from tests.places import MODELS

from bench.places import CORPORA, TEST_DATA, rows, save
from bench.recall import Bm25
from salon.corpus.cut import cut, default_cutter
from salon.corpus.read import read_file
from salon.errors import SourceError
from salon.intake.junk import junk_rate
from salon.ports import no_progress
from salon.types import CutterConfig, Passage, Source

CHUNKING = TEST_DATA / "bench" / "chroma_chunking"
TOP = 5
_WINDOW = 230
_SETTINGS = {
    "prose 750": default_cutter("prose"),
    "prose 190": CutterConfig("prose", 190, 230, 0),
    "prose 120": CutterConfig("prose", 120, 160, 0),
    "prose 80": CutterConfig("prose", 80, 120, 0),
}


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["file"]:
        print(json.dumps(one_file(Path(arguments[1]), arguments[2])))
        return
    if not arguments or arguments[0] == "files":
        files()
    if not arguments or arguments[0] == "chunking":
        chunking()


def one_file(path: Path, language: str) -> dict[str, Any]:
    """The figures of one file, in a process that reads nothing else."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    try:
        sources = read_file(path, path.name)
    except SourceError as error:
        return {"refused": error.problem}
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = "\n\n".join(source.text for source in sources)
    lowered = text.lower()
    return {
        "encoding": sources[0].info.encoding,
        "characters": len(text),
        "gutenberg_left": "project gutenberg" in lowered,
        "cuts": sorted({cut.reason for source in sources for cut in source.cuts}),
        "junk": round(junk_rate(text, language or sources[0].info.language).rate, 1),
        "seconds": round(seconds, 2),
        "memory_mb": round((peak - before) / 1024),
    }


def files() -> None:
    manifest = json.loads((CORPORA / "MANIFEST.json").read_text("utf-8"))
    table = Table("file", "encoding", "right", "wrapper gone", "junk/1000", "s", "MB")
    figures: dict[str, Any] = {}
    for row in manifest["files"]:
        name, wanted = row["file"], (row.get("traits") or {}).get("encoding", "")
        command = [sys.executable, "-m", "bench", "intake", "file", str(CORPORA / name)]
        ran = subprocess.run(
            [*command, row.get("language", "")], capture_output=True, text=True, check=True
        )
        found = json.loads(ran.stdout.splitlines()[-1])
        figures[name] = found
        if "refused" in found:
            table.add_row(name, "", "", "", found["refused"][-40:], "", "")
            continue
        found["encoding_right"] = not wanted or found["encoding"] in wanted
        table.add_row(
            name, found["encoding"], "yes" if found["encoding_right"] else f"NO: {wanted}",
            "NO" if found["gutenberg_left"] else "yes", str(found["junk"]),
            f"{found['seconds']:.2f}", str(found["memory_mb"]),
        )  # fmt: skip
    Console(width=140).print(table)
    print(save("intake", {"files": figures}))


def chunking() -> None:
    from salon.corpus.tokens import Cl100k

    count = Cl100k(MODELS / "cl100k" / "cl100k_base.tiktoken").count_all
    questions = rows(CHUNKING / "dev" / "questions.jsonl")
    table = Table("passages", "search", "recall", "precision", "IoU")
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory():
        corpora = {name: _source(name) for name in {row["corpus_id"] for row in questions}}
        for label, config in _SETTINGS.items():
            passages = {name: cut(source, config, count) for name, source in corpora.items()}
            # The embedder's window holds no more.
            for search in ("BM25", "BM25 + dense")[: 1 + (config.maximum <= _WINDOW)]:
                means = _measure(questions, corpora, passages, dense=search != "BM25")
                figures[f"{label}, {search}"] = means
                table.add_row(label, search, *(f"{100 * value:.1f} %" for value in means))
    Console(width=100).print(table)
    print(save("chunking", figures))


def _source(name: str) -> Source:
    path = CHUNKING / "corpora" / f"{name}.md"
    (source,) = read_file(path, path.name)
    return source


def _measure(
    questions: Sequence[dict[str, Any]],
    corpora: dict[str, Source],
    passages: dict[str, list[Passage]],
    *,
    dense: bool,
) -> tuple[float, float, float]:
    """Means of recall, precision and IoU over the questions."""
    sparse = {name: Bm25([p.text for p in found]) for name, found in passages.items()}
    vectors, asked = _vectors(questions, passages) if dense else ({}, np.empty(0))
    scores: list[tuple[float, float, float]] = []
    for number, row in enumerate(questions):
        name = row["corpus_id"]
        found = _standard(sparse[name].scores(row["question"]))
        if dense:
            found = 0.3 * found + _standard(vectors[name] @ asked[number])
        best = [passages[name][place] for place in np.argsort(-found, kind="stable")[:TOP]]
        scores.append(_overlap(corpora[name], row["references"], best))
    recall, precision, iou = np.mean(np.array(scores), axis=0)
    return float(recall), float(precision), float(iou)


def _standard(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / (values.std() or 1.0)


def _vectors(
    questions: Sequence[dict[str, Any]], passages: dict[str, list[Passage]]
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    from salon.house.backends import Backends
    from salon.settings import load

    with tempfile.TemporaryDirectory() as folder:
        settings = load(Path(folder) / "salon.toml")
        embedder = Backends(settings, no_progress).embedder("auto")
        found = {name: embedder.embed([p.text for p in each]) for name, each in passages.items()}
        return found, embedder.embed([row["question"] for row in questions], "query")


def _overlap(
    source: Source, references: Sequence[dict[str, Any]], best: Sequence[Passage]
) -> tuple[float, float, float]:
    """Character-level recall, precision and IoU; places are those of the original file."""
    wanted: set[int] = set()
    for each in references:
        wanted.update(range(each["start_index"], each["end_index"]))
    shown: set[int] = set()
    given = 0
    for passage in best:
        span = _original(source, passage)
        shown.update(span)
        given += len(span)
    both = len(wanted & shown)
    return both / len(wanted), both / max(given, 1), both / max(len(wanted | shown), 1)


def _original(source: Source, passage: Passage) -> range:
    from salon.corpus.textmap import to_original
    from salon.types import Span

    places = to_original(source, Span(passage.start, passage.end))
    return range(places[0].start, places[-1].end)
