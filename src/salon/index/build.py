"""A folder of sources to a generation: only what changed is read, cut and embedded."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from salon.corpus.cut import cut
from salon.corpus.read import read_sources
from salon.corpus.tokens import CountTokens
from salon.errors import IndexError_, IndexStoppedError, SourceError
from salon.index.changes import Changes, find_changes, known_files, window_keys
from salon.index.disk import explain_writing, require_room, room_for, room_of
from salon.index.embedding import Embedding, Windowing
from salon.index.folder import (
    MANIFEST,
    PASSAGES,
    STORE,
    IndexFolder,
    copy_file,
    copy_folder,
    remove_unused,
    settling,
)
from salon.index.generation import is_sound
from salon.index.manifest import (
    CANARY_TEXTS,
    Manifest,
    check_canaries,
    choose_canaries,
    fingerprint,
    read_manifest,
    same_fingerprint,
    write_manifest,
)
from salon.index.tables import FileRow, Tables
from salon.index.vectors import VectorCache, split_keys
from salon.index.windows import WindowConfig
from salon.ports import (
    BackendContext,
    Embedder,
    Progress,
    StoreFactory,
    StoreShape,
    no_progress,
)
from salon.types import CutterConfig, Source, Vector

# Lexical weights rest on the mean length; when it moved by more, all are computed again.
_DRIFT = 0.1
_REASONS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Setup:
    """What an index is made with. A change of any of it but `read` makes a new index.

    `count` counts tokens as `cutter.tokens` says. `stamp` tells what else than its bytes a file's
    sources depend on (its provenance), as a text that is compared.
    """

    embedder: Embedder
    cutter: CutterConfig
    count: CountTokens
    language: str = "en"
    windows: WindowConfig = field(default_factory=WindowConfig)
    read: Callable[[Path, str], Iterable[Source]] = read_sources
    stamp: Callable[[str], str] = field(default=lambda name: "")

    def made(self, manifest: Manifest, probes: Vector) -> bool:
        """Whether an index with this manifest can be carried on."""
        return (
            manifest.embedder == self.embedder.id
            and manifest.cutter == self.cutter
            and manifest.windows == self.windows
            and manifest.language == self.language
            and same_fingerprint(manifest.fingerprint, probes)
        )


@dataclass(frozen=True, slots=True)
class BuildReport:
    """`vectors` counts windows: `embedded` were computed now, `reused` were in the cache.

    `refused` names the files that could not be used. `repeated` names sources that were left out
    because another has the same text.
    """

    generation: str
    sources: int
    passages: int
    vectors: int
    embedded: int
    reused: int
    refused: tuple[SourceError, ...]
    repeated: tuple[str, ...]
    seconds: float
    unchanged: bool


def build(
    folder: Path,
    sources: Path,
    setup: Setup,
    open_store: StoreFactory,
    context: BackendContext,
    *,
    rebuild: bool = False,
    stop: threading.Event | None = None,
    progress: Progress = no_progress,
) -> BuildReport:
    """Index the files below `sources` into `folder` (index/<persona>) and make it current.

    Whatever goes wrong, the generation that was current stays so, and vectors that were finished
    are kept for the next time. Raises IndexBusyError when another process builds, IndexStoppedError
    when `stop` was set, IndexError_ when no file can be used or the disk is full.
    """
    place = IndexFolder(folder)
    with explain_writing(folder), place.building():
        place.sweep_aborted()
        with closing(VectorCache(place.cache)) as cache:
            work = _Work(
                place,
                sources,
                setup,
                open_store,
                context,
                cache,
                stop or threading.Event(),
                progress,
            )
            return work.run(rebuild)


@dataclass(slots=True)
class _Work:
    """One run of `build`."""

    place: IndexFolder
    sources: Path
    setup: Setup
    open_store: StoreFactory
    context: BackendContext
    cache: VectorCache
    stop: threading.Event
    progress: Progress
    started: float = field(default_factory=time.monotonic)
    refused: list[SourceError] = field(default_factory=list)

    def run(self, rebuild: bool) -> BuildReport:
        probes = self.setup.embedder.embed(CANARY_TEXTS)
        self.cache.trust(self.setup.embedder.id, probes)
        base = None if rebuild else self._base(probes)
        known = known_files(base[0] / PASSAGES) if base else {}
        changes = find_changes(self.sources, known, self.setup.stamp)
        if base and not (changes.changed or changes.removed):
            return self._unchanged(base[1])
        # With the new one, the current generation is kept; removing others takes its time.
        with ThreadPoolExecutor(1, "index-sweeper") as sweeper:
            swept = sweeper.submit(remove_unused, self.place.superseded())
            report = self._built(base, changes, probes)
        swept.result()
        return report

    def _built(
        self, base: tuple[Path, Manifest] | None, changes: Changes, probes: Vector
    ) -> BuildReport:
        generation = self.place.new_generation()
        try:
            return self._generation(generation, base, changes, probes)
        finally:
            # Not when it was published, even if something went wrong after that.
            if self.place.current_name() != generation.name:
                shutil.rmtree(generation, ignore_errors=True)

    def _base(self, probes: Vector) -> tuple[Path, Manifest] | None:
        """The current generation, when it is sound and was made with the same setup."""
        try:
            current = self.place.current()
            manifest = read_manifest(current / MANIFEST, self.place.command)
        except IndexError_:
            return None  # whatever is wrong with it, a new one takes its place
        sound = self.setup.made(manifest, probes) and is_sound(
            self.place.path, self.setup.embedder, self.open_store, self.context
        )
        return (current, manifest) if sound else None

    def _generation(
        self, generation: Path, base: tuple[Path, Manifest] | None, changes: Changes, probes: Vector
    ) -> BuildReport:
        """Fill the folder `generation` and publish it."""
        if base:
            copy_file(base[0] / PASSAGES, generation / PASSAGES)
        with closing(Tables(generation / PASSAGES)) as tables:
            new = self._texts(tables, changes)
            gone = tables.left_over()
            tables.drop_tokens(gone)
            _, passages, _, average = tables.totals()
            if not passages:
                raise self._nothing(changes)
            if base and not (new or gone or tables.altered):
                return self._unchanged(base[1])
            if base and abs(average - base[1].average) <= _DRIFT * base[1].average:
                average = base[1].average
                require_room(generation, room_of(base[0] / STORE))
                with settling(base[0]):
                    copy_folder(base[0] / STORE, generation / STORE)
                work = self._embedding(tables, generation, average, make=False)
            else:
                new, gone = tables.all_keys(), []
                work = self._embedding(tables, generation, average, make=True)
            with closing(work.store):
                canaries = self._fill(work, new, gone)
            tables.commit()
            manifest = self._manifest(generation, tables, average, canaries, probes)
            repeated = tables.repeated()
        write_manifest(manifest, generation / MANIFEST)
        self.place.publish(generation)
        self.cache.prune(manifest.vectors, partial(window_keys, generation / PASSAGES))
        return self._report(manifest, work.embedded, repeated, unchanged=False)

    def _texts(self, tables: Tables, changes: Changes) -> list[int]:
        """Bring the tables up to date; returns the keys of passages that have no vectors yet."""
        names = [row.name for row, _ in changes.changed]
        files = {row.name: (row, path) for row, path in changes.changed}
        waiting = tables.waiting_for([*names, *changes.removed])
        for name in sorted(waiting - files.keys() - set(changes.removed)):
            files[name] = (tables.files()[name], changes.paths[name])
        for name in (*files, *changes.removed):
            tables.take_out(name)
        for row in changes.touched:
            tables.touch(row)
        new: list[int] = []
        windowing = self._windowing()
        for done, (row, path) in enumerate(files.values()):
            self.progress("read", done, len(files))
            new += self._file(tables, windowing, row, path)
        self.progress("read", len(files), len(files))
        tables.commit()
        return new

    def _file(self, tables: Tables, windowing: Windowing, row: FileRow, path: Path) -> list[int]:
        """Read one file, cut it and put it in."""
        self._heed_stop()
        new: list[int] = []
        try:
            for source in self.setup.read(path, row.name):
                self._heed_stop()
                sha256 = source.info.sha256
                tables.touch(FileRow(row.name, row.size, row.mtime, sha256, row.stamp))
                new += self._source(tables, windowing, row.name, source)
        except SourceError as error:
            # A file may fail in its middle: then nothing of it stays.
            self.refused.append(error)
            tables.take_out(row.name, set(new))
            return []
        return new

    def _source(self, tables: Tables, windowing: Windowing, file: str, source: Source) -> list[int]:
        if tables.has_source(source.info.id):
            tables.leave_out(file, source)
            return []
        prepared = []
        for passage in cut(source, self.setup.cutter, self._count):
            self._heed_stop()
            prepared.append(windowing.prepare(passage))
        return tables.put_in(file, source, prepared)

    def _heed_stop(self) -> None:
        """One file may be a whole library, so this is asked within files too."""
        if self.stop.is_set():
            raise IndexStoppedError("indexing was stopped", cure="run it again")

    def _count(self, texts: Sequence[str]) -> list[int]:
        self._heed_stop()
        return self.setup.count(texts)

    def _windowing(self) -> Windowing:
        return Windowing(self.setup.embedder, self.setup.windows, self.setup.language)

    def _embedding(
        self, tables: Tables, generation: Path, average: float, *, make: bool
    ) -> Embedding:
        shape = (
            StoreShape(self.setup.embedder.id.dimensions, self.setup.windows.fields)
            if make
            else None
        )
        return Embedding(
            windowing=self._windowing(),
            tables=tables,
            cache=self.cache,
            store=self.open_store(str(generation / STORE), self.context, shape),
            average=average,
            progress=self.progress,
            stop=self.stop,
        )

    def _fill(self, work: Embedding, new: Sequence[int], gone: Sequence[int]) -> tuple[int, ...]:
        """Bring the store up to date and prove it; returns the canaries."""
        dimensions = self.setup.embedder.id.dimensions
        require_room(self.place.path, room_for(work.tables.windows_of(new), dimensions))
        work.store.delete(gone)
        work.run(new)
        self.progress("optimise", 0, 1)
        work.store.optimize()
        work.store.flush()
        self.progress("optimise", 1, 1)
        expected = work.tables.totals()[1]
        if (held := work.store.count()) != expected:
            raise IndexError_(
                f"the vector store holds {held} passages", expected=str(expected),
                cure=f"run `{self.place.command} --rebuild`",
            )  # fmt: skip
        canaries = choose_canaries(work.tables.singles())
        check_canaries(work.store, canaries, self._own_vectors(work, canaries), self.place.command)
        return canaries

    def _own_vectors(self, work: Embedding, keys: Sequence[int]) -> list[Vector]:
        """The vector of each passage's first window of the shortest kind."""
        rows = [work.tables.row(key) for key in keys]
        firsts = [split_keys(row.narrow or row.wide)[0] for row in rows]
        vectors = work.known(firsts)
        return [vectors[first] for first in firsts]

    def _manifest(
        self,
        generation: Path,
        tables: Tables,
        average: float,
        canaries: tuple[int, ...],
        probes: Vector,
    ) -> Manifest:
        sources, passages, vectors, _ = tables.totals()
        return Manifest(
            generation=generation.name,
            embedder=self.setup.embedder.id,
            fingerprint=fingerprint(probes),
            cutter=self.setup.cutter,
            windows=self.setup.windows,
            language=self.setup.language,
            average=average,
            sources=sources,
            passages=passages,
            vectors=vectors,
            built_at=datetime.now(UTC).isoformat(timespec="seconds"),
            canaries=canaries,
        )

    def _unchanged(self, manifest: Manifest) -> BuildReport:
        return self._report(manifest, 0, (), unchanged=True)

    def _report(
        self,
        manifest: Manifest,
        embedded: int,
        repeated: tuple[str, ...],
        *,
        unchanged: bool,
    ) -> BuildReport:
        return BuildReport(
            generation=manifest.generation,
            sources=manifest.sources,
            passages=manifest.passages,
            vectors=manifest.vectors,
            embedded=embedded,
            reused=manifest.vectors - embedded,
            refused=tuple(self.refused),
            repeated=repeated,
            seconds=time.monotonic() - self.started,
            unchanged=unchanged,
        )

    def _nothing(self, changes: Changes) -> IndexError_:
        """No file could be used: say why, with the first reasons."""
        if not changes.paths:
            return IndexError_(
                f"there is no file in {self.sources}",
                expected="the person's writings: txt, md, html, epub, pdf, json, jsonl",
                cure=f"put files there and run `{self.place.command}`",
            )
        reasons = "\n".join(str(error) for error in self.refused[:_REASONS_SHOWN])
        return IndexError_(
            f"none of the {len(changes.paths)} files in {self.sources} can be indexed:\n{reasons}",
            expected="at least one file with the person's words",
        )
