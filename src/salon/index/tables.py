"""The builder's side of passages.db: what changed goes out and comes in, keys are given once."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from salon.index.passages import write_info, write_way
from salon.types import Passage, Source

_ASKED_AT_ONCE = 500
_SCHEMA = """
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER);
INSERT INTO counters VALUES ('next key', 1);
CREATE TABLE files (name TEXT PRIMARY KEY, size INTEGER, mtime INTEGER, sha256 TEXT, stamp TEXT);
CREATE TABLE sources (
  number INTEGER PRIMARY KEY, file TEXT, id TEXT UNIQUE, info TEXT, way TEXT, text TEXT
);
CREATE INDEX sources_file ON sources (file);
CREATE TABLE repeats (file TEXT, name TEXT, id TEXT);
CREATE TABLE passages (
  key INTEGER PRIMARY KEY, source INTEGER, id TEXT, start INTEGER, end INTEGER, tokens INTEGER,
  section TEXT, page TEXT, date TEXT, place TEXT, speaker TEXT, header TEXT,
  time TEXT,
  digest BLOB, terms INTEGER, wide BLOB, narrow BLOB, windows BLOB, text TEXT
);
CREATE TABLE token_vectors (key INTEGER PRIMARY KEY, counts BLOB, vectors BLOB);
CREATE INDEX passages_source ON passages (source);
CREATE INDEX passages_id ON passages (id);
CREATE INDEX passages_digest ON passages (digest);
"""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as it was when it was read. `stamp` is what else its sources depend on."""

    name: str
    size: int
    mtime: int
    sha256: str
    stamp: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A passage ready for its row: how many terms it has, its windows, and their cache keys."""

    passage: Passage
    terms: int
    wide: bytes
    narrow: bytes
    windows: bytes


@dataclass(frozen=True, slots=True)
class Row:
    """What embedding needs of a passage.

    `wide` and `narrow` are cache keys, joined; `windows` is a packed `Windows`.
    """

    key: int
    text: str
    header: str
    wide: bytes
    narrow: bytes
    windows: bytes


class Tables:
    """passages.db while it is built; one thread uses it. sqlite3 errors are the caller's.

    `altered` tells whether a file went out or a source came in.
    """

    def __init__(self, path: Path) -> None:
        new = not path.exists()
        self._base = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        # Nobody reads a generation before its manifest is there, so no write needs to be safe yet.
        self._base.execute("PRAGMA journal_mode=OFF")
        self._base.execute("PRAGMA synchronous=OFF")
        if new:
            self._base.executescript(_SCHEMA)
        self._base.execute("BEGIN")
        # Keys of passages taken out, by what their vectors depend on: for the same passage again.
        self.altered = False
        self._spare: dict[tuple[bytes, str], list[int]] = {}

    def files(self) -> dict[str, FileRow]:
        rows = self._base.execute("SELECT name, size, mtime, sha256, stamp FROM files")
        return {row[0]: FileRow(*row) for row in rows}

    def waiting_for(self, names: Sequence[str]) -> set[str]:
        """Files with a text that was left out because one of the files `names` has it too."""
        return {
            file
            for name in names
            for (file,) in self._base.execute(
                "SELECT repeats.file FROM repeats JOIN sources USING (id) WHERE sources.file = ?",
                (name,),
            )
        }

    def touch(self, file: FileRow) -> None:
        """Remember a file's place in time; its sources stay as they are."""
        self._base.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)",
            (file.name, file.size, file.mtime, file.sha256, file.stamp),
        )

    def take_out(self, name: str, unmade: Collection[int] = ()) -> None:
        """Remove a file with its sources and passages; the store never got the keys `unmade`."""
        numbers = "(SELECT number FROM sources WHERE file = ?)"
        rows = self._base.execute(
            f"SELECT key, digest, header FROM passages WHERE source IN {numbers}", (name,)
        )
        for key, digest, header in rows.fetchall():
            if key in unmade:
                continue
            self._spare.setdefault((digest, header), []).append(key)
        self._base.execute(f"DELETE FROM passages WHERE source IN {numbers}", (name,))
        for table in ("sources", "repeats"):
            self._base.execute(f"DELETE FROM {table} WHERE file = ?", (name,))
        gone = self._base.execute("DELETE FROM files WHERE name = ?", (name,))
        self.altered = self.altered or gone.rowcount > 0

    def repeated(self) -> tuple[str, ...]:
        """Names of sources that were left out because another has the same text."""
        return tuple(n for (n,) in self._base.execute("SELECT name FROM repeats ORDER BY name"))

    def has_source(self, source_id: str) -> bool:
        found = self._base.execute("SELECT 1 FROM sources WHERE id = ?", (source_id,)).fetchone()
        return found is not None

    def leave_out(self, file: str, source: Source) -> None:
        """Note that a file's text is the text of a source that is there already."""
        self.altered = True
        self._base.execute(
            "INSERT INTO repeats VALUES (?, ?, ?)", (file, source.info.name, source.info.id)
        )

    def put_in(self, file: str, source: Source, passages: Sequence[Prepared]) -> list[int]:
        """Add a source with its passages; returns the keys that the store does not have yet."""
        self.altered = True
        number = self._base.execute(
            "INSERT INTO sources (file, id, info, way, text) VALUES (?, ?, ?, ?, ?)",
            (file, source.info.id, write_info(source.info), write_way(source), source.text),
        ).lastrowid
        (following,) = self._base.execute("SELECT value FROM counters").fetchone()
        new: list[int] = []
        rows = []
        for item in passages:
            p = item.passage
            digest = _digest(p.text)
            spare = self._spare.get((digest, p.header))
            if spare:
                key = spare.pop()
            else:
                key, following = following, following + 1
                new.append(key)
            rows.append(
                (
                    *(key, number, p.id, p.start, p.end, p.tokens, p.section, p.page, p.date),
                    *(p.place, p.speaker, p.header, p.time, digest, item.terms, item.wide),
                    *(item.narrow, item.windows, p.text),
                )
            )
        marks = ",".join("?" * 19)
        self._base.executemany(f"INSERT INTO passages VALUES ({marks})", rows)
        self._base.execute("UPDATE counters SET value = ?", (following,))
        return new

    def left_over(self) -> list[int]:
        """Keys of passages that were taken out and did not come back."""
        return sorted(key for keys in self._spare.values() for key in keys)

    def all_keys(self) -> list[int]:
        return [key for (key,) in self._base.execute("SELECT key FROM passages ORDER BY key")]

    def rows(self, keys: Sequence[int], at_once: int) -> Iterator[list[Row]]:
        """The passages of these keys, in batches."""
        query = "SELECT key, text, header, wide, narrow, windows FROM passages WHERE key IN "
        for at in range(0, len(keys), at_once):
            some = keys[at : at + at_once]
            marks = ",".join("?" * len(some))
            yield [Row(*row) for row in self._base.execute(f"{query}({marks})", some)]

    def windows_of(self, keys: Sequence[int]) -> int:
        """How many windows these passages have."""
        query = "SELECT sum(length(wide) + length(narrow)) / 16 FROM passages WHERE key IN "
        total = 0
        for at in range(0, len(keys), _ASKED_AT_ONCE):
            some = keys[at : at + _ASKED_AT_ONCE]
            marks = ",".join("?" * len(some))
            total += self._base.execute(f"{query}({marks})", some).fetchone()[0] or 0
        return total

    def put_tokens(self, rows: Sequence[tuple[int, bytes, bytes]]) -> None:
        """Keep passages' token vectors: key, count of each window as int32, int8 vectors."""
        self._base.executemany("INSERT OR REPLACE INTO token_vectors VALUES (?, ?, ?)", rows)

    def drop_tokens(self, keys: Sequence[int]) -> None:
        self._base.executemany("DELETE FROM token_vectors WHERE key = ?", [(k,) for k in keys])

    def row(self, key: int) -> Row:
        (rows,) = self.rows([key], 1)
        return rows[0]

    def totals(self) -> tuple[int, int, int, float]:
        """Sources, passages, windows, and the mean number of terms of a passage."""
        (sources,) = self._base.execute("SELECT count(*) FROM sources").fetchone()
        passages, size, average = self._base.execute(
            "SELECT count(*), sum(length(wide) + length(narrow)), avg(terms) FROM passages"
        ).fetchone()
        return sources, passages, (size or 0) // 16, max(1.0, average or 0.0)

    def singles(self) -> list[int]:
        """Keys of passages whose text no other passage has."""
        query = "SELECT min(key) FROM passages GROUP BY digest HAVING count(*) = 1 ORDER BY 1"
        return [key for (key,) in self._base.execute(query)]

    def commit(self) -> None:
        self._base.execute("COMMIT")
        self._base.execute("BEGIN")

    def close(self) -> None:
        """Close without finishing what `commit` did not."""
        self._base.close()


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
