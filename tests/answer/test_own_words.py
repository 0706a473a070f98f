"""Own words: whole sentences of the best passages, verbatim, in the order of an answer."""

from __future__ import annotations

import itertools

import pytest

from salon.answer.own_words import answer, excerpts, is_prose
from salon.answer.typeset import flowing, is_verse
from tests.answer.making import LOGBOOK, SmallCorpus

CORPUS = SmallCorpus()
EVIDENCE = CORPUS.evidence("storm destroyed", "counted the ships", "nineteen")


def test_excerpts_are_source_text_with_hard_line_ends_as_spaces() -> None:
    for excerpt in excerpts("What did the storm destroy?", EVIDENCE, "en", None):
        source = LOGBOOK[excerpt.span.start : excerpt.span.end]
        assert excerpt.text == source.replace("\n", " ")


def test_headings_are_left_out() -> None:
    text = "CHAPTER I\n\nThe Storm\n\nA storm took the oil store away."
    corpus = SmallCorpus({"a.txt": text}, whole=True)
    found = excerpts(
        "What did the storm of chapter I take?", corpus.evidence("A storm took"), "en", None
    )
    assert [e.text for e in found] == ["A storm took the oil store away."]


def test_the_best_passage_comes_first_then_the_order_of_the_source() -> None:
    found = excerpts("What ships and gulls and seconds were counted?", EVIDENCE, "en", None)
    assert found[0].number == 2
    for one, other in itertools.pairwise(found):
        assert one.number != other.number or one.span.end <= other.span.start


def test_a_sentence_that_leans_on_the_one_before_brings_it() -> None:
    text = "Anders kept the light for thirty years. He taught me to trim the wick twice a night."
    corpus = SmallCorpus({"a.txt": text})
    (one,) = excerpts("Who taught you to trim the wick?", corpus.evidence("Anders"), "en", None)
    assert one.text == text


def test_from_one_to_six_sentences() -> None:
    text = " ".join(f"The lamp number {n} was trimmed by the keeper again." for n in range(30))
    corpus = SmallCorpus({"a.txt": text})
    (one,) = excerpts("Who trimmed the lamp?", corpus.evidence("lamp number 3"), "en", None)
    assert 1 <= one.text.count(".") <= 6


def test_what_is_not_covered_is_declined_in_the_persona_s_language() -> None:
    written = answer("Was ist eine Primzahl?", EVIDENCE, False, "de", None)
    assert written.declined
    assert written.marked.text.startswith("Meine Quellen")
    assert written.marked.marks == ()


def test_passages_of_headings_only_are_declined() -> None:
    text = "THE WHOLE OF THE CONTENTS OF THE FIRST BOOK OF THE KEEPER"
    corpus = SmallCorpus({"a.txt": text}, whole=True)
    written = answer("What is in the book?", corpus.evidence("THE WHOLE"), True, "en", None)
    assert written.declined


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I counted the ships.", True),
        ("“Who goes there now?”", True),
        ("學而時習之，不亦說乎。", True),
        ("CHAPTER THE FIRST OF ALL.", False),
        ("The Storm", False),
        ("12.", False),
        ("A line without an end", False),
    ],
)
def test_what_counts_as_a_sentence_to_quote(text: str, expected: bool) -> None:
    assert is_prose(text) is expected


def test_verse_keeps_its_lines() -> None:
    verse = "The lamp forgives the dark its size\nAnd asks no thanks of day;"
    assert is_verse(verse)
    assert flowing(verse) == verse
    assert flowing("a storm destroyed\n  the oil store") == "a storm destroyed the oil store"
