"""A question to "you" as the sources would say it."""

from __future__ import annotations

import pytest

from salon.retrieval.address import first_person


@pytest.mark.parametrize(
    ("asked", "turned"),
    [
        ("Where were you born?", "Where was I born?"),
        ("Are you afraid of your brother?", "am I afraid of my brother?"),
        ("What did your father give you?", "What did my father give me?"),
        ("Who told you to read?", "Who told me to read?"),
        ("Did you teach yourself?", "Did I teach myself?"),
        ("You’ve had a goat; was it yours?", "I have had a goat; was it mine?"),
        ("Young men, what of youth?", "Young men, what of youth?"),
    ],
)
def test_english(asked: str, turned: str) -> None:
    assert first_person(asked, "en-GB") == turned


def test_other_languages_stay() -> None:
    assert first_person("What did you do?", "fr") == "What did you do?"
