"""Persona folders made from files."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest
import yaml

from salon.errors import ConfigError, InputError
from salon.persona.create import create_persona

LETTER = (
    "I walked down to the harbour this morning and counted the boats that had come in before the "
    "storm. There were eleven of them, and each had lost something: a sail, an oar, a name.\n\n"
    "My brother says that the sea keeps accounts. I think that it forgets everything it is told, "
    "and that this is why we go on telling it things.\n"
)
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20


@pytest.fixture
def writings(tmp_path: Path) -> Path:
    folder = tmp_path / "writings"
    (folder / "letters").mkdir(parents=True)
    (folder / "letters" / "harbour.txt").write_text(LETTER, encoding="utf-8")
    (folder / "notes.md").write_text(f"# Notes\n\n{LETTER[::1]}\nAnd more.\n", encoding="utf-8")
    return folder


def digest(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_a_persona_is_made_and_originals_are_not_touched(writings: Path, tmp_path: Path) -> None:
    before = digest(writings)
    made = create_persona(tmp_path / "personas", "Ada Quill", [writings])
    assert digest(writings) == before
    assert made.folder == tmp_path / "personas" / "ada-quill"
    assert made.card.id == "ada-quill"
    assert made.card.name == "Ada Quill"
    assert made.sources == 2
    assert made.refused == ()
    copied = digest(made.folder / "sources")
    copied.pop("sources.yaml")
    assert copied == before


def test_the_files_explain_every_guess(writings: Path, tmp_path: Path) -> None:
    made = create_persona(tmp_path / "personas", "quill", [writings])
    text = (made.folder / "persona.yaml").read_text(encoding="utf-8")
    for guess in made.guesses:
        line = next(part for part in text.splitlines() if part.strip().startswith(f"{guess.key}:"))
        assert guess.value in line
        assert " ".join(guess.reason.split()) in line
    assert {guess.key for guess in made.guesses} == {
        "name",
        "nick",
        "language",
        "colour",
        "prefix",
        "cutter",
        "pattern",
    }
    assert made.card.cutter.strategy == next(g.value for g in made.guesses if g.key == "cutter")
    assert "Quill" in (made.folder / "prompt.md").read_text(encoding="utf-8")
    assert not (made.folder / "questions.jsonl").exists()


def test_provenance_of_every_file(writings: Path, tmp_path: Path) -> None:
    (writings / "cover.png").write_bytes(PICTURE)
    made = create_persona(tmp_path / "personas", "quill", [writings])
    listed = yaml.safe_load((made.folder / "sources" / "sources.yaml").read_text(encoding="utf-8"))
    assert set(listed["sources"]) == {"letters/harbour.txt", "notes.md"}
    letter = listed["sources"]["letters/harbour.txt"]
    assert letter["sha256"] == hashlib.sha256(LETTER.encode()).hexdigest()
    assert set(letter) >= {"title", "author", "date", "licence", "origin", "encoding"}
    assert set(listed["left_out"]) == {"cover.png"}


def test_files_that_cannot_be_used_are_left_out_and_named(writings: Path, tmp_path: Path) -> None:
    (writings / "cover.png").write_bytes(PICTURE)
    (writings / "empty.txt").write_bytes(b"")
    made = create_persona(tmp_path / "personas", "quill", [writings])
    assert sorted(name for name, _ in made.refused) == ["cover.png", "empty.txt"]
    assert all(reason for _, reason in made.refused)
    assert not (made.folder / "sources" / "cover.png").exists()
    assert (writings / "cover.png").read_bytes() == PICTURE


def test_records_of_a_json_file_are_one_entry(tmp_path: Path) -> None:
    file = tmp_path / "poems.jsonl"
    rows = [{"title": f"Poem {n}", "text": f"{LETTER} {n}"} for n in range(5)]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    made = create_persona(tmp_path / "personas", "quill", [file])
    listed = yaml.safe_load((made.folder / "sources" / "sources.yaml").read_text(encoding="utf-8"))
    assert listed["sources"]["poems.jsonl"]["records"] == 5
    assert made.sources == 5


def test_given_values_are_stronger_than_guesses(writings: Path, tmp_path: Path) -> None:
    made = create_persona(
        tmp_path / "personas",
        "quill",
        [writings],
        display_name='Ada "The Gull" Quill',
        language="fr",
        colour="#123456",
    )
    assert (made.card.name, made.card.language, made.card.colour) == (
        'Ada "The Gull" Quill',
        "fr",
        "#123456",
    )


def test_names_of_several_paths_do_not_collide(writings: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.md").write_text(f"# Other\n\n{LETTER.upper()}", encoding="utf-8")
    single = tmp_path / "single.txt"
    single.write_text(LETTER.replace("boats", "ships"), encoding="utf-8")
    made = create_persona(tmp_path / "personas", "quill", [writings, other, single])
    names = set(digest(made.folder / "sources"))
    assert {"notes.md", "other/notes.md", "single.txt", "letters/harbour.txt"} <= names


def test_hidden_files_are_left_alone(writings: Path, tmp_path: Path) -> None:
    (writings / ".git").mkdir()
    (writings / ".git" / "config").write_text(LETTER, encoding="utf-8")
    (writings / ".DS_Store").write_bytes(b"x")
    made = create_persona(tmp_path / "personas", "quill", [writings])
    assert not any(part.startswith(".") for name in digest(made.folder) for part in name.split("/"))


def test_hard_links(writings: Path, tmp_path: Path) -> None:
    made = create_persona(tmp_path / "personas", "quill", [writings], copy=False)
    assert (made.folder / "sources" / "notes.md").samefile(writings / "notes.md")


def nothing_left(personas: Path) -> bool:
    return not personas.exists() or not any(personas.iterdir())


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "empty folder"),
        ({"a.png": PICTURE, "b.jpg": b"\xff\xd8\xff\xe0" + PICTURE}, "none of the files"),
        ({"a.txt": b"", "b.txt": b"   \n"}, "none of the files"),
        ({".hidden.txt": LETTER.encode()}, "empty folder"),
        ({f"{n}.png": PICTURE for n in range(9)}, "and 4 more"),
    ],
)
def test_nothing_usable_leaves_nothing_behind(
    tmp_path: Path, files: dict[str, bytes], words: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=words):
        create_persona(tmp_path / "personas", "quill", [folder])
    assert nothing_left(tmp_path / "personas")


def test_missing_paths(tmp_path: Path) -> None:
    for bad in ("nowhere", "n" * 5000, "nul\0"):
        with pytest.raises(InputError, match="cannot be used"):
            create_persona(tmp_path / "personas", "quill", [tmp_path / bad])
    with pytest.raises(InputError, match="no sources"):
        create_persona(tmp_path / "personas", "quill", [])
    assert nothing_left(tmp_path / "personas")


def test_a_house_that_cannot_be_written(writings: Path, tmp_path: Path) -> None:
    (tmp_path / "house").write_text("a file in the place of the house")
    with pytest.raises(InputError, match="could not be written: Not a directory") as raised:
        create_persona(tmp_path / "house" / "personas", "ben", [writings])
    assert "--house" in raised.value.cure


def test_a_bad_value_leaves_nothing_behind(writings: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="colour"):
        create_persona(tmp_path / "personas", "quill", [writings], colour="red")
    assert nothing_left(tmp_path / "personas")


def test_a_pipe_is_refused_and_does_not_block(writings: Path, tmp_path: Path) -> None:
    os.mkfifo(writings / "pipe.txt")
    made = create_persona(tmp_path / "personas", "quill", [writings])
    assert [name for name, _ in made.refused] == ["pipe.txt"]


def test_an_existing_persona_is_never_overwritten(writings: Path, tmp_path: Path) -> None:
    made = create_persona(tmp_path / "personas", "quill", [writings])
    before = digest(made.folder)
    with pytest.raises(ConfigError, match="already"):
        create_persona(tmp_path / "personas", "Quill", [writings / "notes.md"])
    assert digest(made.folder) == before
    assert [entry.name for entry in made.folder.parent.iterdir()] == ["quill"]


def test_interrupted_work_leaves_nothing_behind(writings: Path, tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create_persona(tmp_path / "personas", "quill", [writings], progress=stop)
    assert nothing_left(tmp_path / "personas")


GUTENBERG = """\
The Project Gutenberg eBook of Letters, by {author}

