"""Question to finished prompt, against a reference pipeline of chromadb with the same embedder.

usage: python -m bench question_to_prompt

Both ways have the same passages and the same question vector in one process and are asked in turn:
embed the question, search, fetch six passages, build the prompt. At 2,000 passages texts are
pieces of real books; at 50,000 they are too, with vectors drawn in clusters instead of embedded.
The reference has one vector a passage; ours has its dense field, the lexical arm and the words of
the best passages.
"""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.places import CORPORA, RESULTS, machine, rows, save
from salon.answer.evidence import gather
from salon.answer.prompt import build as build_prompt
from salon.index.build import Setup, build
from salon.index.generation import Generation, open_current
from salon.index.windows import windows_for
from salon.plugins import load_plugins
from salon.ports import BackendContext, Embedder, TokenEmbedder
from salon.retrieval.search import find
from salon.settings import load
from salon.types import (
    Brief,
    CutterConfig,
    EmbedderId,
    GroundingConfig,
    RetrievalConfig,
    TokenVectors,
    Vector,
)

WORDS = 150
EVIDENCE_TOKENS = 6000
ROUNDS = 120
CLUSTERS = 400
BRIEF = Brief(
    persona_id="bench",
    name="Benjamin Franklin",
    language="en",
    prompt="You are Benjamin Franklin. " * 20,
    worldview="",
    memory="",
    max_tokens=700,
    verbatim=False,
    retrieval=RetrievalConfig(),
    grounding=GroundingConfig(),
)


