"""The ledger: what is lost, changed or added is named, and no crash leaves a mixture."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from salon.errors import InputError, MemorySealError, NotFoundError
from salon.memory import seals as sealing
from salon.memory.ledger import Ledger
from tests.memory.test_form import memory

_WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from salon.memory.ledger import Ledger
from salon.types import Memory
ledger = Ledger(Path(sys.argv[1]))
for n in range(int(sys.argv[3])):
    text = f"{sys.argv[2]} {n}"
    kept = ledger.learn(Memory("", text, "fact", datetime.now(UTC)))[0]
    if len(sys.argv) > 4:
        ledger.archive(kept.id)
        ledger.redact(kept.id)
    print(kept.id, flush=True)
"""


def writer(folder: Path, name: str, count: int, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(folder), name, str(count), *more],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    ledger = Ledger(tmp_path / "franklin" / "memory")
    ledger.learn(*(memory(f"memory {n}") for n in range(4)))
    return ledger


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def file_of(ledger: Ledger, at: int) -> Path:
    return ledger.folder / ledger.entries()[at].place


def test_memories_come_back_newest_entry_first_whatever_the_clock_said(ledger: Ledger) -> None:
    from datetime import timedelta

    late = memory("set back")
    ledger.learn(memory("set back", created=late.created - timedelta(days=900)))
    assert [m.text for m in ledger.memories()][:2] == ["set back", "memory 3"]


def test_reading_makes_no_file(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "memory")
    assert list(ledger.memories()) == []
    assert ledger.verify(deep=True).sound
    assert list(tmp_path.iterdir()) == []


def test_reading_a_ledger_writes_nothing(ledger: Ledger) -> None:
    before = files(ledger.folder)
    (ledger.folder / ".checked.json").unlink()
    fresh = Ledger(ledger.folder)
    assert fresh.verify().hashed == 4
    assert len(list(fresh.memories())) == 4
    del before[".checked.json"]
    assert files(ledger.folder) == before


def test_only_what_changed_is_hashed(ledger: Ledger) -> None:
    assert ledger.verify().hashed == 0
    file_of(ledger, 0).touch()
    assert ledger.verify().hashed == 1
    assert ledger.verify(deep=True).hashed == 4


def edited(ledger: Ledger) -> str:
    path = file_of(ledger, 1)
    path.write_bytes(path.read_bytes().replace(b"memory 1", b"memory 9"))
    return f"memories/{path.name}: edited"


def removed(ledger: Ledger) -> str:
    path = file_of(ledger, 1)
    path.unlink()
    return f"memories/{path.name}: removed"


def renamed(ledger: Ledger) -> str:
    path = file_of(ledger, 1)
    path.rename(path.with_name("mine.md"))
    return "memories/mine.md: renamed"


def duplicated(ledger: Ledger) -> str:
    shutil.copy(file_of(ledger, 1), ledger.folder / "memories" / "copy.md")
    return "memories/copy.md: duplicated"


def swapped(ledger: Ledger) -> str:
    one, two = file_of(ledger, 1), file_of(ledger, 2)
    one.write_bytes(two.read_bytes())
    return f"memories/{one.name}: edited"


def moved(ledger: Ledger) -> str:
    path = file_of(ledger, 1)
    path.rename(path.parent / "archive" / path.name)
    return f"memories/archive/{path.name}: renamed"


def linked(ledger: Ledger) -> str:
    path = file_of(ledger, 1)
    elsewhere = ledger.folder.parent / "elsewhere.md"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    return f"memories/{path.name}: it is a link: symlinked"


def linked_folder(ledger: Ledger) -> str:
    folder = ledger.folder / "memories"
    folder.rename(ledger.folder / "other")
    folder.symlink_to(ledger.folder / "other")
    return "memories: symlinked"


def added(ledger: Ledger) -> str:
    (ledger.folder / "memories" / "mine.md").write_text("believe me")
    return "memories/mine.md: added"


def emptied(ledger: Ledger) -> str:
    file_of(ledger, 1).write_bytes(b"")
    return f"memories/{file_of(ledger, 1).name}: edited"


def huge(ledger: Ledger) -> str:
    path = file_of(ledger, 1)
    path.write_bytes(path.read_bytes() + b"x" * 50_000_000)
    return f"memories/{path.name}: edited: it is larger"