Title: Letters

Author: {author}

Language: English

*** START OF THE PROJECT GUTENBERG EBOOK LETTERS ***

{text}

*** END OF THE PROJECT GUTENBERG EBOOK LETTERS ***
"""


def test_the_name_comes_from_the_author_that_most_sources_name(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for n, author in enumerate(["Ada Quill", "Ada Quill", "Someone Else"]):
        text = GUTENBERG.format(author=author, text=f"{LETTER}\nNumber {n}.")
        (folder / f"{n}.txt").write_text(text, encoding="utf-8")
    made = create_persona(tmp_path / "personas", "poet", [folder])
    assert made.card.name == "Ada Quill"
    assert made.card.nick == "Quill"


def test_without_a_majority_the_name_comes_from_the_id(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for n, author in enumerate(["Ada Quill", "Someone Else"]):
        text = GUTENBERG.format(author=author, text=f"{LETTER}\nNumber {n}.")
        (folder / f"{n}.txt").write_text(text, encoding="utf-8")
    assert create_persona(tmp_path / "personas", "two-poets", [folder]).card.name == "Two Poets"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Ada Quill", "Ada Quill"),
        ("  Ada   Quill ", "Ada Quill"),
        ("ada-quill", "Ada Quill"),
        ("../ada quill", "Ada Quill"),
        ("孔子", "孔子"),
    ],
)
def test_names_as_typed(writings: Path, tmp_path: Path, typed: str, expected: str) -> None:
    assert create_persona(tmp_path / "personas", typed, [writings]).card.name == expected
