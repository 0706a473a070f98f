"""sources.yaml."""

from __future__ import annotations

from pathlib import Path

import pytest

from salon.errors import ConfigError
from salon.persona.provenance import read_provenance
from salon.types import Source, SourceInfo


def source(name: str) -> Source:
    info = SourceInfo("id", name, "Own title", "txt", "0" * 64, 4, author="Own author")
    return Source(info, "text", ("",), ())


@pytest.fixture
def said(tmp_path: Path):
    def write(text: str):
        (tmp_path / "sources.yaml").write_text(text, encoding="utf-8")
        return read_provenance(tmp_path)

    return write


def test_without_the_file_sources_stay(tmp_path: Path) -> None:
    known = read_provenance(tmp_path)
    assert list(known.over([source("a.txt")], "a.txt")) == [source("a.txt")]
    assert known.stamp("a.txt") == ""


def test_what_is_said_is_stronger_than_the_file(said) -> None:
    known = said("sources:\n  a.txt: {title: New, date: 1791, author: '', sha256: abc}\n")
    (info,) = [s.info for s in known.over([source("a.txt")], "a.txt")]
    assert (info.title, info.date, info.author, info.sha256) == (
        "New",
        "1791",
        "Own author",
        "0" * 64,
    )
    assert list(known.over([source("b.txt")], "b.txt")) == [source("b.txt")]


def test_records_keep_their_titles(said) -> None:
    known = said("sources:\n  a.jsonl: {title: All of them, author: New}\n")
    found = list(known.over([source("a.jsonl#1"), source("a.jsonl#2")], "a.jsonl"))
    assert {(s.info.title, s.info.author) for s in found} == {("Own title", "New")}


def test_the_stamp_tells_what_is_said(said) -> None:
    first = said("sources:\n  a.txt: {title: A}\n").stamp("a.txt")
    same = said("sources:\n  # a word\n  a.txt: {characters: 7, title: A}\n").stamp("a.txt")
    other = said("sources:\n  a.txt: {title: B}\n").stamp("a.txt")
    assert first == same != other


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("sources: [a]\n", 1, "sources"),
        ("- a\n", 1, "sources"),
        ("sources:\n  a.txt: yes\n", 2, "sources.a.txt"),
        ("sources:\n  a.txt:\n    title: [x]\n", 3, "sources.a.txt.title"),
    ],
)
def test_errors_name_line_and_key(said, text: str, line: int, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        said(text)
    assert (caught.value.line, caught.value.key) == (line, key)


def test_thousands_of_files(said) -> None:
    rows = "".join(
        f"  f{n}.txt: {{title: T{n}, author: A, date: '', licence: ''}}\n" for n in range(5000)
    )
    assert said("sources:\n" + rows).files["f4999.txt"]["title"] == "T4999"
