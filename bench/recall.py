"""Recall of the evidence in real corpora, against plain baselines on the same passages.

usage: python -m bench recall [CORPUS...]

Every corpus is indexed once (resumable) with passages of about 750 tokens. A question counts at
rank k when the k-th passage holds its evidence. Baselines: BM25 over words as they are, the dense
search of products that let the model cut a passage at its window, equal-weight reciprocal rank
fusion of BM25 and dense windows, dense windows of 170 words. Nothing is tuned per question.
"""

from __future__ import annotations

import asyncio
import math
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.places import CORPORA, RESULTS, machine, rows, save
from salon.errors import ConfigError
from salon.eval.questions import holds
from salon.house import House
from salon.index.embedding import Windowing
from salon.index.vectors import VectorCache, split_keys
from salon.settings import load

DEPTHS = (1, 3, 6, 12)
CUTTER = "sources: {cutter: {strategy: prose, target: 750, maximum: 1000, overlap: 100}}"
Ranks = dict[str, list[int]]


def corpora(questions: Sequence[dict[str, str]]) -> dict[str, list[Path]]:
    """The files of each corpus that is asked about; a dirty file is one by itself."""
    found: dict[str, list[Path]] = {}
    for row in questions:
        folder, _, name = row["file"].partition("/")
        if folder == "dirty":
            found[Path(name).stem[:40]] = [CORPORA / row["file"]]
        else:
            found[folder] = sorted((CORPORA / folder).iterdir())
    return found


def corpus_of(row: dict[str, str]) -> str:
    folder, _, name = row["file"].partition("/")
    return Path(name).stem[:40] if folder == "dirty" else folder


def index(house: House, name: str, files: Sequence[Path], progress: Progress) -> str:
    """The persona of a corpus, made and indexed where it is not yet."""
    task = progress.add_task(name, total=None)

    def show(stage: str, done: int, total: int) -> None:
        progress.update(task, description=f"{name}: {stage}", completed=done, total=total or None)

    try:
        card = house.persona(name)
    except ConfigError:
        card = house.create(name, files, copy=True, progress=show).card
        config = house.folder(card.id) / "persona.yaml"
        text = re.sub(
            r"(?m)^sources:(?:.*\n(?:[ #].*\n)*)", CUTTER + "\n", config.read_text("utf-8")
        )
        config.write_text(text, "utf-8")
    house.index(card.id, progress=show)
    progress.remove_task(task)
    return card.id


class Bm25:
    """BM25 over words as they are (Robertson and Zaragoza 2009), k1 1.2, b 0.75."""

    def __init__(self, texts: Sequence[str]) -> None:
        bags = [Counter(words(text)) for text in texts]
        lengths = [sum(bag.values()) for bag in bags]
        mean = sum(lengths) / len(lengths)
        holders = Counter(word for bag in bags for word in bag)
        self.weights = [
            {
                word: math.log(1 + (len(bags) - holders[word] + 0.5) / (holders[word] + 0.5))
                * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))
                for word, count in bag.items()
            }
            for bag, length in zip(bags, lengths, strict=True)
        ]  # fmt: skip

    def scores(self, question: str) -> np.ndarray:
        asked = set(words(question))
        return np.array([sum(bag.get(word, 0.0) for word in asked) for bag in self.weights])


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def rank(order: Iterable[int], holding: Sequence[bool]) -> int:
    """The rank of the first passage that holds the evidence, 0 for none."""
    return next((place for place, index in enumerate(order, 1) if holding[index]), 0)


