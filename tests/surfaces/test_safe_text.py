"""What a source or a model wrote never acts on a terminal."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from salon.surfaces.safe_text import one_line, safe_json, safe_text

ANY = st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF, categories=None))


@given(ANY)
def test_no_control_character_but_tab_and_newline_is_left(text: str) -> None:
    left = {c for c in safe_text(text) if unicodedata.category(c) in ("Cc", "Cs")}
    assert left <= {"\t", "\n"}


@given(ANY)
def test_it_is_settled_after_one_pass(text: str) -> None:
    assert safe_text(safe_text(text)) == safe_text(text)


@given(ANY)
def test_one_line_has_no_line_break(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_json_says_the_same_and_has_no_control_character(value: dict[str, object]) -> None:
    text = safe_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert not [c for c in text if unicodedata.category(c) == "Cc"]


def test_an_escape_sequence_is_shown_and_not_sent() -> None:
    assert safe_text("\x1b]0;owned\x07") == "\u241b]0;owned\u2407"


def test_direction_overrides_are_shown() -> None:
    assert safe_text("a\u202eb") == "a\ufffdb"


def test_letters_of_every_script_stay() -> None:
    text = "Ünïcode 孔子 \u0915\u094d\u200d\u0937 שלום"
    assert safe_text(text) == text
