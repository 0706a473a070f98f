"""The score: each signal takes off what its rule says, and says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from salon.answer.coverage import DEFAULT_BACKGROUND
from salon.answer.ground import Draft, calibrated, ground, unsupported
from salon.answer.support import Pool
from salon.types import Background, Citation, Grounding, QuoteCheck
from tests.answer.making import SmallCorpus

CORPUS = SmallCorpus()
EVIDENCE = CORPUS.evidence("storm destroyed", "three hundred passengers")
POOL = Pool(EVIDENCE, "en")
CITED = Citation(1, "p", "s", "logbook.txt", "Logbook", "", 0, 1, "I", 0, 1, False)
GOOD = Draft(
    text="In the winter of 1902 a storm destroyed the oil store, and we sat in the dark. "
    "The district sent the engineer Solberg, and the tower was given electric light.",
    question="What did the storm destroy?",
    evidence=EVIDENCE,
    citations=(CITED,),
    quotes=(),
    similarity=0.6,
)
BACKGROUND = Background(mean=0.2, deviation=0.05)


def score(draft: Draft, background: Background = BACKGROUND) -> Grounding:
    return ground(draft, POOL, background, below=0.5)


def penalty(draft: Draft, name: str) -> float:
    return next(s.penalty for s in score(draft).signals if s.name == name)


def test_a_supported_answer_loses_nothing() -> None:
    found = score(GOOD)
    assert found.score == 1.0
    assert found.grounded


@pytest.mark.parametrize(
    ("similarity", "expected"), [(0.1, 0.4), (0.25, 0.4), (0.3, 0.2), (0.35, 0.0), (0.9, 0.0)]
)
def test_similarity_costs_by_deviations_above_chance(similarity: float, expected: float) -> None:
    assert penalty(replace(GOOD, similarity=similarity), "similarity") == pytest.approx(expected)


def test_the_same_nearness_means_the_same_on_every_embedder() -> None:
    other = Background(mean=0.6, deviation=0.02)
    assert calibrated(0.3, BACKGROUND) == pytest.approx(calibrated(0.64, other))
    assert calibrated(-1.0, DEFAULT_BACKGROUND) == 0.0
    assert calibrated(1.0, DEFAULT_BACKGROUND) == 1.0


def test_an_answer_without_the_passages_words_loses_three_tenths() -> None:
    off = replace(GOOD, text="Zebras gallop over plains.")
    assert penalty(off, "keyword_overlap") == 0.3
    assert penalty(off, "support") == 0.5
    assert score(off).score < 0.5
    assert not score(off).grounded


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("", 0.0),
        ("In general, ", 0.1),
        ("Broadly speaking, from my understanding, ", 0.2),
        ("In general, broadly speaking, from my understanding, as far as I know, ", 0.3),
        ("In generality, ", 0.0),
    ],
)
def test_each_hedge_costs_a_tenth_three_at_most(prefix: str, expected: float) -> None:
    assert penalty(replace(GOOD, text=prefix + GOOD.text), "hedges") == pytest.approx(expected)


def test_hedges_are_known_in_other_languages() -> None:
    pool = Pool(EVIDENCE, "de")
    found = ground(replace(GOOD, text="Im Allgemeinen war es so."), pool, BACKGROUND, 0.5)
    assert next(s.penalty for s in found.signals if s.name == "hedges") == 0.1


def test_absent_quotations_cost_and_are_named() -> None:
    absent = QuoteCheck(0, 5, "never said by anyone", "absent")
    found = score(replace(GOOD, quotes=(absent,)))
    (signal,) = [s for s in found.signals if s.name == "quotations"]
    assert signal.penalty == 0.25
    assert "never said by anyone" in signal.reason
    assert found.quotes == (absent,)


def test_no_citation_costs() -> None:
    assert penalty(replace(GOOD, citations=()), "citations") == 0.2
    assert penalty(replace(GOOD, dangling=2), "citations") == 0.1


def test_names_and_numbers_of_no_passage_are_found() -> None:
    text = "In 1902 Solberg came to Halden with Torvald. He had 17 lamps and 300 birds."
    assert unsupported(text, "What of Halden?", POOL) == ["Torvald", "17", "300"]


def test_names_that_the_sources_never_mention_cost() -> None:
    assert penalty(replace(GOOD, missing=("Everest",)), "unknown_names") == 0.15


def test_a_decline_is_never_grounded() -> None:
    found = score(replace(GOOD, declined=True, citations=()))
    assert not found.grounded
    assert [s.name for s in found.signals] == ["similarity", "declined"]


def test_every_reason_is_a_phrase() -> None:
    for signal in score(replace(GOOD, dangling=1, missing=("Everest",))).signals:
        assert len(signal.reason.split()) >= 2
        assert 0 <= signal.penalty <= 1
