"""The index folder of a persona: generations, the `current` file, locks. See ARCHITECTURE.md."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from salon.errors import IndexBusyError, IndexError_, IndexMissingError

MANIFEST = "manifest.json"
PASSAGES = "passages.db"
STORE = "store"

_CURRENT = "current"
_LOCK = "lock"
_PID = "lock.pid"
_IN_USE = "in-use.lock"
_SETTLING = "settling.lock"
_CACHE = "vectors.cache"
_SYNCED_AT_ONCE = 8
_BLOCK = 1 << 20
_SETTLED_WITHIN = 60.0
# What copy_file_range says on file systems that cannot: then the bytes go through memory.
_NO_RANGE_COPY = frozenset({errno.EXDEV, errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP})


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """`path` is index/<persona>; its name is what `salon index` is told."""

    path: Path

    @property
    def command(self) -> str:
        return f"salon index {self.path.name}"

    @property
    def cache(self) -> Path:
        return self.path / _CACHE

    @property
    def current_file(self) -> Path:
        return self.path / _CURRENT

    def current_name(self) -> str:
        """The current generation's name; empty when nothing was built yet."""
        return self._named() if self.current_file.is_file() else ""

    def _named(self) -> str:
        """What the `current` file says; bytes that are no name never name a folder."""
        text = self.current_file.read_text("utf-8", errors="replace")
        return text.strip().replace("\0", "\ufffd")

    def current(self) -> Path:
        """The current generation's folder; raises IndexMissingError when nothing was built yet."""
        try:
            name = self._named()
        except FileNotFoundError:
            raise IndexMissingError(
                f"nothing is indexed for '{self.path.name}' yet", cure=f"run `{self.command}`"
            ) from None
        except OSError as error:
            raise IndexError_(
                f"{self.current_file} cannot be read: {error.strerror}",
                expected="an index that this user may read",
                cure="change the permissions of its folder, or index again as its owner",
            ) from error
        if not name or Path(name).name != name or not (self.path / name / MANIFEST).is_file():
            raise IndexError_(
                f"{self.current_file} names '{name}', which is no finished index",
                cure=f"run `{self.command} --rebuild`",
            )
        return self.path / name

    @contextmanager
    def building(self) -> Iterator[None]:
        """Hold the right to build; raises IndexBusyError at once when another process has it."""
        self.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path / _LOCK, timeout=0, is_singleton=False)
        pid = self.path / _PID
        try:
            lock.acquire()
        except Timeout:
            raise IndexBusyError(
                f"'{self.path.name}' is being indexed by another process (pid {_holder(pid)})",
                cure="wait until it is done, or stop it",
            ) from None
        try:
            pid.write_text(str(os.getpid()), "utf-8")
            yield
            pid.unlink(missing_ok=True)
        finally:
            lock.release()

    def new_generation(self) -> Path:
        """An empty folder for a build. Its name sorts after those of the generations before it."""
        numbers = [int(path.name.split("-")[0]) for path in self.generations()]
        path = self.path / f"{max(numbers, default=0) + 1:06d}-{secrets.token_hex(3)}"
        path.mkdir()
        return path

    def generations(self) -> list[Path]:
        """Folders of generations, finished or not, oldest first."""
        return sorted(
            path
            for path in self.path.iterdir()
            if path.is_dir() and path.name.split("-")[0].isdecimal()
        )

    def publish(self, generation: Path) -> None:
        """Make a finished generation the current one, durably and at one stroke."""
        paths = [*generation.rglob("*"), generation]
        # Waiting for the disk file by file would take longer than all of a small change.
        with ThreadPoolExecutor(_SYNCED_AT_ONCE) as pool:
            list(pool.map(_sync, paths))
        marker = self.path / f"{_CURRENT}.new"
        marker.write_text(generation.name + "\n", "utf-8")
        _sync(marker)
        marker.replace(self.current_file)
        _sync(self.path)

    def sweep_aborted(self) -> None:
        """Remove builds that were killed: without a manifest, or finished but never published."""
        current = self.current_name()
        for path in self.generations():
            if path.name > current or not (path / MANIFEST).is_file():
                shutil.rmtree(path)

    def superseded(self) -> list[Path]:
        """Finished generations older than the current one."""
        current = self.current_name()
        return [path for path in self.generations() if path.name < current]


def remove_unused(generations: Sequence[Path]) -> None:
    """Remove generations but for those that somebody has open."""
    for path in generations:
        lock = hold(path)
        if lock is not None:
            lock.release()
            shutil.rmtree(path)


def hold(generation: Path) -> FileLock | None:
    """The right to open the generation's store in place, or None when another opener has it."""
    lock = FileLock(generation / _IN_USE, timeout=0, is_singleton=False)
    try:
        lock.acquire()
    except (Timeout, PermissionError):
        return None
    return lock


@contextmanager
def settling(generation: Path) -> Iterator[None]:
    """Keep opening a store and copying it apart: the engine touches its files as it opens them."""
    lock = FileLock(generation / _SETTLING, timeout=_SETTLED_WITHIN, is_singleton=False)
    try:
        lock.acquire()
    except PermissionError:
        # A folder that cannot be written is not being opened in place either.
        yield
        return
    except Timeout:
        raise IndexBusyError(
            f"the index {generation} is being opened by another process that does not finish",
            cure="stop that process",
        ) from None
    try:
        yield
    finally:
        lock.release()


def copy_folder(source: Path, target: Path) -> None:
    """Copy a folder of files; blocks are shared where the file system can, holes stay holes."""
    target.mkdir()
    for path in sorted(source.iterdir()):
        if path.is_dir():
            copy_folder(path, target / path.name)
        else:
            copy_file(path, target / path.name)


def copy_file(source: Path, target: Path) -> None:
    """Copy one file. The engine's files are mostly holes, which a plain copy would fill."""
    with source.open("rb") as old, target.open("wb") as new:
        size = os.fstat(old.fileno()).st_size
        new.truncate(size)
        for start, end in _stretches(old.fileno(), size):
            _copy_range(old.fileno(), new.fileno(), start, end)


def _stretches(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Where the file has data; all of it where the system does not tell."""
    if not hasattr(os, "SEEK_DATA"):
        yield 0, size
        return
    at = 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # nothing but a hole up to the end
                return
            raise
        at = os.lseek(file, start, os.SEEK_HOLE)
        yield start, at


def _copy_range(old: int, new: int, start: int, end: int) -> None:
    while start < end:
        try:
            done = os.copy_file_range(old, new, end - start, start, start)
        except (AttributeError, OSError) as error:
            if isinstance(error, OSError) and error.errno not in _NO_RANGE_COPY:
                raise
            done = os.pwrite(new, os.pread(old, min(_BLOCK, end - start), start), start)
        if done == 0:
            return
        start += done


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _holder(pid: Path) -> str:
    """The process that a lock's note names; a holder that has just begun is still writing it."""
    for _ in range(40):
        if pid.is_file() and (holder := pid.read_text("utf-8").strip()):
            return holder
        time.sleep(0.05)
    return "unknown"
