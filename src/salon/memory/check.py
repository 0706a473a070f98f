"""Compares the files of a memory with what was sealed. Reads only."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from salon.memory.form import LONGEST_FILE, FormError, parse
from salon.memory.seals import FILE, Entry, Seals
from salon.types.memory import Memory

FOLDERS = ("memories", "memories/archive", "memories/subsumed")

Stamp = tuple[int, int, int]
"""Size, time of the last change and of the last change of the entry, in ns."""


@dataclass(frozen=True, slots=True)
class Report:
    """`faults` is one line a file, empty when all is as it was sealed. `hashed` files were read.

    `stamps` are those of the files that are as they were sealed.
    """

    root: str
    memories: int
    hashed: int
    faults: tuple[str, ...]
    stamps: Mapping[str, Stamp]

    @property
    def sound(self) -> bool:
        return not self.faults


def stamp_of(status: os.stat_result) -> Stamp:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def read_bytes(path: Path) -> bytes:
    """A regular file's bytes; raises FormError for a link, for what is no file or too large."""
    if path.is_symlink():
        raise FormError("it is a link: symlinked files are not read")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise FormError("it is no regular file")
        data = file.read(LONGEST_FILE + 1)
    if len(data) > LONGEST_FILE:
        raise FormError(f"it is larger than {LONGEST_FILE:,} bytes")
    return data


def place_of(folder: Path, seals: Seals, entry: Entry) -> str:
    """Where the entry's file is now: a rename that was interrupted has it where it began."""
    begun = seals.unfinished.get(entry.id, "")
    return begun if begun and os.path.lexists(folder / begun) else entry.place


def examine(folder: Path, seals: Seals, stamps: Mapping[str, Stamp], deep: bool) -> Report:
    """Names every file that was edited, removed, renamed, duplicated, moved, linked or added.

    A file whose stamp is in `stamps` is taken as unchanged, unless `deep`.
    """
    linked = [name for name in ("", *FOLDERS) if (folder / name).is_symlink()]
    if linked:
        faults = tuple(f"{name or folder.name}: symlinked: it is a link" for name in linked)
        return Report(seals.root, len(seals.entries), 0, faults, {})
    wanted = {place_of(folder, seals, entry): entry for entry in seals.entries.values()}
    found = set(_files(folder))
    good: dict[str, Stamp] = {}
    faults_at: dict[str, str] = {}
    missing: dict[str, str] = {}
    hashed = 0
    for place, entry in wanted.items():
        try:
            seen = stamp_of((folder / place).lstat())
            if deep or stamps.get(entry.id) != seen:
                hashed += 1
                check(read_bytes(folder / place), entry)
            good[entry.id] = seen
        except FileNotFoundError:
            missing[entry.id] = place
        except FormError as error:
            faults_at[place] = f"edited: {error}" if "link" not in str(error) else f"{error}"
        except OSError as error:
            faults_at[place] = f"cannot be read: {error.strerror}"
    between = {f"{name}/{at}.md" for name in FOLDERS for at in seals.unfinished}
    for place in sorted(found - wanted.keys() - between):
        faults_at[place] = _stray(folder / place, seals, missing)
    faults_at |= dict.fromkeys(missing.values(), "removed")
    lines = tuple(f"{place}: {why}" for place, why in sorted(faults_at.items()))
    return Report(seals.root, len(seals.entries), hashed, lines, good)


def check(data: bytes, entry: Entry) -> Memory:
    """The memory of a file; raises FormError unless these bytes are what was sealed as `entry`."""
    memory = parse(data)
    if entry.tombstone and hashlib.sha256(data).hexdigest() != entry.tombstone:
        raise FormError("it is not the tombstone that was sealed")
    if memory.id != entry.id or memory.redacted != bool(entry.tombstone):
        raise FormError("it is another memory than its name says")
    return memory


def _files(folder: Path) -> Iterator[str]:
    for name in FOLDERS:
        try:
            with os.scandir(folder / name) as entries:
                for entry in entries:
                    hidden = entry.name.startswith(".")
                    if not hidden and not entry.is_dir(follow_symlinks=False):
                        yield f"{name}/{entry.name}"
        except FileNotFoundError:
            continue


def _stray(path: Path, seals: Seals, missing: dict[str, str]) -> str:
    """What a file is that was not sealed under this name; takes a renamed one off `missing`."""
    try:
        identifier = parse(read_bytes(path)).id
    except FormError as error:
        return f"{error}" if path.is_symlink() else "added: it was never sealed"
    except OSError as error:
        return f"added: it was never sealed, and cannot be read: {error.strerror}"
    if identifier not in seals.entries:
        return "added: it was never sealed"
    if identifier in missing:
        return f"renamed: it belongs at {missing.pop(identifier)}"
    return f"duplicated: the memory is at {seals.entries[identifier].place}"


def without_seals(folder: Path) -> Report:
    """The report of a folder that has no seals file: sound only when it has no memory either."""
    files = list(_files(folder))
    faults = (f"{FILE}: removed: {len(files):,} files are without a seal",) if files else ()
    return Report("", 0, 0, faults, {})
