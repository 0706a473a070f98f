"""The ledger of one persona: memories are added, and never changed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from salon.errors import InputError, MemoryBusyError, MemorySealError, NotFoundError
from salon.memory import seals as sealing
from salon.memory.check import (
    FOLDERS,
    Report,
    Stamp,
    check,
    examine,
    place_of,
    read_bytes,
    stamp_of,
    without_seals,
)
from salon.memory.form import FormError, render, sealed
from salon.memory.seals import Entry, Seals, SealsError
from salon.types.memory import Memory

_LOCK = ".lock"
_CHECKED = ".checked.json"
_PATIENCE = 30.0
_TRIES = 20
_SHORTEST_PREFIX = 6
_CURE = "run `salon memory verify {persona}`; put the files back from a copy, then verify again"


class Ledger:
    """`folder` is `personas/<id>/memory`; it need not exist, and reading never makes it.

    A change is begun by a new seals file and ended by a rename; one that was interrupted in between
    is finished by the next change and is no fault until then. Changes wait for each other.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, tuple[Stamp, Memory]] = {}
        self._last: tuple[bytes, Seals] | None = None

    # --- reading ------------------------------------------------------------------------------

    def verify(self, *, deep: bool = False) -> Report:
        """Compares the files with the seals; reads all of them when `deep`, else what changed."""
        report = without_seals(self.folder)
        for attempt in range(_TRIES):
            before = self._sealed_bytes()
            report = self._examined(before, deep)
            if report.sound or not self._moving(before):
                return report
            time.sleep(0.02 * (attempt > 0))
        return report

    def entries(self) -> tuple[Entry, ...]:
        """What was sealed, in the order of entry; raises MemorySealError for damaged seals."""
        return tuple(self._seals(self._sealed_bytes()).entries.values())

    def memories(self, *states: str) -> Iterator[Memory]:
        """The memories of these states (none named: the active ones), newest entry first.

        Raises MemorySealError at the first one that is not what was sealed.
        """
        entries = self.entries()
        for entry in entries:
            if entry.state == "redacted":  # by another process: its text leaves this one too
                self._known.pop(entry.id, None)
        for entry in reversed(entries):
            if entry.state in (states or ("active",)):
                yield self.memory(entry)

    def find(self, reference: str) -> tuple[Entry, Memory]:
        """The memory with this id, or with an id that begins so (at least 6 digits)."""
        entry = _found(self.entries(), reference)
        return entry, self.memory(entry)

    def memory(self, entry: Entry) -> Memory:
        """The entry's memory, checked; read again only when its file changed.

        Raises MemorySealError when it is not what was sealed.
        """
        why = ""
        seals, now, path = Seals(), entry, self.folder / entry.place
        for attempt in range(_TRIES):
            if attempt:  # the seals are looked at only when a change may have gone on meanwhile
                seals = self._seals(self._sealed_bytes())
                now = seals.entries.get(entry.id, entry)
                path = self.folder / place_of(self.folder, seals, now)
            try:
                stamp = stamp_of(path.lstat())
                known = self._known.get(entry.id)
                if known is not None and known[0] == stamp:
                    return known[1]
                found = check(read_bytes(path), now)
            except FormError as error:
                why = str(error)
            except FileNotFoundError:
                why = "removed"
            except OSError as error:
                why = f"cannot be read: {error.strerror}"
            else:
                self._known[entry.id] = (stamp, found)
                return found
            time.sleep(0.02 * (attempt > 0))
            if attempt > 1 and not seals.unfinished:
                break
        return self._refuse((f"{entry.place}: {why}",))

    # --- changing -----------------------------------------------------------------------------

    def learn(self, *memories: Memory) -> tuple[Memory, ...]:
        """Adds memories and returns them with their ids; one that is there already stays as it is.

        Raises InputError for what cannot be kept, MemorySealError when a file is damaged (nothing
        is added then), MemoryBusyError when another process writes for 30 seconds.
        """
        kept = tuple(sealed(memory) for memory in memories)
        with self._changing() as (seals, stamps):
            entries = dict(seals.entries)
            begun: dict[str, str] = {}
            for memory in kept:
                _refuse_unfit(memory, entries)
                self._refuse_other_person(memory, kept, entries)
                if memory.id in entries:
                    continue
                begun[memory.id] = f"memories/.{memory.id}.part"
                sealing.write_synced(self.folder / begun[memory.id], render(memory))
                entries[memory.id] = Entry(memory.id, len(entries) + 1, "active")
            if begun:
                self._commit(entries, begun, stamps)
        return kept

    def archive(self, reference: str) -> Entry:
        """Takes a memory out of use and keeps its file in `memories/archive/`."""
        return self._to_state(reference, "active", "archived")

    def restore(self, reference: str) -> Entry:
        """Brings an archived memory back into use."""
        return self._to_state(reference, "archived", "active")

    def redact(self, reference: str, *, now: datetime | None = None) -> Entry:
        """Takes a memory's text away for good; a sealed tombstone with its id stays.

        The tombstone keeps the kind, when the text went, and which memory it had replaced: neither
        text, author, person, room, message, tags nor the time when it was learnt.
        """
        with self._changing() as (seals, stamps):
            entry = _found(tuple(seals.entries.values()), reference)
            if entry.state == "redacted":
                return entry
            memory = self.memory(entry)
            tomb = render(
                Memory(
                    id=memory.id,
                    text="",
                    kind=memory.kind,
                    created=now or datetime.now(UTC),
                    redacted=True,
                    replaces=memory.replaces,
                )
            )
            after = replace(entry, state="redacted", tombstone=hashlib.sha256(tomb).hexdigest())
            part = f"memories/.{entry.id}.part"
            sealing.write_synced(self.folder / part, tomb)
            self._known.pop(entry.id, None)
            stamps.pop(entry.id, None)
            self._commit({**seals.entries, entry.id: after}, {entry.id: part}, stamps, entry.place)
            return after

    # --- inside -------------------------------------------------------------------------------

    def _to_state(self, reference: str, before: str, after: str) -> Entry:
        with self._changing() as (seals, stamps):
            entry = _found(tuple(seals.entries.values()), reference)
            if entry.state == after:
                return entry
            if entry.state != before:
                raise InputError(
                    f"the memory {entry.id[:12]} is {entry.state}", expected=f"one that is {before}"
                )
            moved = replace(entry, state=after)
            self._commit({**seals.entries, entry.id: moved}, {entry.id: entry.place}, stamps)
            return moved

    @contextmanager
    def _changing(self) -> Iterator[tuple[Seals, dict[str, Stamp]]]:
        """The seals under the lock, with every file checked and what was begun before finished."""
        from filelock import FileLock, Timeout

        if self.folder.is_symlink() or any((self.folder / name).is_symlink() for name in FOLDERS):
            self._refuse(self._examined(self._sealed_bytes(), deep=False).faults)
        for name in FOLDERS:
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.folder / _LOCK, timeout=_PATIENCE, is_singleton=False):
                data = self._sealed_bytes()
                report = self._examined(data, deep=False)
                if not report.sound:
                    self._refuse(report.faults)
                seals = self._seals(data)
                self._finish(seals)
                yield Seals(seals.entries), dict(report.stamps)
        except Timeout as error:
            raise MemoryBusyError(
                f"another process writes to the memory in {self.folder}",
                cure="wait for it to end, then run this again",
            ) from error

    def _commit(
        self,
        entries: Mapping[str, Entry],
        begun: Mapping[str, str],
        stamps: dict[str, Stamp],
        leftover: str = "",
    ) -> None:
        """The new seals are the decision; the renames after it only carry it out."""
        seals = Seals(entries, begun)
        file = self.folder / sealing.FILE
        sealing.write_whole(file, sealing.render(seals))
        self._finish(seals)
        if leftover and leftover not in {entries[at].place for at in begun}:
            (self.folder / leftover).unlink(missing_ok=True)
        sealing.write_whole(file, sealing.render(Seals(entries)))
        for at in begun:
            stamps[at] = stamp_of((self.folder / entries[at].place).lstat())
        part = self.folder / f"{_CHECKED}.part"
        part.write_text(json.dumps(stamps), encoding="utf-8")
        part.replace(self.folder / _CHECKED)

    def _finish(self, seals: Seals) -> None:
        for at, begun in seals.unfinished.items():
            source, target = self.folder / begun, self.folder / seals.entries[at].place
            if source != target and source.exists():
                source.replace(target)
            for name in FOLDERS:
                other = self.folder / name / target.name
                if other != target and target.exists():
                    other.unlink(missing_ok=True)
        if seals.unfinished:
            for name in FOLDERS:
                sealing.sync_folder(self.folder / name)
        for left in (self.folder / "memories").glob(".*.part"):
            left.unlink()

    def _refuse_other_person(
        self, memory: Memory, together: Sequence[Memory], entries: Mapping[str, Entry]
    ) -> None:
        if not memory.replaces or entries[memory.replaces].state == "redacted":
            return
        old = next((m for m in together if m.id == memory.replaces), None)
        about = (old or self.memory(entries[memory.replaces])).about
        if about.casefold() != memory.about.casefold():
            raise InputError(
                f"the memory {memory.replaces[:12]} is about another person",
                expected="a correction about the same person as what it corrects",
            )

    def _sealed_bytes(self) -> bytes:
        file = self.folder / sealing.FILE
        if file.is_symlink():
            self._refuse((f"{sealing.FILE}: it is a link",))
        try:
            return file.read_bytes()
        except FileNotFoundError:
            return b""

    def _seals(self, data: bytes) -> Seals:
        if not data:
            report = without_seals(self.folder)
            return Seals() if report.sound else self._refuse(report.faults)
        last = self._last
        if last is not None and last[0] == data:
            return last[1]
        try:
            seals = sealing.parse(data)
            self._last = (data, seals)
            return seals
        except SealsError as error:
            return self._refuse((f"{sealing.FILE}: {error}",))

    def _examined(self, data: bytes, deep: bool) -> Report:
        try:
            seals = self._seals(data)
        except MemorySealError as error:
            return Report("", 0, 0, error.faults, {})
        return examine(self.folder, seals, {} if deep else self._stamps(), deep)

    def _moving(self, before: bytes) -> bool:
        """Whether a writer was at work meanwhile, so that what was seen may be a mixture."""
        if self._sealed_bytes() != before:
            return True
        try:
            return bool(sealing.parse(before).unfinished) if before else False
        except SealsError:
            return False

    def _stamps(self) -> dict[str, Stamp]:
        """What was checked before. Only a saving of time: without it all files are read."""
        try:
            value = json.loads((self.folder / _CHECKED).read_bytes())
            return {str(at): (int(a), int(b), int(c)) for at, (a, b, c) in value.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _refuse(self, faults: tuple[str, ...]) -> NoReturn:
        raise MemorySealError(
            f"the memory in {self.folder} is not what was sealed",
            faults=faults,
            cure=_CURE.format(persona=self.folder.parent.name),
        )


def _refuse_unfit(memory: Memory, entries: Mapping[str, Entry]) -> None:
    there = entries.get(memory.id)
    if there is not None and there.state in ("redacted", "archived"):
        raise InputError(
            f"this memory is there and {there.state}",
            expected="a new memory",
            cure="" if there.state == "redacted" else f"restore it: its id is {there.id[:12]}",
        )
    if memory.replaces and memory.replaces not in entries:
        raise InputError(
            f"there is no memory {memory.replaces[:12]} to replace",
            expected="the id of a memory of this persona",
        )


def _found(entries: Sequence[Entry], reference: str) -> Entry:
    wanted = reference.strip().lower()
    fits = [entry for entry in entries if entry.id.startswith(wanted)]
    if len(wanted) < _SHORTEST_PREFIX or not fits:
        raise NotFoundError(
            f"there is no memory {reference[:80]!r}",
            expected=f"an id, or at least its first {_SHORTEST_PREFIX} digits",
            cure="`salon memory list` shows them",
        )
    if len(fits) > 1:
        raise InputError(
            f"{len(fits)} memories have an id that begins with {wanted}",
            expected="more of its digits",
        )
    return fits[0]
