"""A folder of files to cleaned sources; what cannot be used is refused by name, one by one."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from salon.corpus.clean import clean
from salon.corpus.extract import Extract
from salon.corpus.formats import extract_file, read_stream
from salon.corpus.language import language_of
from salon.corpus.sections import find_sections
from salon.corpus.streams import LARGE
from salon.errors import SourceError
from salon.ports import Progress, no_progress
from salon.types import ReadOptions, Source, SourceInfo

PROVENANCE = "sources.yaml"
"""The file of a sources folder that tells of the others and is no source itself."""

_BLOCK = 1 << 20
_LIMIT = 1 << 30
_ID_LENGTH = 16
_AS_READ = ReadOptions()
_NOT_FOR_READERS = frozenset({"Thumbs.db", "desktop.ini", "__MACOSX"})


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Sources in the order of their names, and one error for each file that was refused."""

    sources: tuple[Source, ...]
    refused: tuple[SourceError, ...]


def list_files(folder: Path) -> list[tuple[str, Path]]:
    """Every file below `folder` that is not hidden, as (name, path), sorted by name.

    A name is the path below `folder` with '/', control characters escaped. Nothing is opened, so
    files that `read_file` will refuse are listed too, as are links to folders, which are not
    followed, and folders that cannot be entered.
    """
    found: list[tuple[str, Path]] = []
    closed: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=closed.append):
        base = Path(where)
        links = [name for name in folders if (base / name).is_symlink()]
        folders[:] = sorted(name for name in folders if _is_shown(name) and name not in links)
        for file in (*files, *links):
            path = base / file
            if _is_shown(file) and not (file == PROVENANCE and base == folder):
                found.append((_name(path.relative_to(folder)), path))
    for error in closed:
        path = Path(error.filename)
        found.append((_name(path.relative_to(folder)), path))
    return sorted(found)


def _is_shown(name: str) -> bool:
    return not name.startswith((".", "~$")) and name not in _NOT_FOR_READERS


def _name(path: Path) -> str:
    text = os.fsencode(path.as_posix()).decode("utf-8", "replace")
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def file_key(path: Path) -> str:
    """The sha256 of the file's bytes in hexadecimal; raises OSError when it cannot be read."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def read_folder(folder: Path, *, progress: Progress = no_progress) -> ReadResult:
    """Read and clean every file below `folder`; progress counts files as stage "read"."""
    files = list_files(folder)
    sources: list[Source] = []
    refused: list[SourceError] = []
    for done, (name, path) in enumerate(files):
        progress("read", done, len(files))
        try:
            sources += read_file(path, name)
        except SourceError as error:
            refused.append(error)
    progress("read", len(files), len(files))
    return ReadResult(without_duplicates(sources), tuple(refused))


def without_duplicates(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Sources with distinct texts; the first of equals stays, with a note that names the others."""
    kept: dict[str, Source] = {}
    for source in sources:
        same = kept.get(source.info.id)
        if same is None:
            kept[source.info.id] = source
        else:
            note = f"{source.info.name} holds the same text and is not kept a second time"
            kept[source.info.id] = replace(same, notes=(*same.notes, note))
    return tuple(kept.values())


def read_file(path: Path, name: str, options: ReadOptions = _AS_READ) -> list[Source]:
    """The sources of one file at once; see `read_sources`."""
    return list(read_sources(path, name, options))


def read_sources(path: Path, name: str, options: ReadOptions = _AS_READ) -> Iterator[Source]:
    """The sources of one file, each as soon as it is read: one, or for a file of records one a
    record ("letters.jsonl#12"), or one a volume of a text that is too large for one.

    `name` is as `list_files` gives it: the path below the sources folder. Raises SourceError with
    the reason when the file cannot be used, and when it changes while it is read; memory stays
    bounded for texts of any size.
    """
    given = 0
    try:
        with _opened(path, name) as file:
            before = os.fstat(file.fileno())
            if before.st_size > LARGE and (stream := read_stream(file, name, options)):
                sha256, extracts = stream
            else:
                data = file.read(_LIMIT + 1)
                _check_unchanged(file, before, name, len(data))
                sha256, extracts = (
                    hashlib.sha256(data).hexdigest(),
                    extract_file(data, name, options),
                )
            for label, extract in extracts:
                source = _source(extract, label, sha256, options)
                if source is not None:
                    given += 1
                    yield source
            _check_unchanged(file, before, name)
    except OSError as error:
        raise SourceError(
            name,
            f"it cannot be read: {error.strerror or error}",
            expected="a file that this user may read",
            cure="change its permissions, or take it out of the folder",
        ) from error
    if not given:
        raise SourceError(
            name,
            "nothing is left of it after cleaning",
            expected="a file with words in it",
            cure="take it out of the folder, or leave less of it out",
        )


def _opened(path: Path, name: str) -> BinaryIO:
    """The file, when it is an ordinary one inside the sources folder."""
    _check_place(path, name)
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise SourceError(
            name,
            "it is a folder that cannot be entered",
            expected="a folder that this user may read",
            cure="change its permissions, or take it out of the folder",
        )
    if not stat.S_ISREG(status.st_mode):
        raise SourceError(name, "it is not an ordinary file", expected="a file with text")
    if status.st_size > _LIMIT:
        raise SourceError(
            name,
            f"it is {status.st_size / 1e6:.0f} MB large",
            expected=f"at most {_LIMIT / 1e6:.0f} MB",
            cure="divide it into several files",
        )
    return path.open("rb")


def _check_unchanged(
    file: BinaryIO, before: os.stat_result, name: str, length: int | None = None
) -> None:
    now = os.fstat(file.fileno())
    same = (now.st_size, now.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    if not same or length not in (None, before.st_size):
        raise SourceError(
            name,
            "it changed while it was read",
            expected="a file that nobody writes to",
            cure="run it again when the file is finished",
        )


def _check_place(path: Path, name: str) -> None:
    folder = path
    for _ in name.split("/"):
        folder = folder.parent
    if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
        raise SourceError(
            name,
            "it is a link to a place outside the sources folder",
            expected="the file itself",
            cure="copy the file into the folder",
        )


def _source(extract: Extract, name: str, sha256: str, options: ReadOptions) -> Source | None:
    """The cleaned source, or None when nothing is left of it."""
    cleaned = clean(extract, options, name)
    text = cleaned.text
    facts = extract.facts.over(cleaned.facts)
    if not text:
        return None
    info = SourceInfo(
        id=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH],
        name=name,
        title=facts.title or _title_of(name),
        kind=extract.kind,
        sha256=sha256,
        characters=len(text),
        author=facts.author,
        date=facts.date,
        language=facts.language or language_of(text),
        licence=facts.licence,
        origin=facts.origin,
        encoding=extract.encoding,
    )
    return Source(
        info=info,
        text=text,
        parts=cleaned.parts,
        pieces=cleaned.pieces,
        sections=find_sections(cleaned, marked=extract.marked),
        cuts=cleaned.cuts,
        notes=extract.notes + cleaned.notes,
        repairs=cleaned.repairs,
        scans=extract.scans,
    )


def _title_of(name: str) -> str:
    """A title made of the file's name, for want of a better one."""
    stem, _, record = name.rpartition("/")[2].partition("#")
    words = Path(stem).stem.replace("_", " ").replace("-", " ").strip() or stem
    return f"{words} {record}".strip()
