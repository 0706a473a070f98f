"""Routes from the house's file: which texts take them, and files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from salon.errors import ConfigError
from salon.room.routes import RouteTable, check_routes, load_routes
from salon.types import Route, Routes

TABLE = RouteTable(
    Routes(
        routes=(
            Route("sound", ("son", "field recording", "été"), ("eno", "cage")),
            Route("code", ("C++", "script"), ("turing",)),
            Route("garden", ("庭",), ("cage",)),
        )
    )
)
ALL = {"eno", "cage", "turing"}

FILE = """\
orchestrator: cage
routes:
  - {topic: sound, words: [son], personas: [eno, cage]}
relations: {cage: [eno]}
"""


@pytest.mark.parametrize(
    ("text", "personas"),
    [
        ("le SON, s'il te plaît", ("eno", "cage")),
        ("des sons", ("eno", "cage")),
        ("personne", ()),
        ("field recordings of rain", ("eno", "cage")),
        ("a recording in a field", ()),
        ("cet ete", ("eno", "cage")),
        ("a script for the sound of a son", ("eno", "cage")),
        ("a script", ("turing",)),
        ("私の庭で", ("cage",)),
        ("", ()),
    ],
)
def test_whole_words_without_case_and_accents(text: str, personas: tuple[str, ...]) -> None:
    assert TABLE.match(text, ALL) == personas


def test_who_is_absent_is_left_out_and_a_route_without_anybody_passed_over() -> None:
    assert TABLE.match("son", {"cage", "turing"}) == ("cage",)
    assert TABLE.match("a script of the son", {"turing"}) == ("turing",)
    assert TABLE.match("son", {"turing"}) == ()


def test_the_file_says_the_routes(tmp_path: Path) -> None:
    file = tmp_path / "routes.yaml"
    assert load_routes(file) == Routes()
    file.write_text("", encoding="utf-8")
    assert load_routes(file) == Routes()
    file.write_text(FILE, encoding="utf-8")
    found = load_routes(file)
    assert found == Routes("cage", (Route("sound", ("son",), ("eno", "cage")),), {"cage": ("eno",)})
    check_routes(found, {"cage", "eno"}, file)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("topic:", "subject:", "'topic' is missing"),
        ("words: [son]", "words: son", "son"),
        ("personas: [eno, cage]", "personas: [1]", "1"),
        ("orchestrator: cage", "orchestrator: [", "routes.yaml"),
        ("orchestrator", "conductor", "conductor"),
    ],
)
def test_files_that_are_wrong_are_errors(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    file = tmp_path / "routes.yaml"
    assert right in FILE
    file.write_text(FILE.replace(right, wrong), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_routes(file)
    assert said in str(caught.value)


@pytest.mark.parametrize("known", [{"cage"}, {"eno"}, {"Cage", "eno"}])
def test_ids_that_nobody_has_are_errors(tmp_path: Path, known: set[str]) -> None:
    """Ids are exact: a nick, or an id in another case, is no id."""
    file = tmp_path / "routes.yaml"
    file.write_text(FILE, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        check_routes(load_routes(file), known, file)
    assert ({"cage", "eno"} - known).pop() in caught.value.problem
    assert caught.value.cure
