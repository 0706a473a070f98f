"""Windows to vectors to the store: embedding goes on while what is finished is written."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from salon.errors import IndexStoppedError
from salon.index.lexical import length, sparse
from salon.index.tables import Prepared, Row, Tables
from salon.index.vectors import VectorCache, split_keys, vector_key
from salon.index.windows import NARROW, WIDE, WindowConfig, Windows, passage_windows
from salon.ports import Embedder, Progress, TokenEmbedder, VectorStore
from salon.types import Passage, PassageVectors, TokenVectors, Vector

# Passages whose windows are sorted by length together, so that a call's texts are equally long.
_BUFFER = 512
# Texts of one call: enough to keep the model busy, few enough to stop within seconds.
_CALL = 128
# Writes that may wait for the one thread that writes.
_AHEAD = 16
_NO_TOKENS: TokenVectors = np.empty((0, 0), np.int8)


@dataclass(frozen=True, slots=True)
class Windowing:
    """How passages become windows and terms; the same for a whole generation."""

    embedder: Embedder
    config: WindowConfig
    language: str

    def windows(self, text: str, header: str) -> Windows:
        """A passage's windows."""
        pieces = self.embedder.pieces
        header_pieces = pieces(header) if self.config.header and header else ()
        return passage_windows(text, pieces(text), self.config, self.embedder.id, header_pieces)

    def lexical(self, text: str, header: str) -> str:
        """What the lexical arm sees of a passage."""
        return f"{header}\n{text}" if self.config.header and header else text

    def prepare(self, passage: Passage) -> Prepared:
        """The passage with its length in terms, its windows and their cache keys."""
        text, header = passage.text, passage.header
        found = self.windows(text, header)
        kind = f"passage with {self.config.tokens}" if self.config.tokens else "passage"
        wide, narrow = (
            b"".join(
                vector_key(self.embedder.id, one, kind) for one in found.texts(field, text, header)
            )
            for field in (WIDE, NARROW)
        )
        terms = length(self.lexical(text, header), self.language)
        return Prepared(passage, terms, wide, narrow, found.pack())


@dataclass(slots=True)
class Embedding:
    """Brings passages of `tables` into `store`, by way of `cache`.

    `average` is the mean length in terms. `embedded` counts the windows that were computed, not
    those that were in the cache or have the words of another.
    """

    windowing: Windowing
    tables: Tables
    cache: VectorCache
    store: VectorStore
    average: float
    progress: Progress
    stop: threading.Event
    embedded: int = 0
    done: int = 0

    def run(self, keys: Sequence[int]) -> None:
        """Embed and store the passages of these keys; raises IndexStoppedError on request."""
        total = self.tables.windows_of(keys)
        waiting: deque[Future[None]] = deque()
        # One writer: SQLite and the store are written one thing after another, in order.
        with ThreadPoolExecutor(1, "index-writer") as writer:

            def later(work: Callable[[], None]) -> None:
                while len(waiting) >= _AHEAD or (waiting and waiting[0].done()):
                    waiting.popleft().result()
                waiting.append(writer.submit(work))

            self.progress("embed", 0, total)
            for rows in self.tables.rows(keys, _BUFFER):
                found = self._found(rows, total, later)
                later(partial(self._store, rows, found))
            while waiting:
                waiting.popleft().result()

    def known(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """The vectors that the cache has of these windows, without their tokens."""
        return {key: self._vector(blob) for key, blob in self.cache.blobs(keys).items()}

    def _vector(self, blob: bytes) -> Vector:
        return np.frombuffer(blob, np.float32, self.windowing.embedder.id.dimensions)

    def _found(
        self, rows: list[Row], total: int, later: Callable[[Callable[[], None]], None]
    ) -> dict[bytes, bytes]:
        """What is kept of every window of these passages, from the cache or from the embedder."""
        needed = [key for row in rows for key in split_keys(row.wide + row.narrow)]
        kept = self.cache.blobs(list(dict.fromkeys(needed)))
        texts = self._texts(rows, kept)
        self.done += len(needed) - len(texts)
        self.progress("embed", self.done, total)
        order = sorted(texts, key=lambda key: len(texts[key]))
        for at in range(0, len(order), _CALL):
            if self.stop.is_set():
                raise IndexStoppedError(
                    "indexing was stopped", cure="run it again: it goes on where it stopped"
                )
            some = order[at : at + _CALL]
            vectors, tokens = self._embedded([texts[key] for key in some])
            later(partial(self.cache.put, some, vectors, tokens))
            for key, vector, words in zip(
                some, vectors, tokens or [_NO_TOKENS] * len(some), strict=True
            ):
                kept[key] = vector.tobytes() + words.tobytes()
            self.embedded += len(some)
            self.done += len(some)
            self.progress("embed", self.done, total)
        return kept

    def _embedded(self, texts: list[str]) -> tuple[Vector, list[TokenVectors]]:
        embedder = self.windowing.embedder
        if self.windowing.config.tokens and isinstance(embedder, TokenEmbedder):
            return embedder.embed_with_tokens(texts)
        return embedder.embed(texts), []

    def _texts(self, rows: list[Row], known: dict[bytes, bytes]) -> dict[bytes, str]:
        """The windows that have no vector yet, by cache key; equal windows are one."""
        texts: dict[bytes, str] = {}
        for row in rows:
            keys = {WIDE: split_keys(row.wide), NARROW: split_keys(row.narrow)}
            if all(key in known for some in keys.values() for key in some):
                continue
            found = Windows.unpack(row.windows)
            for field, some in keys.items():
                for key, text in zip(some, found.texts(field, row.text, row.header), strict=True):
                    if key not in known:
                        texts[key] = text
        return texts

    def _store(self, rows: list[Row], kept: dict[bytes, bytes]) -> None:
        fields = self.windowing.config.fields
        keys = [{WIDE: split_keys(row.wide), NARROW: split_keys(row.narrow)} for row in rows]
        self.store.upsert(
            [
                PassageVectors(
                    key=row.key,
                    dense={
                        field: np.stack([self._vector(kept[key]) for key in windows[field]])
                        for field in fields
                    },
                    sparse=sparse(
                        self.windowing.lexical(row.text, row.header),
                        self.windowing.language,
                        self.average,
                    ),
                )
                for row, windows in zip(rows, keys, strict=True)
            ]
        )
        if self.windowing.config.tokens:
            self.tables.put_tokens(
                [
                    (row.key, *self._tokens([kept[key] for key in windows[WIDE]]))
                    for row, windows in zip(rows, keys, strict=True)
                ]
            )

    def _tokens(self, blobs: list[bytes]) -> tuple[bytes, bytes]:
        """A passage's token vectors: the count of each window as int32, and the vectors."""
        start = 4 * self.windowing.embedder.id.dimensions
        size = self.windowing.config.tokens
        counts = np.array([(len(blob) - start) // size for blob in blobs], np.int32)
        return counts.tobytes(), b"".join(blob[start:] for blob in blobs)