def baselines(house: House, persona: str, asked: Sequence[dict[str, str]], ranks: Ranks) -> None:
    """The plain ways, on the passages of the persona's own index."""
    card = house.persona(persona)
    taken = house._take(card)
    table, manifest = taken.generation.passages, taken.generation.manifest
    passages = [p for info in table.sources() for p in table.passages_of(info.id)]
    windowing = Windowing(taken.embedder, manifest.windows, manifest.language)
    cache = VectorCache(house.path / "index" / card.id / "vectors.cache")
    vectors, owner = [], []
    for number, passage in enumerate(passages):
        keys = split_keys(windowing.prepare(passage).wide)
        known = cache.blobs(keys)
        size = taken.embedder.id.dimensions
        vectors += [np.frombuffer(known[key], np.float32, size) for key in keys]
        owner += [number] * len(keys)
    cache.close()
    windows, owners = np.stack(vectors), np.array(owner)
    first = np.searchsorted(owners, np.arange(len(passages)))
    bm25 = Bm25([passage.text for passage in passages])
    for row in asked:
        holding = [holds(passage.text, row["evidence"]) for passage in passages]
        near = windows @ taken.embedder.embed([row["question"]], "query")[0]
        best = np.full(len(passages), -1.0)
        np.maximum.at(best, owners, near)
        lexical = bm25.scores(row["question"])
        fused = sum(
            1 / (60 + 1 + np.argsort(np.argsort(-s, kind="stable"))) for s in (best, lexical)
        )
        for name, scores in (
            ("BM25", lexical),
            ("dense, cut at the window", near[first]),
            ("BM25 + dense, equal rank fusion", fused),
            ("dense, windows of 170 words", best),
        ):
            ranks.setdefault(name, []).append(rank(np.argsort(-scores, kind="stable"), holding))


async def ours(house: House, persona: str, asked: Sequence[dict[str, str]]) -> list[int]:
    found = []
    for row in asked:
        hits = (await house.find(persona, row["question"], limit=max(DEPTHS))).hits
        found.append(rank(range(len(hits)), [holds(h.passage.text, row["evidence"]) for h in hits]))
    return found


def figures(ranks: Sequence[int]) -> dict[str, float]:
    """Recall at each depth and the mean reciprocal rank."""
    recall = {f"@{k}": sum(0 < r <= k for r in ranks) / len(ranks) for k in DEPTHS}
    return {**recall, "mrr": sum(1 / r for r in ranks if r) / len(ranks)}


def main(only: Sequence[str]) -> None:
    console = Console()
    questions = [row for row in rows(CORPORA / "questions.jsonl") if row["kind"] == "specific"]
    places = RESULTS / "recall-house"
    house = House.open(places, load(None, {**_environment()}))
    ranks: Ranks = {}
    per_corpus: dict[str, dict[str, float]] = {}
    with Progress(console=Console(stderr=True)) as progress:
        for name, files in corpora(questions).items():
            if only and name not in only:
                continue
            asked = [row for row in questions if corpus_of(row) == name]
            persona = index(house, name, files, progress)
            baselines(house, persona, asked, ranks)
            found = asyncio.run(ours(house, persona, asked))
            ranks.setdefault("salon", []).extend(found)
            per_corpus[name] = {"rows": len(asked), **figures(found)}
    house.close()
    show(console, {name: figures(found) for name, found in ranks.items()}, "way")
    show(console, per_corpus, "corpus (salon)")
    table = {name: figures(found) for name, found in ranks.items()}
    console.print(f"rows {len(ranks['salon'])}; {machine()}")
    if not only:
        save("recall", {"all": table, "corpora": per_corpus, "rows": len(ranks["salon"])})


def show(console: Console, table: dict[str, dict[str, float]], first: str) -> None:
    sheet = Table(first, *next(iter(table.values())))
    for name, line in table.items():
        sheet.add_row(
            name, *(f"{value:.3f}" if value % 1 else f"{value:g}" for value in line.values())
        )
    console.print(sheet)


def _environment() -> dict[str, str]:
    import os

    return {key: value for key, value in os.environ.items() if key.startswith("SALON_MODELS")}


def forget() -> None:
    """Drops the indexes of earlier runs."""
    shutil.rmtree(RESULTS / "recall-house", ignore_errors=True)
