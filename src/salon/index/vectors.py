"""The vector cache of one persona: what was embedded once is never embedded again."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from salon.errors import IndexError_
from salon.index.manifest import same_fingerprint
from salon.types import EmbedderId, TokenVectors, Vector

_ASKED_AT_ONCE = 500
_WASTE = 3
_KEY_BYTES = 16

_FINGERPRINTS = "CREATE TABLE IF NOT EXISTS fingerprints (embedder TEXT PRIMARY KEY, vectors BLOB)"
_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)"


def vector_key(embedder: EmbedderId, text: str, kind: str = "passage") -> bytes:
    """The cache's key, 16 bytes: a hash of the text and of all that its vector depends on."""
    name = f"{embedder.name}\0{embedder.dimensions}\0{kind}\0".encode()
    return hashlib.blake2b(name + text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def split_keys(joined: bytes) -> list[bytes]:
    """The keys of a row that holds several, one after another."""
    return [joined[at : at + _KEY_BYTES] for at in range(0, len(joined), _KEY_BYTES)]


class VectorCache:
    """Vectors by key in SQLite, as float32. Thread-safe; a kill loses at most the last `put`.

    What was kept with `tokens` comes back with them after the vector's own bytes.

    Raises IndexError_ when the file is not a cache, sqlite3.OperationalError when it cannot be
    written (a full disk).
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._base = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        try:
            self._base.execute("PRAGMA journal_mode=WAL")
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute(_SCHEMA)
            self._base.execute(_FINGERPRINTS)
        except sqlite3.DatabaseError as error:
            self._base.close()
            if isinstance(error, sqlite3.OperationalError):
                raise
            raise IndexError_(
                f"the vector cache {path} is damaged: {error}",
                cure="delete this file; its vectors are then computed again",
            ) from error

    def trust(self, embedder: EmbedderId, fingerprint: Vector) -> bool:
        """Whether the cache's vectors are this embedder's; if not, all are forgotten.

        `fingerprint` has the embedder's vectors of the canary texts: weights that changed under
        the same name show there.
        """
        name = f"{embedder.name} {embedder.dimensions}"
        with self._lock:
            row = self._base.execute(
                "SELECT vectors FROM fingerprints WHERE embedder = ?", (name,)
            ).fetchone()
            kept = None if row is None else np.frombuffer(row[0], np.float32)
            if kept is not None and same_fingerprint(
                kept.reshape(-1, embedder.dimensions), fingerprint
            ):
                return True
            self._base.execute("BEGIN")
            if kept is not None:
                self._base.execute("DELETE FROM vectors")
            self._base.execute(
                "INSERT OR REPLACE INTO fingerprints VALUES (?, ?)", (name, fingerprint.tobytes())
            )
            self._base.commit()
        return kept is None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Those of the vectors that are there, shape (dimensions,), read-only."""
        return {key: np.frombuffer(blob, np.float32) for key, blob in self.blobs(keys).items()}

    def blobs(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """What is kept under those of the keys that are there, as bytes."""
        found: dict[bytes, bytes] = {}
        for some in _parts(keys):
            marks = ",".join("?" * len(some))
            query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
            with self._lock:
                rows = self._base.execute(query, some).fetchall()
            found.update(rows)
        return found

    def put(
        self, keys: Sequence[bytes], vectors: Vector, tokens: Sequence[TokenVectors] = ()
    ) -> None:
        """Keep `vectors`, shape (len(keys), dimensions); they are there when it returns."""
        after = [some.tobytes() for some in tokens] or [b""] * len(keys)
        rows = [
            (key, vector.tobytes() + rest)
            for key, vector, rest in zip(
                keys, vectors.astype(np.float32, copy=False), after, strict=True
            )
        ]
        with self._lock, self._base:  # which commits, or rolls back
            self._base.execute("BEGIN")
            self._base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def prune(self, in_use: int, keys_in_use: Callable[[], set[bytes]]) -> int:
        """Forget unused vectors once there are over three times as many as are `in_use`.

        Returns how many went; `keys_in_use` is called only then.
        """
        with self._lock:
            (count,) = self._base.execute("SELECT count(*) FROM vectors").fetchone()
            if count <= _WASTE * in_use:
                return 0
            used = keys_in_use()
            keys = [key for (key,) in self._base.execute("SELECT key FROM vectors")]
            unused = [(key,) for key in keys if key not in used]
            self._base.execute("BEGIN")
            self._base.executemany("DELETE FROM vectors WHERE key = ?", unused)
            self._base.commit()
            self._base.execute("VACUUM")
        return len(unused)

    def close(self) -> None:
        self._base.close()


def _parts(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for at in range(0, len(keys), _ASKED_AT_ONCE):
        yield keys[at : at + _ASKED_AT_ONCE]