def piped(ledger: Ledger) -> str:
    path = file_of(ledger, 1)
    path.unlink()
    os.mkfifo(path)
    return f"memories/{path.name}: edited: it is no regular file"


def seals_removed(ledger: Ledger) -> str:
    (ledger.folder / sealing.FILE).unlink()
    return "seals.json: removed"


def seals_edited(ledger: Ledger) -> str:
    path = ledger.folder / sealing.FILE
    path.write_text(path.read_text().replace('"active"', '"archived"', 1))
    return "seals.json: its root"


def seals_cut(ledger: Ledger) -> str:
    path = ledger.folder / sealing.FILE
    path.write_bytes(path.read_bytes()[:-30])
    return "seals.json: it cannot be read"


FAULTS = [edited, removed, renamed, duplicated, swapped, moved, linked, linked_folder, added]
FAULTS += [emptied, huge, piped, seals_removed, seals_edited, seals_cut]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_named_and_stops_every_change(ledger: Ledger, fault) -> None:
    kept = ledger.entries()[0].id
    named = fault(ledger)
    before = {} if fault is piped else files(ledger.folder)
    fresh = Ledger(ledger.folder)
    faults = fresh.verify().faults
    assert [line for line in faults if line.startswith(named)], faults
    changes = [
        lambda: fresh.learn(memory("new")),
        lambda: fresh.archive(kept),
        lambda: fresh.redact(kept),
    ]
    for change in changes:
        with pytest.raises(MemorySealError) as caught:
            change()
        assert caught.value.faults == faults
    assert fault is piped or files(ledger.folder) == before


def test_one_fault_is_one_line(ledger: Ledger) -> None:
    renamed(ledger)
    assert len(ledger.verify().faults) == 1


def test_an_edit_that_keeps_size_and_times_is_seen_by_the_deep_check(ledger: Ledger) -> None:
    path = file_of(ledger, 1)
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"memory 1", b"memory 9"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not ledger.verify(deep=True).sound


def test_reading_an_edited_memory_is_refused(ledger: Ledger) -> None:
    edited(ledger)
    with pytest.raises(MemorySealError):
        list(ledger.memories())


def test_learning_the_same_again_changes_nothing(ledger: Ledger) -> None:
    before = files(ledger.folder)
    ledger.learn(memory("memory 2"))
    assert files(ledger.folder) == before


def test_a_redacted_text_is_nowhere_and_the_seal_holds(ledger: Ledger) -> None:
    secret = ledger.learn(memory("a secret thing", author="Bea", about="bea"))[0]
    ledger.redact(secret.id[:8])
    everything = b"".join(files(ledger.folder).values())
    assert b"secret" not in everything
    assert b'ea"' not in everything
    assert Ledger(ledger.folder).verify(deep=True).sound
    entry, tomb = ledger.find(secret.id)
    assert (entry.state, tomb.text, tomb.redacted, tomb.id) == ("redacted", "", True, secret.id)
    with pytest.raises(InputError, match="redacted"):
        ledger.learn(memory("a secret thing", author="Bea", about="bea"))


def test_a_redacted_text_leaves_another_process_too(ledger: Ledger) -> None:
    secret = ledger.learn(memory("a secret thing"))[0]
    other = Ledger(ledger.folder)
    assert "a secret thing" in [m.text for m in other.memories()]
    ledger.redact(secret.id)
    assert "a secret thing" not in [m.text for m in other.memories()]
    assert secret.id not in other._known


def test_an_archived_memory_can_be_restored_and_redacted(ledger: Ledger) -> None:
    at = ledger.entries()[0].id
    ledger.archive(at)
    assert (ledger.folder / "memories" / "archive" / f"{at}.md").is_file()
    assert at not in {m.id for m in ledger.memories()}
    ledger.restore(at)
    assert at in {m.id for m in ledger.memories()}
    ledger.archive(at)
    ledger.redact(at)
    assert not (ledger.folder / "memories" / "archive" / f"{at}.md").exists()
    assert ledger.verify(deep=True).sound


