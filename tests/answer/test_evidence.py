"""Evidence: numbered, within the budget, every span exact, best sentences kept."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.answer.evidence import GAP, gather, whole
from salon.types import Evidence
from tests.answer.making import LETTERS, SmallCorpus

CORPUS = SmallCorpus()
QUESTION = "What did the storm destroy in the winter?"


def tokens(item: Evidence) -> float:
    passage = item.hit.passage
    kept = sum(len(span) for span in item.spans)
    return kept * passage.tokens / len(passage.text) + 3 * (len(item.spans) - 1)


def text_of(item: Evidence) -> str:
    passage = item.hit.passage
    return GAP.join(
        passage.text[s.start - passage.start : s.end - passage.start] for s in item.spans
    )


def test_what_fits_is_kept_whole() -> None:
    hits = CORPUS.hits(QUESTION)
    found = gather(hits, QUESTION, 10_000, "en")
    assert [item.text for item in found] == [hit.passage.text for hit in hits]
    assert [item.number for item in found] == list(range(1, len(hits) + 1))


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 600), st.sampled_from([QUESTION, "bread", "", "ferry to Bergen?"]))
def test_the_budget_holds_and_every_span_is_exact(budget: int, question: str) -> None:
    found = gather(CORPUS.hits(question), question, budget, "en")
    assert found
    assert [item.number for item in found] == list(range(1, len(found) + 1))
    assert sum(map(tokens, found)) <= budget + 1
    for item in found:
        assert item.text == text_of(item)
        starts = [(span.start, span.end) for span in item.spans]
        assert starts == sorted(starts)
        assert all(a[1] < b[0] for a, b in itertools.pairwise(starts))


def test_the_best_sentence_survives_a_tight_budget() -> None:
    found = gather(CORPUS.hits(QUESTION), QUESTION, 60, "en")
    assert "a storm destroyed the oil store" in " ".join(item.text for item in found)


def test_left_out_sentences_leave_a_gap() -> None:
    hit = CORPUS.hit("storm destroyed")

    def rate(question: str, texts: list[str]) -> list[float]:
        return [1.0 if "storm" in text or "hummed" in text else 0.0 for text in texts]

    (item,) = gather([hit], "storm and hum", 65, "en", rate)
    assert GAP in item.text
    assert item.text.startswith("In the winter of 1902")
    assert item.text.endswith("It hummed, and it did not need\nme.")


def test_nearness_in_meaning_leads_where_it_is_known() -> None:
    hit = CORPUS.hit("three hundred passengers")

    def rate(question: str, texts: list[str]) -> list[float]:
        return [1.0 if "seeds" in text else 0.0 for text in texts]

    (item,) = gather([hit], "ferry", 30, "en", rate)
    assert "send me seeds" in item.text
    assert "ferry" not in item.text


def test_repeated_passages_collapse_whatever_their_case_and_spacing() -> None:
    hit = CORPUS.hit("storm destroyed")
    louder = replace(hit.passage, id="again", text="  ".join(hit.passage.text.upper().split()))
    part = replace(hit.passage, id="part", text=hit.passage.text[:60])
    hits = [hit, replace(hit, passage=louder, rank=2), replace(hit, passage=part, rank=3)]
    assert [item.hit.passage.id for item in whole(hits)] == [hit.passage.id]


def test_sentences_that_an_overlapping_passage_repeats_are_sent_once() -> None:
    first = CORPUS.hit("storm destroyed")
    words = "After that the district"
    cut = first.passage.text.index(words)
    tail = replace(
        first.passage,
        id="tail",
        start=first.passage.start + cut,
        text=first.passage.text[cut:] + " More was said of it.",
        end=first.passage.end + 21,
        tokens=60,
    )
    found = gather([first, replace(first, passage=tail, rank=2)], "engineer Solberg", 110, "en")
    assert " ".join(item.text for item in found).count("After that the district") == 1


@pytest.mark.parametrize("budget", [1, 50, 5000])
def test_no_hits_give_no_evidence(budget: int) -> None:
    assert gather([], QUESTION, budget, "en") == ()


def test_a_sentence_larger_than_the_budget_is_cut_at_a_word() -> None:
    text = "The keeper counted " + ", ".join(f"ship {n}" for n in range(400)) + "."
    corpus = SmallCorpus({"a.txt": text, "b.txt": LETTERS})
    hits = [corpus.hit("The keeper counted", 1), corpus.hit("three hundred passengers", 2)]
    one, two = gather(hits, "Which ships did the keeper count?", 200, "en")
    assert text.startswith(one.text)
    assert text[len(one.text)] == " "
    assert tokens(one) <= 120
    assert "ferry" in two.text or "seeds" in two.text


def test_a_passage_that_is_much_less_near_than_the_best_is_left_out() -> None:
    hits = [CORPUS.hit("storm destroyed", 1), CORPUS.hit("three hundred passengers", 2)]

    def rate(question: str, texts: list[str]) -> list[float]:
        return [0.8 if "storm" in text else 0.1 for text in texts]

    found = gather(hits, "What of it?", 100, "en", rate)
    assert [item.hit.rank for item in found] == [1]


def test_one_sentence_between_two_chosen_ones_is_kept() -> None:
    text = "Alpha was the first lamp. It stood on the rock. Omega was the last lamp of all." * 1
    corpus = SmallCorpus({"a.txt": text + " Nobody lit the others, of which there were many more."})

    def rate(question: str, texts: list[str]) -> list[float]:
        return [0.9 if "Alpha" in t else 0.8 if "Omega" in t else 0.1 for t in texts]

    (item,) = gather([corpus.hit("Alpha")], "Alpha and Omega?", 32, "en", rate)
    assert item.text == text