class Drawn:
    """Passages get vectors drawn in clusters by the hash of their text; questions real ones.

    A passage has as many token vectors as it has words of four letters and more, drawn too.
    """

    def __init__(self, real: TokenEmbedder) -> None:
        self._real = real
        draw = np.random.default_rng(7)
        self._centres = draw.standard_normal((CLUSTERS, real.id.dimensions)).astype(np.float32)
        self._tokens = draw.integers(-40, 40, (WORDS * 4, real.token_dimensions), np.int8)

    @property
    def id(self) -> EmbedderId:
        return EmbedderId("drawn", self._real.id.dimensions, 8192)

    @property
    def token_dimensions(self) -> int:
        return self._real.token_dimensions

    def pieces(self, text: str) -> Sequence[tuple[int, int]]:
        return self._real.pieces(text)

    def embed(self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage") -> Vector:
        return self._real.embed(texts, kind) if kind == "query" else self.drawn(texts)

    def embed_with_tokens(
        self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage"
    ) -> tuple[Vector, list[TokenVectors]]:
        if kind == "query":
            return self._real.embed_with_tokens(texts, kind)
        counts = [sum(len(word) > 3 for word in text.split()) for text in texts]
        return self.drawn(texts), [self._tokens[:count] for count in counts]

    def drawn(self, texts: Sequence[str]) -> Vector:
        vectors = np.empty((len(texts), self.id.dimensions), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
            draw = np.random.default_rng(seed)
            row[:] = self._centres[seed % CLUSTERS]
            row += 0.6 * draw.standard_normal(len(row), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def close(self) -> None:
        self._real.close()


def write_sources(folder: Path, passages: int) -> None:
    """Books of real words, enough for so many passages, each a file of a hundred pieces."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    words = [
        word
        for path in sorted(CORPORA.glob("[!d]*/*.txt"))
        for word in path.read_text("cp1252", "replace").split()
    ]
    for book in range(-(-passages // 100)):
        paragraphs = []
        for piece in range(100):
            start = (book * 100 + piece) * WORDS * 7 // 5 % (len(words) - WORDS)
            paragraphs.append(
                f"Piece {book * 100 + piece}. " + " ".join(words[start : start + WORDS])
            )
        (folder / f"book{book:04}.txt").write_text("\n\n".join(paragraphs), "utf-8")


def salon_index(
    place: Path, passages: int, embedder: Embedder, context: BackendContext
) -> Generation:
    store = load_plugins().store_factory("qdrant-edge")
    write_sources(place / "sources", passages)

    def count(texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    windows = windows_for(embedder)
    if passages > 2000:  # one vector a passage
        windows = replace(windows, wide=2 * WORDS)
    config = CutterConfig("fragments", WORDS, WORDS + 20, 0)
    setup = Setup(embedder=embedder, cutter=config, count=count, windows=windows)
    build(place / "index", place / "sources", setup, store, context)
    return open_current(place / "index", embedder, store, context)


def reference(place: Path, generation: Generation, embedder: Embedder) -> Any:
    """A chromadb collection of the same passages, made as its documentation makes one."""
    import chromadb
    from chromadb.config import Settings

    shutil.rmtree(place, ignore_errors=True)
    client = chromadb.PersistentClient(str(place), settings=Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        "passages", embedding_function=None, metadata={"hnsw:space": "cosine"}
    )
    table = generation.passages
    passages = [p for info in table.sources() for p in table.passages_of(info.id)]
    for start in range(0, len(passages), 1000):
        part = passages[start : start + 1000]
        window = [_beginning(p.text, embedder) for p in part]
        collection.add(
            ids=[p.id + str(start + n) for n, p in enumerate(part)],
            embeddings=embedder.embed(window),
            documents=[p.text for p in part],
            metadatas=[{"source": p.source_id, "start": p.start} for p in part],
        )
    return collection


def _beginning(text: str, embedder: Embedder) -> str:
    """What a product that does not mind the window embeds: the first pieces that fit."""
    pieces = embedder.pieces(text)
    room = embedder.id.window - 4
    return text if len(pieces) <= room else text[: pieces[room - 1][1]]


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def measure(
    generation: Generation, collection: Any, embedder: Embedder, questions: Sequence[str]
) -> dict[str, Any]:
    """Milliseconds at the median; the two ways take turns, so that both meet the same load."""
    embed, ours, theirs, whole = [], [], [], []

    def our_prompt(question: str) -> float:
        found = find(generation, embedder, question)
        began = time.perf_counter()
        evidence = gather(found.hits, question, EVIDENCE_TOKENS, "en", None)
        build_prompt(BRIEF, (), evidence, question)
        ours.append(found.search_ms + (time.perf_counter() - began) * 1000)
        return found.embed_ms

    def their_prompt(question: str, vector: Vector) -> None:
        result = collection.query(query_embeddings=[vector], n_results=6)
        passages = "\n\n".join(
            f"[{number}] {text}" for number, text in enumerate(result["documents"][0], 1)
        )
        f"{BRIEF.prompt}\n\nAnswer only from these passages:\n\n{passages}\n\n{question}"

    for turn in range(ROUNDS):
        question = questions[turn % len(questions)]
        vectors = embedder.embed([question], "query")
        embed.append(timed(lambda q=question: embedder.embed([q], "query")))
        theirs.append(timed(lambda q=question, v=vectors[0]: their_prompt(q, v)))
        whole.append(timed(lambda q=question: our_prompt(q)))
    middle = {
        "embed": float(np.median(embed)),
        "salon besides embedding": float(np.median(ours)),
        "chromadb besides embedding": float(np.median(theirs)),
        "salon whole": float(np.median(whole)),
    }
    return {
        **middle,
        "ratio to chromadb": middle["salon besides embedding"]
        / middle["chromadb besides embedding"],
        "whole to embedding": float(np.median(np.array(whole) / np.array(embed))),
    }


def main(arguments: Sequence[str]) -> None:
    import os

    settings = load(None, dict(os.environ))
    context = BackendContext(settings.models_dir, {})
    real = load_plugins().embedder_factory("minilm")("", context)
    questions = [row["question"] for row in rows(CORPORA / "questions.jsonl")]
    console, results = Console(), {}
    sheet = Table("passages", "ms", "salon", "chromadb", "ratio", "whole / embedding call")
    for passages, embedder in ((2000, real), (50000, Drawn(real))):
        place = RESULTS / f"speed-{passages}"
        console.print(f"{passages} passages: indexing")
        generation = salon_index(place, passages, embedder, context)
        collection = reference(place / "chroma", generation, embedder)
        figures = measure(generation, collection, embedder, questions)
        results[str(passages)] = {"indexed": generation.manifest.passages, **figures}
        sheet.add_row(
            f"{generation.manifest.passages}",
            f"embed {figures['embed']:.2f}",
            f"{figures['salon besides embedding']:.2f}",
            f"{figures['chromadb besides embedding']:.2f}",
            f"{figures['ratio to chromadb']:.2f}",
            f"{figures['whole to embedding']:.2f}",
        )
        generation.close()
    console.print(sheet)
    console.print(machine())
    save("question_to_prompt", results)