@pytest.mark.parametrize("reference", ["../../x", "", "abc", "zzzzzzzz", "%" * 64, "/etc/passwd"])
def test_ids_lead_nowhere_else(ledger: Ledger, reference: str) -> None:
    for act in (ledger.find, ledger.redact, ledger.archive, ledger.restore):
        with pytest.raises(NotFoundError):
            act(reference)


def test_seals_cannot_send_a_rename_elsewhere(ledger: Ledger) -> None:
    entry = ledger.entries()[0]
    data = sealing.render(sealing.Seals({entry.id: entry}, {entry.id: "../../x.md"}))
    with pytest.raises(sealing.SealsError):
        sealing.parse(data)


def test_the_root_changes_with_every_part_of_an_entry() -> None:
    first = sealing.Entry("a" * 64, 1, "active")
    others = [
        sealing.Entry("b" * 64, 1, "active"),
        sealing.Entry("a" * 64, 2, "active"),
        sealing.Entry("a" * 64, 1, "archived"),
        sealing.Entry("a" * 64, 1, "active", "c" * 64),
    ]
    assert len({sealing.merkle_root([entry]) for entry in [first, *others]}) == 5
    assert sealing.merkle_root([first, others[0]]) == sealing.merkle_root([others[0], first])


def test_a_correction_is_about_the_same_person(ledger: Ledger) -> None:
    first = ledger.learn(memory("Call me Anna", about="ana"))[0]
    with pytest.raises(InputError, match="another person"):
        ledger.learn(memory("Call me Ana", about="bea", replaces=first.id))
    with pytest.raises(InputError, match="no memory"):
        ledger.learn(memory("Call me Ana", about="ana", replaces="0" * 64))


def test_two_processes_learn_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    both = [writer(folder, name, 12) for name in ("one", "two")]
    said = {line for process in both for line in process.communicate()[0].split()}
    assert [process.returncode for process in both] == [0, 0]
    ledger = Ledger(folder)
    assert len(said) == 24
    assert {entry.id for entry in ledger.entries()} == said
    assert ledger.verify(deep=True).sound


@pytest.mark.crash
def test_a_killed_writer_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    for run in range(4):
        process = writer(folder, f"run {run}", 10_000, "archive and redact")
        assert process.stdout is not None
        said = [process.stdout.readline().strip() for _ in range(2 + run)]
        process.send_signal(signal.SIGKILL)
        process.communicate()
        ledger = Ledger(folder)
        assert ledger.verify(deep=True).faults == ()
        assert set(said) <= {entry.id for entry in ledger.entries()}
        ledger.learn(memory(f"after {run}"))
        assert ledger.verify(deep=True).faults == ()
        assert not list((folder / "memories").glob(".*"))


STEPS = ["replace", "fsync", "unlink"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("change", ["learn", "archive", "redact", "redact archived"])
def test_stopped_at_every_step_it_is_the_old_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, change: str
) -> None:
    """Every call of the step fails in turn, as if the power went, until the change succeeds."""
    for stop in range(1, 30):
        ledger = Ledger(tmp_path / f"{stop}" / "memory")
        first = ledger.learn(memory("first secret"))[0]
        if change == "redact archived":
            ledger.archive(first.id)
        act = {
            "learn": lambda ledger=ledger: ledger.learn(memory("second")),
            "archive": lambda ledger=ledger, at=first.id: ledger.archive(at),
        }.get(change, lambda ledger=ledger, at=first.id: ledger.redact(at))
        count = 0
        owner = os if step == "fsync" else Path
        real = getattr(owner, step)

        def failing(*args, real=real, stop=stop, **more):
            nonlocal count
            count += 1
            if count >= stop:
                raise KeyboardInterrupt
            return real(*args, **more)

        with monkeypatch.context() as patch:
            patch.setattr(owner, step, failing)
            try:
                act()
            except KeyboardInterrupt:
                pass
            else:
                assert stop > 1
                return
        fresh = Ledger(ledger.folder)
        assert fresh.verify(deep=True).faults == ()
        assert len(list(fresh.memories("active", "archived", "redacted"))) in (1, 2)
        fresh.learn(memory("third"))
        if "redact" in change:
            fresh.redact(first.id)
            assert b"secret" not in b"".join(files(fresh.folder).values())
        assert Ledger(ledger.folder).verify(deep=True).faults == ()
    pytest.fail("the change never came to its end")
