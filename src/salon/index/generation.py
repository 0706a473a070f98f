"""An open generation to search in, and the index that always has the current one."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import threading
import weakref
from contextlib import ExitStack
from pathlib import Path

from salon.errors import IndexError_, IndexMissingError, RetrievalUnavailable
from salon.index.changes import known_files
from salon.index.disk import can_open_in, require_room, room_of
from salon.index.embedding import Windowing
from salon.index.folder import (
    MANIFEST,
    PASSAGES,
    STORE,
    IndexFolder,
    copy_folder,
    hold,
    settling,
)
from salon.index.manifest import (
    CANARY_TEXTS,
    Manifest,
    check,
    check_canaries,
    check_id,
    read_manifest,
)
from salon.index.passages import PassageTable
from salon.ports import BackendContext, Embedder, StoreFactory, VectorStore


class Generation:
    """A generation that was checked and can be searched. It closes when nobody holds it any more.

    A search keeps the generation it began with by holding this object; `close` is for owners who
    know that nobody searches.
    """

    def __init__(
        self, manifest: Manifest, passages: PassageTable, store: VectorStore, resources: ExitStack
    ) -> None:
        self.manifest = manifest
        self.passages = passages
        self.store = store
        self._finalizer = weakref.finalize(self, resources.close)

    def close(self) -> None:
        """Close the store and the table, and let others open them; twice is once."""
        self._finalizer()


def open_current(
    folder: Path, embedder: Embedder, open_store: StoreFactory, context: BackendContext
) -> Generation:
    """Open the current generation of `folder` (index/<persona>) and check it with `embedder`.

    Raises IndexMissingError when nothing was built, IndexMismatchError when it was built with
    another embedder or does not find its own passages, IndexError_ when it is damaged. A store
    that another process has open is copied, and the copy goes when the generation is closed.
    """
    place = IndexFolder(folder)
    return _open(place, place.current(), embedder, open_store, context)


def is_sound(
    folder: Path, embedder: Embedder, open_store: StoreFactory, context: BackendContext
) -> bool:
    """Whether the current generation opens and finds what it holds.

    One that somebody has open was checked as it was opened, and is not checked again.
    """
    place = IndexFolder(folder)
    lock = hold(place.current())
    if lock is None:
        return True
    lock.release()
    try:
        known_files(place.current() / PASSAGES)
        open_current(folder, embedder, open_store, context).close()
    except (IndexError_, sqlite3.DatabaseError):
        return False
    return True


class Index:
    """The index of one persona as a server holds it; `current` is thread-safe."""

    def __init__(
        self, folder: Path, embedder: Embedder, open_store: StoreFactory, context: BackendContext
    ) -> None:
        self._place = IndexFolder(folder)
        self._embedder = embedder
        self._open_store = open_store
        self._context = context
        self._lock = threading.Lock()
        self._generation: Generation | None = None
        self._mark: tuple[int, int] = (0, 0)

    def current(self) -> Generation:
        """The current generation, opened anew when an indexer replaced it.

        Costs one `stat`. Hold the result for as long as one question takes: a generation that was
        replaced closes when the last holder lets it go. Raises as `open_current` does.
        """
        try:
            status = self._place.current_file.stat()
        except OSError:
            self.close()
            self._place.current()  # says what is missing
            raise
        mark = (status.st_ino, status.st_mtime_ns)
        generation = self._generation
        if generation is not None and mark == self._mark:
            return generation
        with self._lock:
            if self._generation is None or mark != self._mark:
                self._generation = self._opened()
                self._mark = mark
            return self._generation

    def _opened(self) -> Generation:
        path = self._place.current()
        held = self._generation
        if held is not None and held.manifest.generation == path.name:
            return held
        return _open(self._place, path, self._embedder, self._open_store, self._context)

    def close(self) -> None:
        """Let go of the generation; searches that hold it finish first."""
        with self._lock:
            self._generation = None


def _open(
    place: IndexFolder,
    path: Path,
    embedder: Embedder,
    open_store: StoreFactory,
    context: BackendContext,
) -> Generation:
    manifest = read_manifest(path / MANIFEST, place.command)
    with ExitStack() as resources:
        passages = PassageTable(path / PASSAGES, place.command)
        resources.callback(passages.close)
        store = _open_store(path, open_store, context, resources, place.command)
        try:
            _check(manifest, embedder, passages, store, place.command)
        except RetrievalUnavailable as error:
            raise IndexError_(error.problem, cure=f"run `{place.command} --rebuild`") from error
        return Generation(manifest, passages, store, resources.pop_all())


def _open_store(
    path: Path,
    open_store: StoreFactory,
    context: BackendContext,
    resources: ExitStack,
    command: str,
) -> VectorStore:
    """Open the store in its place, or a private copy when that is taken or its disk is full."""
    location = path / STORE
    lock = hold(path) if can_open_in(path) else None
    if lock is not None:
        resources.callback(lock.release)
    else:
        private = Path(tempfile.mkdtemp(prefix="salon-"))
        resources.callback(shutil.rmtree, private, ignore_errors=True)
    try:
        with settling(path):
            if lock is None:
                require_room(private, room_of(path / STORE))
                location = private / STORE
                copy_folder(path / STORE, location)
            store = open_store(str(location), context)
    except (IndexMissingError, FileNotFoundError) as error:
        raise IndexError_(
            f"the index in {path} has no vectors: {error}", cure=f"run `{command} --rebuild`"
        ) from error
    except IndexError_ as error:
        if error.cure:
            raise
        raise IndexError_(
            error.problem, expected=error.expected, cure=f"run `{command} --rebuild`"
        ) from error
    resources.callback(store.close)
    return store


def _check(
    manifest: Manifest,
    embedder: Embedder,
    passages: PassageTable,
    store: VectorStore,
    command: str,
) -> None:
    """Embed the canary texts and the canary passages, in one call, and compare."""
    check_id(manifest, embedder.id, command)
    windowing = Windowing(embedder, manifest.windows, manifest.language)
    found = passages.by_keys(manifest.canaries)
    field = manifest.windows.fields[-1]
    own = [windowing.windows(p.text, p.header).texts(field, p.text, p.header)[0] for p, _ in found]
    vectors = embedder.embed([*CANARY_TEXTS, *own])
    check(manifest, embedder.id, vectors[: len(CANARY_TEXTS)], command)
    check_canaries(store, manifest.canaries, list(vectors[len(CANARY_TEXTS) :]), command)
