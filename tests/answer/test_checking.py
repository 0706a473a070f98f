"""Claims: what bears each out, and what nothing does, word by word."""

from __future__ import annotations

import pytest

from salon.answer.checking import Checker, report
from salon.answer.claims import claims, says_nothing
from salon.answer.facts import denied, numbers
from salon.answer.support import Pool
from salon.types import ClaimCheck
from tests.answer.making import SmallCorpus

CORPUS = SmallCorpus()
EVIDENCE = CORPUS.evidence("storm destroyed", "three hundred passengers")
POOL = Pool(EVIDENCE, "en")


def check(text: str, question: str = "") -> list[ClaimCheck]:
    weighed = Checker(POOL, question).weigh(text)
    return [report(w, EVIDENCE, w.claim.span.start, w.claim.span.end) for w in weighed]


def test_a_sentence_rests_on_the_exact_words_of_its_source() -> None:
    (found,) = check("A storm destroyed the oil store in the winter of 1902.")
    assert found.verdict == "supported"
    assert found.lacks == ()
    assert found.place is not None
    assert "storm destroyed the oil store" in found.place.text
    item = next(e for e in EVIDENCE if e.hit.source.id == found.place.source_id)
    passage = item.hit.passage
    start, end = found.place.start - passage.start, found.place.end - passage.start
    assert passage.text[start:end] == found.place.text


def test_what_nothing_bears_out_is_named_by_kind() -> None:
    (found,) = check("A storm destroyed the oil store of Reykjavik in the winter of 1907.")
    assert {(lack.text, lack.kind) for lack in found.lacks} == {
        ("Reykjavik", "name"),
        ("1907", "date"),
    }
    assert found.verdict != "supported"


def test_a_denial_of_what_the_source_says_is_found() -> None:
    (found,) = check("No storm ever destroyed the oil store in the winter of 1902.")
    assert "negation" in {lack.kind for lack in found.lacks}
    assert found.verdict != "supported"


def test_a_sentence_about_something_else_is_unsupported() -> None:
    (found,) = check("Zebras gallop over yellow plains.")
    assert found.verdict == "unsupported"
    assert {lack.text for lack in found.lacks} == {"Zebras", "gallop", "yellow", "plains"}
    assert found.place is None


@pytest.mark.parametrize(
    "text",
    [
        "Hello, my friend!",
        "What do you think of it?",
        "I think it was a hard and lonely life.",
        "Guten Tag!",
        "In general, as far as I know.",
        "…",
    ],
)
def test_greetings_questions_and_opinions_claim_nothing(text: str) -> None:
    assert says_nothing(text, "de" if text.startswith("Guten") else "en")


@pytest.mark.parametrize(
    "text", ["I think the storm came in 1902.", "Yes, the storm destroyed the whole oil store."]
)
def test_an_opinion_with_a_fact_in_it_is_a_claim(text: str) -> None:
    assert not says_nothing(text, "en")


def test_clauses_hold_all_of_their_sentence_and_stand_in_order() -> None:
    text = "The storm destroyed the oil store, and the engineer Solberg came from the district."
    found = claims(text, "en")
    assert [text[c.span.start : c.span.end] for c in found] == [
        "The storm destroyed the oil store",
        "and the engineer Solberg came from the district.",
    ]
    assert {c.sentence for c in found} == {0}


def test_numbers_are_the_same_however_written() -> None:
    assert [n.value for n in numbers("1,000 lamps, 1.000 lamps, three birds, 2.5 km")] == [
        "1000",
        "1000",
        "3",
        "2.5",
    ]


def test_two_denials_are_none() -> None:
    assert denied("It was not so.", "en")
    assert denied("It wasn't so.", "en")
    assert not denied("It was never not so.", "en")
    assert denied("Es war nicht so.", "de")
    assert denied("Ce n'était pas ainsi.", "fr")


@pytest.mark.parametrize("text", ["", " ", "\u200b", "<b></b>", "[1][2]", "。" * 50, "a" * 20000])
def test_odd_answers_are_weighed(text: str) -> None:
    for found in check(text):
        assert 0 <= found.score <= 1
