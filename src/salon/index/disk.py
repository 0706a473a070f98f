"""Room on the disk: asked for before it is needed, and explained when it ran out."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from salon.errors import IndexError_

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_SQLITE_FULL = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE})
# A vector lies in the cache, in the store as it grows, and in the store's optimised copy.
_COPIES = 3
_FLOAT = 4
_BLOCK = 512
_SPARE = 48 << 20
_OPENING = 8 << 20
_CHECK = "see that the folder can be written, then run it again: finished vectors are kept"
_CURE = "make room there and run it again: finished vectors are kept"


def room_for(vectors: int, dimensions: int) -> int:
    """Bytes that so many more vectors take while they are indexed."""
    return vectors * dimensions * _FLOAT * _COPIES


def room_of(folder: Path) -> int:
    """Bytes that the files of a folder take; their holes take none."""
    return sum(path.stat().st_blocks * _BLOCK for path in folder.rglob("*"))


def require_room(folder: Path, needed: int) -> None:
    """Raise IndexError_ unless the disk has `needed` bytes, and some to spare.

    The engine maps its files into memory, and writing to a mapped file on a full disk ends the
    process; so this is asked beforehand.
    """
    free = shutil.disk_usage(folder).free
    if free < needed + _SPARE:
        raise IndexError_(
            f"the disk is too full: {free / 1e6:.0f} MB are free in {folder}",
            expected=f"about {(needed + _SPARE) / 1e6:.0f} MB",
            cure=_CURE,
        )


def can_open_in(folder: Path) -> bool:
    """Whether the engine may open a store there: it writes a little even to search."""
    return shutil.disk_usage(folder).free >= _OPENING


@contextmanager
def explain_writing(folder: Path) -> Iterator[None]:
    """Turn what writing can fail with into an IndexError_; a full disk is called by its name."""
    try:
        yield
    except (OSError, sqlite3.Error, IndexError_) as error:
        if _is_full(error):
            raise IndexError_(
                f"the disk is full: {folder} could not be written ({error})", cure=_CURE
            ) from error
        if isinstance(error, IndexError_):
            raise
        damaged = isinstance(error, sqlite3.Error) and not isinstance(
            error, sqlite3.OperationalError
        )
        raise IndexError_(
            f"the index in {folder} could not be written: {error}",
            cure=f"run `salon index {folder.name} --rebuild`" if damaged else _CHECK,
        ) from error


def _is_full(error: OSError | sqlite3.Error | IndexError_) -> bool:
    if isinstance(error, OSError):
        return error.errno in _FULL
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", None) in _SQLITE_FULL
    return any(os.strerror(code) in str(error.__cause__) for code in _FULL)
