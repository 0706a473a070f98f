"""What a finished generation knows of its files, and which are no longer as they were."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from salon.corpus.read import file_key, list_files
from salon.index.tables import FileRow
from salon.index.vectors import split_keys

_SECOND = 1_000_000_000
# A file written again within one tick of the clock keeps its time of change.
_TICK = _SECOND // 10
_COARSE_TICK = 2 * _SECOND


@dataclass(frozen=True, slots=True)
class Changes:
    """`changed` are new or have other bytes (their `sha256` is not known yet), with their paths.

    `touched` have the same bytes at another time. `removed` are names that are no longer there.
    `paths` has every file that the folder holds, by name.
    """

    changed: tuple[tuple[FileRow, Path], ...]
    touched: tuple[FileRow, ...]
    removed: tuple[str, ...]
    paths: Mapping[str, Path]


def find_changes(
    folder: Path, known: Mapping[str, FileRow], stamp: Callable[[str], str]
) -> Changes:
    """Compare by size and time of change first; a file is opened only when these differ."""
    changed: list[tuple[FileRow, Path]] = []
    touched: list[FileRow] = []
    files = list_files(folder)
    for name, path in files:
        now = _row(name, path, stamp(name))
        before = known.get(name)
        if before is None:
            changed.append((now, path))
        elif now != replace(before, sha256="") or not before.mtime:
            same = (now.size, now.stamp) == (before.size, before.stamp)
            if same and _key(path) == before.sha256:
                touched.append(replace(now, sha256=before.sha256))
            else:
                changed.append((now, path))
    paths = dict(files)
    removed = tuple(name for name in known if name not in paths)
    return Changes(tuple(changed), tuple(touched), removed, paths)


def known_files(passages: Path) -> dict[str, FileRow]:
    """The files of a finished generation, by name."""
    rows = _read(passages, "SELECT name, size, mtime, sha256, stamp FROM files")
    return {row[0]: FileRow(*row) for row in rows}


def window_keys(passages: Path) -> set[bytes]:
    """The cache keys of all windows of a finished generation."""
    rows = _read(passages, "SELECT wide, narrow FROM passages")
    return {key for wide, narrow in rows for key in split_keys(wide + narrow)}


def _read(passages: Path, query: str) -> list[tuple[Any, ...]]:
    uri = f"{passages.resolve().as_uri()}?immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as base:
        return base.execute(query).fetchall()


def _row(name: str, path: Path, stamp: str) -> FileRow:
    """The file as it is now; `mtime` is 0 while it could still be written unnoticed."""
    try:
        status = path.stat()
    except OSError:
        return FileRow(name, 0, 0, "", stamp)  # reading it will say what is wrong
    tick = _TICK if status.st_mtime_ns % _SECOND else _COARSE_TICK
    settled = time.time_ns() - status.st_mtime_ns > tick
    return FileRow(name, status.st_size, status.st_mtime_ns if settled else 0, "", stamp)


def _key(path: Path) -> str:
    try:
        return file_key(path)
    except OSError:
        return ""
