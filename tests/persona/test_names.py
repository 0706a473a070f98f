"""Persona ids."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.errors import InputError
from salon.persona.names import LONGEST, persona_id


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("franklin", "franklin"),
        ("Benjamin Franklin", "benjamin-franklin"),
        ("  W. E. B. Du Bois ", "w-e-b-du-bois"),
        ("a/b\\c", "a-b-c"),
        ("../../etc/passwd", "etc-passwd"),
        ("孔子", "孔子"),
        ("José Martí", "josé-martí"),
        ("cafe\u0301", "café"),
        ("महात्मा गांधी", "महात्मा-गांधी"),
        ("Ὅμηρος", "ὅμηρος"),
        ("İbn", "i̇bn"),
        ("Nº 7²", "nº-7"),
        ("nul.", "nul-"),
        ("con-2", "con-2"),
        ("console", "console"),
        ("line\nbreak\x00nul", "line-break-nul"),
        ("\u202efranklin", "franklin"),
    ],
)
def test_ids(name: str, expected: str) -> None:
    if expected == "nul-":  # what remains is a reserved name
        with pytest.raises(InputError, match="Windows"):
            persona_id(name)
        return
    assert persona_id(name) == expected


@pytest.mark.parametrize("name", ["", "   ", "..", "///", "!?", "\x00", "\u0301", "🙂"])
def test_a_name_without_letters_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="no letter"):
        persona_id(name)


@pytest.mark.parametrize("name", ["CON", "prn", "Aux", "NUL", "com1", "LPT9", " nul "])
def test_device_names_of_windows_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="Windows") as caught:
        persona_id(name)
    assert persona_id(caught.value.cure.split("'")[1])


def test_length() -> None:
    assert len(persona_id("x" * LONGEST)) == LONGEST
    with pytest.raises(InputError, match="too long"):
        persona_id("x" * (LONGEST + 1))
    with pytest.raises(InputError, match="too long"):
        persona_id("\U00010330" * LONGEST)


@given(st.text(max_size=80))
def test_an_id_is_safe_and_stays_itself(name: str) -> None:
    try:
        identifier = persona_id(name)
    except InputError:
        return
    assert persona_id(identifier) == identifier
    assert 1 <= len(identifier) <= LONGEST
    assert len(identifier.encode()) <= 240
    assert unicodedata.is_normalized("NFC", identifier)
    assert not set(identifier) & set('/\\. \0:*?"<>|')
    assert not identifier.startswith("-")
    assert not identifier.endswith("-")
    assert "--" not in identifier
