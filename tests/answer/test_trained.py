"""The trained score: what bears an answer out raises it, what contradicts lowers it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from salon.answer.checking import Checker
from salon.answer.features import NAMES, features
from salon.answer.ground import Draft
from salon.answer.scoring import KNOTS, basis, probability, shipped, shortness
from salon.answer.support import Pool
from salon.answer.trained import trained
from salon.types import Background, Citation, Grounding, QuoteCheck
from tests.answer.making import SmallCorpus

CORPUS = SmallCorpus()
EVIDENCE = CORPUS.evidence("storm destroyed", "three hundred passengers")
POOL = Pool(EVIDENCE, "en")
CITED = Citation(1, "p", "s", "logbook.txt", "Logbook", "", 0, 1, "I", 0, 1, False)
BACKGROUND = Background(mean=0.2, deviation=0.05)
GOOD = Draft(
    text="In the winter of 1902 a storm destroyed the oil store, and we sat in the dark.",
    question="What did the storm destroy?",
    evidence=EVIDENCE,
    citations=(CITED,),
    quotes=(),
    similarity=0.6,
)


def score(text: str, **changes: object) -> Grounding:
    draft = replace(GOOD, text=text, **changes)  # type: ignore[arg-type]
    weighed = Checker(POOL, draft.question).weigh(text)
    return trained(draft, weighed, POOL, BACKGROUND, below=0.5)


def test_words_of_the_sources_are_grounded_and_others_are_not() -> None:
    assert score(GOOD.text).score > 0.75
    bland = score("Success in life depends on passion, dedication and a positive attitude.")
    assert bland.score < 0.3
    assert not bland.grounded


@pytest.mark.parametrize(
    "text",
    [
        "In the winter of 1907 a storm destroyed the oil store, and we sat in the dark.",
        "In the winter of 1902 a storm never destroyed the oil store, and we sat in the dark.",
        "In the winter of 1902 a storm destroyed the Reykjavik store, and we sat in the dark.",
        "In the summer of 1902 Torvald destroyed the wine cellar, and we sat in the dark.",
    ],
)
def test_what_contradicts_costs(text: str) -> None:
    assert score(text).score < score(GOOD.text).score - 0.03


def test_the_penalties_are_what_is_missing_from_one() -> None:
    for text in (GOOD.text, "Zebras gallop.", "In 1907 Torvald came."):
        found = score(text)
        lost = sum(signal.penalty for signal in found.signals)
        assert found.score == pytest.approx(max(0.0, 1 - lost), abs=1e-3)


def test_quotations_that_no_source_has_cost_as_before() -> None:
    absent = QuoteCheck(0, 5, "never said by anyone", "absent")
    assert score(GOOD.text, quotes=(absent,)).score == pytest.approx(
        score(GOOD.text).score - 0.25, abs=2e-3
    )


def test_a_decline_is_never_grounded() -> None:
    assert not score("My sources do not cover that.", declined=True).grounded


def test_no_curve_ever_rises() -> None:
    """What is more amiss never scores higher, for short passages and for long."""
    model = shipped()
    for words in (10, 160, 2000):
        for name in NAMES:
            last = -1.0
            for step in range(21):
                values = dict.fromkeys(NAMES, 0.0) | {name: step / 20}
                loss = sum(model.losses(values, words).values())
                assert loss >= last
                last = loss


def test_the_pieces_of_a_curve_begin_at_nothing_and_end_at_one() -> None:
    assert set(basis(0.0)) == {0.0}
    assert basis(1.0) == pytest.approx([1.0] * (2 * len(KNOTS)))
    assert (shortness(10), shortness(10_000)) == (1.0, 0.0)
    assert probability(-800.0) == pytest.approx(0.0)
    assert probability(800.0) == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["", "…", "?", "12", "神は言った。", "\u202eabc", "a " * 5000])
def test_odd_answers_have_a_score(text: str) -> None:
    assert 0 <= score(text).score <= 1
    weighed = Checker(POOL, "").weigh(text)
    assert set(features(weighed, text, "en")) == set(NAMES)
    assert all(0 <= value <= 1 for value in features(weighed, text, "en").values())
