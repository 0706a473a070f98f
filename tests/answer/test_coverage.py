"""Whether a question is one for the corpus: nearness, and the words that the corpus lacks."""

from __future__ import annotations

import pytest

from salon.answer.coverage import coverage
from salon.answer.quote_index import QuoteIndex
from salon.types import Background
from tests.answer.making import SmallCorpus

INDEX = QuoteIndex(SmallCorpus().texts())
BACKGROUND = Background(mean=0.2, deviation=0.05)


def missing(question: str, code: str = "en") -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = coverage(question, 0.4, INDEX, code, BACKGROUND)
    return found.missing, found.names


@pytest.mark.parametrize(
    ("question", "words", "names"),
    [
        ("What did the storms destroy?", (), ()),
        ("How high is Mount Everest?", ("Mount", "Everest"), ("Mount", "Everest")),
        ("Did Anders like the smartphone?", ("smartphone",), ()),
        ("Everest, is it high?", ("Everest",), ()),
        ("WHAT IS A SMARTPHONE?", ("SMARTPHONE",), ()),
        ("Who sent the engineers to Halden?", (), ()),
    ],
)
def test_words_and_names_that_the_corpus_lacks(
    question: str, words: tuple[str, ...], names: tuple[str, ...]
) -> None:
    lacking, named = missing(question)
    assert set(words) <= set(lacking)
    assert named == names


def test_a_question_in_another_language_is_judged_by_nearness_alone() -> None:
    question = "Qu'est-ce que la tempête a détruit pendant l'hiver de cette année-là ?"
    found = coverage(question, 0.4, INDEX, "en", BACKGROUND)
    assert found.missing == ()
    assert found.covered


def test_near_questions_pass_and_each_missing_name_costs_three_deviations() -> None:
    near = coverage("What did the storm destroy?", 0.4, INDEX, "en", BACKGROUND)
    assert near.value == pytest.approx(4.0)
    assert near.covered
    assert near.clearly
    other = coverage("What did the storm destroy on Everest?", 0.4, INDEX, "en", BACKGROUND)
    assert other.value == pytest.approx(1.0)
    assert not other.covered


def test_what_is_no_nearer_than_chance_is_foreign() -> None:
    found = coverage("What is a prime number?", 0.2, INDEX, "en", BACKGROUND)
    assert found.foreign
    assert not found.covered
