from __future__ import annotations

from pathlib import Path

import pytest

from salon.corpus.guess import guess_cutter
from salon.corpus.read import read_folder
from tests.corpus.making import source_of
from tests.corpus.test_sections import PROSE


def guessed(folder: Path, text: str) -> tuple[str, str]:
    config, why = guess_cutter([source_of(folder, text)])
    return config.strategy, why


def test_running_prose(tmp_path: Path) -> None:
    assert guessed(tmp_path, f"{PROSE}\n" * 40)[0] == "prose"


def test_poems_are_whole(tmp_path: Path) -> None:
    poem = "The rain it came,\nThe rain it went,\n\nAnd nobody\nWas ill content.\n\n\n\n"
    strategy, why = guessed(tmp_path, "".join(f"{n}.\n\n{poem}" for n in range(1, 60)))
    assert (strategy, why) == ("whole", "100% of the text is verse")


def test_speeches_are_topics(tmp_path: Path) -> None:
    turn = "CC: Go ahead, you are good.\n\nCDR: Roger. We are going ahead.\n\n"
    assert guessed(tmp_path, turn * 100)[0] == "topics"


def test_numbered_notes_are_fragments(tmp_path: Path) -> None:
    assert guessed(tmp_path, "".join(f"{n}.\n\n{PROSE}\n" for n in range(1, 90)))[0] == "fragments"


def test_a_library_of_kinds_is_genres(tmp_path: Path) -> None:
    poem = "The rain it came,\nThe rain it went,\nAnd nobody\nWas ill content.\n\n"
    turn = "CC: Go ahead, you are good.\n\nCDR: Roger. We are going ahead.\n\n"
    sources = [
        source_of(tmp_path, PROSE * 60, "a.txt"),
        source_of(tmp_path, poem * 250, "b.txt"),
        source_of(tmp_path, turn * 150, "c.txt"),
    ]
    assert guess_cutter(sources)[0].strategy == "genres"


def test_many_short_documents_are_whole(tmp_path: Path) -> None:
    sources = [source_of(tmp_path, f"Letter {n}.\n\n{PROSE}", f"{n}.txt") for n in range(8)]
    assert guess_cutter(sources)[0].strategy == "whole"


@pytest.mark.parametrize(
    ("corpus", "strategy"),
    [
        ("franklin", "prose"),
        ("thoreau", "prose"),
        ("plato", "prose"),
        ("nietzsche", "prose"),
        ("dickinson", "whole"),
        ("leonardo", "fragments"),
        ("transcripts", "topics"),
    ],
)
def test_real_corpora(data: Path, corpus: str, strategy: str) -> None:
    sources = read_folder(data / "corpora" / corpus).sources
    assert guess_cutter(sources)[0].strategy == strategy
