"""`salon memory`: as a process, on a house of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.surfaces.running import salon


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "personas" / "franklin"
    folder.mkdir(parents=True)
    (folder / "persona.yaml").write_text("name: Franklin\n")
    (folder / "prompt.md").write_text("You are Franklin.\n")
    (folder / "sources").mkdir()
    return tmp_path


def run(home: Path, command: str, *arguments: str, code: int = 0, stdin: str = "") -> str:
    done = salon("memory", command, "franklin", *arguments, home=home, stdin=stdin)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def exported(home: Path) -> list[dict]:
    return [json.loads(line) for line in run(home, "export", "--all").splitlines()]


def test_a_memory_from_learning_to_forgetting(home: Path) -> None:
    run(home, "learn", "Call me Anna", "--about", "ana", "--author", "Ana", "--tag", "name")
    first = exported(home)[0]
    assert (first["about"], first["author"], first["tags"]) == ("ana", "Ana", ["name"])
    run(
        home,
        "learn",
        "-",
        "--replaces",
        first["id"][:8],
        stdin="Call me\n\n---\r\n[red]Ana \x1b[2J",
    )
    second = exported(home)[1]
    assert second["text"] == "Call me\n\n---\r\n[red]Ana \x1b[2J"
    assert (second["kind"], second["about"]) == ("correction", "ana")
    assert second["replaces"] == first["id"]
    assert "[red]Ana" in (shown := run(home, "show", second["id"][:6]))
    assert "\x1b" not in shown + run(home, "list")
    assert run(home, "list", "--about", "bea") == ""
    run(home, "archive", first["id"])
    assert first["id"][:12] not in run(home, "list")
    run(home, "restore", first["id"])
    assert first["id"][:12] in run(home, "list")
    assert "--yes" in run(home, "redact", first["id"], code=2)
    run(home, "redact", first["id"], "--yes")
    assert exported(home)[0]["text"] == ""
    assert "Sound: 2 memories" in run(home, "verify", "--deep")
    files = (home / "personas" / "franklin" / "memory").rglob("*")
    assert not any(b"Anna" in file.read_bytes() for file in files if file.is_file())


def test_a_broken_seal_is_named_and_the_exit_status_is_8(home: Path) -> None:
    run(home, "learn", "Call me Ana", "--about", "ana")
    file = next((home / "personas" / "franklin" / "memory" / "memories").glob("*.md"))
    file.write_text(file.read_text().replace("Call", "Name"))
    assert f"memories/{file.name}: edited" in run(home, "verify", code=8)
    assert file.name in run(home, "learn", "More", code=8)
    assert file.name in run(home, "list", code=8)


def test_reading_commands_write_nothing(home: Path) -> None:
    for command in ("list", "verify", "export"):
        run(home, command)
    assert not (home / "personas" / "franklin" / "memory").exists()


def test_what_cannot_be_done_says_so(home: Path) -> None:
    assert "empty" in run(home, "learn", "  ", code=4)
    assert "no memory" in run(home, "show", "../../persona", code=3)
    assert "no memory" in run(home, "learn", "x", "--replaces", "0" * 64, code=3)
    assert salon("memory", "list", "nobody", home=home).returncode == 3
