"""The text side of a generation: sources and passages by key, by id, and all of them."""

from __future__ import annotations

import json
import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from salon.errors import IndexError_, NotFoundError
from salon.types import Cut, Passage, PassageTokens, Piece, Repair, Section, Source, SourceInfo

_PASSAGE = "id, start, end, text, tokens, section, page, date, place, speaker, header, time"


class PassageTable:
    """Reads passages.db of a finished generation, which nobody writes any more. Thread-safe.

    `command` builds the index; IndexError_, which is raised when the file cannot be read, names it.
    """

    def __init__(self, path: Path, command: str) -> None:
        self._path = path
        self._cure = f"run `{command} --rebuild`"
        self._idle: deque[sqlite3.Connection] = deque()
        self._open: list[sqlite3.Connection] = []
        with self._reading() as base:
            rows = base.execute("SELECT number, info FROM sources ORDER BY number").fetchall()
            self._sources = {number: self._info(info) for number, info in rows}
            self._twins: dict[int, int] = {
                key: first
                for digest, first in base.execute(
                    "SELECT digest, min(key) FROM passages GROUP BY digest HAVING count(*) > 1"
                ).fetchall()
                for (key,) in base.execute("SELECT key FROM passages WHERE digest = ?", (digest,))
            }

    def by_keys(self, keys: Sequence[int]) -> list[tuple[Passage, SourceInfo]]:
        """The passages of these keys with their sources, in the order of the keys.

        Raises IndexError_ for a key that is not there: the store and the table disagree.
        """
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, source, {_PASSAGE} FROM passages WHERE key IN ({marks})"
        with self._reading() as base:
            rows = {row[0]: row for row in base.execute(query, keys)}
        try:
            return [self._with_source(rows[key]) for key in keys]
        except KeyError as error:
            raise IndexError_(
                f"the index has a vector of passage {error}, but not the passage", cure=self._cure
            ) from None

    def tokens(self, keys: Sequence[int], dimensions: int) -> list[PassageTokens]:
        """The token vectors of these passages' wide windows, in the order of the keys."""
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, counts, vectors FROM token_vectors WHERE key IN ({marks})"
        with self._reading() as base:
            rows = {key: (counts, blob) for key, counts, blob in base.execute(query, keys)}
        try:
            return [_tokens(*rows[key], dimensions) for key in keys]
        except (KeyError, ValueError) as error:
            raise IndexError_(
                f"the index has a passage without its token vectors: {error}", cure=self._cure
            ) from None

    def passage(self, passage_id: str) -> tuple[Passage, SourceInfo]:
        """The passage with this id and its source; raises NotFoundError."""
        query = f"SELECT key, source, {_PASSAGE} FROM passages WHERE id = ? ORDER BY key LIMIT 1"
        with self._reading() as base:
            row = base.execute(query, (passage_id,)).fetchone()
        if row is None:
            raise NotFoundError(
                f"there is no passage '{passage_id[:80]}' in this index",
                expected="an id as answers give them for passages and citations",
                cure="ask again: ids change when the sources do",
            )
        return self._with_source(row)

    def passages_of(self, source_id: str) -> tuple[Passage, ...]:
        """A source's passages in the order of its text; empty for an unknown source."""
        query = (
            f"SELECT key, source, {_PASSAGE} FROM passages WHERE source IN"
            " (SELECT number FROM sources WHERE id = ?) ORDER BY start, end"
        )
        with self._reading() as base:
            rows = base.execute(query, (source_id,)).fetchall()
        return tuple(self._with_source(row)[0] for row in rows)

    def twin(self, key: int) -> int:
        """The least key whose passage has the same text as this one's; usually `key` itself."""
        return self._twins.get(key, key)

    def sources(self) -> tuple[SourceInfo, ...]:
        return tuple(self._sources.values())

    def source(self, source_id: str) -> Source:
        """The whole source with its way back to the original; raises NotFoundError."""
        query = "SELECT number, text, way FROM sources WHERE id = ?"
        with self._reading() as base:
            row = base.execute(query, (source_id,)).fetchone()
        if row is None:
            raise NotFoundError(
                f"there is no source '{source_id[:80]}' in this index",
                known=tuple(info.id for info in self._sources.values()),
                expected="an id as answers give them with citations",
                cure="ask again: ids change when the sources do",
            )
        number, text, way = row
        return read_source(self._sources[number], text, way)

    def outline(self, source_id: str) -> Source | None:
        """A source with its sections and its way back, and no text; None for an unknown one."""
        with self._reading() as base:
            row = base.execute(
                "SELECT number, way FROM sources WHERE id = ?", (source_id,)
            ).fetchone()
        return read_source(self._sources[row[0]], "", row[1]) if row else None

    def texts(self) -> Iterator[tuple[SourceInfo, str]]:
        """Every source with its whole cleaned text, one at a time."""
        for number, info in self._sources.items():
            with self._reading() as base:
                (text,) = base.execute(
                    "SELECT text FROM sources WHERE number = ?", (number,)
                ).fetchone()
            yield info, text

    def close(self) -> None:
        """Close the file; a read that is going on in another thread then fails."""
        while self._open:
            self._open.pop().close()

    def _with_source(self, row: tuple[Any, ...]) -> tuple[Passage, SourceInfo]:
        source = self._sources[row[1]]
        return Passage(row[2], source.id, *row[3:]), source

    def _info(self, text: str) -> SourceInfo:
        try:
            return read_info(text)
        except (ValueError, TypeError) as error:
            raise IndexError_(f"{self._path} is damaged: {error}", cure=self._cure) from error

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that no other thread uses meanwhile; there are as many as threads read."""
        try:
            base = self._idle.pop()
        except IndexError:
            base = self._connect()
        try:
            yield base
        except sqlite3.Error as error:
            raise IndexError_(f"{self._path} cannot be read: {error}", cure=self._cure) from error
        finally:
            self._idle.append(base)

    def _connect(self) -> sqlite3.Connection:
        try:
            base = sqlite3.connect(
                f"{self._path.resolve().as_uri()}?immutable=1", uri=True, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise IndexError_(f"{self._path} cannot be opened: {error}", cure=self._cure) from error
        self._open.append(base)
        return base


def _tokens(counts: bytes, vectors: bytes, dimensions: int) -> PassageTokens:
    return PassageTokens(
        tuple(np.frombuffer(counts, np.int32).tolist()),
        np.frombuffer(vectors, np.int8).reshape(-1, dimensions),
    )


def write_info(info: SourceInfo) -> str:
    return _compact({name: getattr(info, name) for name in SourceInfo.__dataclass_fields__})


def read_info(text: str) -> SourceInfo:
    return SourceInfo(**json.loads(text))


def write_way(source: Source) -> str:
    """All of a source besides its text and what is told of it: lists of numbers and names."""
    return _compact(
        {
            "parts": source.parts,
            "pieces": [(p.start, p.length, p.part, p.part_start) for p in source.pieces],
            "sections": [(s.start, s.heading_end, s.level, s.title) for s in source.sections],
            "cuts": [(c.part, c.start, c.end, c.reason, c.text) for c in source.cuts],
            "notes": source.notes,
            "repairs": [(r.kind, r.count, r.examples) for r in source.repairs],
            "scans": source.scans,
        }
    )


def read_source(info: SourceInfo, text: str, way: str) -> Source:
    found = json.loads(way)
    return Source(
        info=info,
        text=text,
        parts=tuple(found["parts"]),
        pieces=tuple(Piece(*row) for row in found["pieces"]),
        sections=tuple(Section(*row) for row in found["sections"]),
        cuts=tuple(Cut(*row) for row in found["cuts"]),
        notes=tuple(found["notes"]),
        repairs=tuple(Repair(kind, count, tuple(ex)) for kind, count, ex in found["repairs"]),
        scans=tuple(found["scans"]),
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
