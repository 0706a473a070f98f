"""The persona folders of a house."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from salon.errors import ConfigError, InputError, NotFoundError
from salon.persona.folders import PersonaFolders


@pytest.fixture
def root(tmp_path: Path) -> Path:
    personas = tmp_path / "personas"
    write(personas, "franklin", "name: Benjamin Franklin\n")
    write(personas, "emily-dickinson", "name: Emily Dickinson\nnick: Emily\n")
    write(personas, "孔子", "name: Confucius\n")
    return personas


def write(root: Path, name: str, text: str) -> None:
    (root / name).mkdir(parents=True, exist_ok=True)
    (root / name / "persona.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("franklin", "franklin"),
        ("Franklin", "franklin"),
        ("benjamin franklin", "franklin"),
        ("EMILY", "emily-dickinson"),
        ("Emily Dickinson", "emily-dickinson"),
        ("dickinson-", None),
        ("孔子", "孔子"),
        ("Confucius", "孔子"),
        ("../franklin", "franklin"),
        ("", None),
        ("x" * 5000, None),
    ],
)
def test_find(root: Path, name: str, expected: str | None) -> None:
    folders = PersonaFolders(root)
    if expected is None:
        with pytest.raises(NotFoundError):
            folders.find(name)
    else:
        assert folders.find(name).id == expected


def test_an_unknown_name_gets_the_nearest(root: Path) -> None:
    with pytest.raises(NotFoundError, match="did you mean 'franklin'") as caught:
        PersonaFolders(root).find("frankiln")
    assert caught.value.known == ("emily-dickinson", "franklin", "孔子")


def test_no_persona_at_all(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="salon new"):
        PersonaFolders(tmp_path / "personas").find("franklin")


def test_a_shared_name_must_be_told_apart(root: Path) -> None:
    write(root, "josiah", "name: Josiah Franklin\n")
    write(root, "deborah", "name: Deborah Franklin\n")
    folders = PersonaFolders(root)
    assert folders.find("franklin").id == "franklin"
    (root / "franklin" / "persona.yaml").unlink()
    (root / "franklin").rmdir()
    with pytest.raises(InputError, match="deborah, josiah"):
        folders.find("Franklin")


def test_a_folder_that_does_not_load_is_a_problem_and_no_persona(root: Path) -> None:
    write(root, "broken", "name: A\nzzz: 1\n")
    (root / "empty").mkdir()
    (root / ".new-abc").mkdir()
    folders = PersonaFolders(root)
    assert [card.id for card in folders.cards()] == ["emily-dickinson", "franklin", "孔子"]
    assert [problem.folder.name for problem in folders.problems()] == ["broken", "empty"]
    with pytest.raises(ConfigError, match="zzz"):
        folders.find("broken")


@contextmanager
def somebody_else() -> Iterator[None]:
    """Root may read everything, so it becomes another user for the block."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)


def test_folders_that_may_not_be_read_are_not_called_empty(root: Path) -> None:
    root.chmod(0)
    folders = PersonaFolders(root)
    with somebody_else():
        for look in (folders.cards, folders.problems, lambda: folders.find("franklin")):
            with pytest.raises(ConfigError, match="cannot be read: Permission denied") as raised:
                look()
            assert not isinstance(raised.value, NotFoundError)
            assert "--house" in raised.value.cure
    root.chmod(0o700)


def test_an_edit_is_seen(root: Path) -> None:
    folders = PersonaFolders(root)
    assert folders.find("franklin").nick == "Franklin"
    write(root, "franklin", "name: Benjamin Franklin\nnick: Ben\n")
    assert folders.find("franklin").nick == "Ben"
    (root / "franklin" / "prompt.md").write_text("Plainly.", encoding="utf-8")
    assert folders.find("franklin").prompt == "Plainly."
    write(root, "franklin", "name: Benjamin Franklin\nnikc: Ben\n")
    with pytest.raises(ConfigError, match="nick"):
        folders.find("franklin")


def test_what_was_not_edited_is_read_once(root: Path) -> None:
    folders = PersonaFolders(root)
    first = folders.find("franklin")
    assert folders.find("franklin") is first
    os.utime(root / "franklin" / "persona.yaml", ns=(1, 1))
    assert folders.find("franklin") is not first
