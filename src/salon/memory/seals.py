"""What was sealed: every memory's id, its number and state, and the Merkle root over all."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from salon.memory.form import is_id

FILE = "seals.json"
FORMAT = 1
STATES = ("active", "archived", "subsumed", "redacted")
_FOLDERS = {"archived": "memories/archive", "subsumed": "memories/subsumed"}


@dataclass(frozen=True, slots=True)
class Entry:
    """`number` counts memories in the order of entry, from 1.

    `tombstone` is the SHA-256 of a redacted memory's file, "" for others, whose id seals them.
    """

    id: str
    number: int
    state: str
    tombstone: str = ""

    @property
    def place(self) -> str:
        """The memory's file, below the memory's folder."""
        return f"{_FOLDERS.get(self.state, 'memories')}/{self.id}.md"


@dataclass(frozen=True, slots=True)
class Seals:
    """`unfinished` maps an id to the file that still has to be renamed to its place."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    unfinished: Mapping[str, str] = field(default_factory=dict)

    @property
    def root(self) -> str:
        return merkle_root(self.entries.values())


class SealsError(ValueError):
    """The seals file is not one; the text says why."""


def merkle_root(entries: Iterable[Entry]) -> str:
    """SHA-256 Merkle root of the entries by id, "" for none.

    A leaf is H(0 || id, number, state, tombstone, each ended by a line feed), an inner node
    H(1 || left || right); the last of an odd row goes up as it is (RFC 9162 in shape).
    """
    row = [
        hashlib.sha256(
            f"\0{entry.id}\n{entry.number}\n{entry.state}\n{entry.tombstone}\n".encode()
        ).digest()
        for entry in sorted(entries, key=lambda entry: entry.id)
    ]
    while len(row) > 1:
        pairs = [
            hashlib.sha256(b"\1" + row[at] + row[at + 1]).digest()
            for at in range(0, len(row) - 1, 2)
        ]
        row = pairs + row[len(row) & ~1 :]
    return row[0].hex() if row else ""


def render(seals: Seals) -> bytes:
    """The seals file: JSON, one memory a line in the order of entry."""
    ordered = sorted(seals.entries.values(), key=lambda entry: entry.number)
    rows = [json.dumps([e.id, e.number, e.state, e.tombstone]) for e in ordered]
    head = json.dumps(
        {"format": FORMAT, "root": seals.root, "unfinished": dict(sorted(seals.unfinished.items()))}
    )
    lines = ",\n".join(rows)
    return f'{head[:-1]}, "entries": [\n{lines}\n]}}\n'.encode()


def parse(data: bytes) -> Seals:
    """Raises SealsError for what is not whole, or whose root is not that of its entries."""
    try:
        value: dict[str, Any] = json.loads(data)
        if isinstance(value["format"], int) and value["format"] > FORMAT:
            raise SealsError(f"it is of format {value['format']}: a newer Salon wrote it")
        entries = [Entry(*row) for row in value["entries"]]
        seals = Seals({entry.id: entry for entry in entries}, dict(value["unfinished"]))
        whole = all(
            is_id(e.id) and e.state in STATES and e.number == n for n, e in enumerate(entries, 1)
        )
        whole = whole and all(
            at in seals.entries and _inside(file) for at, file in seals.unfinished.items()
        )
        if not whole or len(seals.entries) != len(entries) or seals.root != value["root"]:
            raise SealsError("its root is not that of its entries")
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, SealsError):
            raise
        raise SealsError("it cannot be read") from error
    return seals


def _inside(file: str) -> bool:
    """Whether this names a file that moves begin from."""
    folder, _, name = file.rpartition("/")
    stem = name.removeprefix(".").removesuffix(".part").removesuffix(".md")
    return folder in ("memories", *_FOLDERS.values()) and is_id(stem)


def write_whole(path: Path, data: bytes) -> None:
    """Replaces a file at once: a crash leaves the old one or the new one."""
    part = path.with_name(f".{path.name}.part")
    write_synced(part, data)
    part.replace(path)
    sync_folder(path.parent)


def write_synced(path: Path, data: bytes) -> None:
    """A file whose bytes are on the disk when this returns; a link in its place is not followed."""
    path.unlink(missing_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with os.fdopen(file, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())


def sync_folder(folder: Path) -> None:
    """Makes renames in a folder last, where the system can."""
    if os.name == "nt":
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
