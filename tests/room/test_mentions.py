"""Mentions of any script, with case, accents, punctuation, code and addresses."""

from __future__ import annotations

import pytest

from salon.room.mentions import Directory
from salon.types import Participant

POOL = (
    Participant("laozi", "老子"),
    Participant("olga", "Ольга"),
    Participant("elodie", "Élodie"),
    Participant("aurelius", "Aurelius", "Marcus Aurelius"),
    Participant("art", "Art"),
    Participant("arthur", "Arthur"),
    Participant("sejong", "세종"),
    Participant("kabir", "कबीर"),
    Participant("jean-luc", "Jean-Luc"),
    Participant("oneill", "O'Neill"),
    Participant("cog", "cog"),
    Participant("cog-staging", "cog_staging"),
)
NAMES = Directory(POOL, people=("Ana María",))


@pytest.mark.parametrize(
    ("text", "personas"),
    [
        ("@老子 你好", ["laozi"]),
        ("问问@老子吧", ["laozi"]),
        ("＠老子、", ["laozi"]),
        ("@Ольга, привет", ["olga"]),
        ("@ОЛЬГА!", ["olga"]),
        ("@Ольгаs", []),
        ("@Élodie?", ["elodie"]),
        ("@elodie", ["elodie"]),
        ("@E\u0301LODIE", ["elodie"]),
        ("@lodie", []),
        ("@Marcus Aurelius's view", ["aurelius"]),
        ("@marcus-aurelius", ["aurelius"]),
        ("@Aurelius", ["aurelius"]),
        ("@Marcus", []),
        ("@Art", ["art"]),
        ("@Arthur", ["arthur"]),
        ("@Art, @Arthur and @Art", ["art", "arthur"]),
        ("@Artful", []),
        ("@세종님 안녕", ["sejong"]),
        ("@세종대왕", []),
        ("@कबीर जी", ["kabir"]),
        ("@Jean-Luc.", ["jean-luc"]),
        ("@jean luc", ["jean-luc"]),
        ("@O'Neill and @O’Neill", ["oneill"]),
        ("@cog", ["cog"]),
        ("@cog_staging", ["cog-staging"]),
        ("@cog_other", []),
        ("(@Art)", ["art"]),
        ("**@Art**", ["art"]),
        ("mail art@art.org or x@Art", []),
        ("https://site.test/@Art", []),
        ("`@Art` and\n```\n@Arthur\n```\n@Ольга", ["olga"]),
        ("> @Art said\n@Arthur", ["arthur"]),
        ("```\n@Art", []),
        ("@", []),
        ("@ Art", []),
        ("@@Art", []),
    ],
)
def test_who_is_mentioned(text: str, personas: list[str]) -> None:
    assert list(NAMES.scan(text).personas) == personas


def test_names_that_nobody_has_are_told_and_people_are_known() -> None:
    found = NAMES.scan("@Artful and @ana maria and @nobody.")
    assert found.unknown == ("Artful", "nobody")


def test_only_the_first_ten_are_looked_at() -> None:
    text = " ".join(f"@x{number}" for number in range(10)) + " @Art"
    assert NAMES.scan(text).personas == ()


def test_hostile_texts_take_no_time_to_speak_of() -> None:
    assert NAMES.scan("@" * 200_000).personas == ()
    assert NAMES.scan("`" * 100_001 + "@Art").personas == ()
    assert NAMES.scan("@Marcus " * 20_000 + "`").personas == ()
