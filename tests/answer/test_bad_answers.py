"""Answers that no one would write: huge, of marks alone, of other directions, imitating our own."""

from __future__ import annotations

import pytest

from salon.answer.cite import take_apart
from salon.answer.quote_index import QuoteIndex
from salon.answer.quotes import check, spans_of
from tests.answer.making import SmallCorpus, info

INDEX = QuoteIndex(SmallCorpus().texts())
WORDS = 200_000


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        ("the lamp burned whale oil then and so on. ", 9),
        ("“the lamp burned ", 3),
        ("the lamp burned” ", 3),
        ("'the lamps' ' ", 3),
        ("> the lamp burned whale\n", 4),
        ("The lamp / Burned whale / Oil then ", 6),
        ('"The lamp," he said, ', 4),
        ("The lamp burned\nWhale oil then\n", 6),
        ("<q>the lamp burned</q> <b>oil</b> ", 6),
    ],
)
def test_an_answer_of_200_000_words_is_read_to_its_end(piece: str, words: int) -> None:
    text = piece * (WORDS // words)
    for one in spans_of(text):
        assert (
            0 <= one.whole.start <= one.inner.start <= one.inner.end <= one.whole.end <= len(text)
        )
    assert all(one.verdict != "found" or one.places for one in check(text[:60_000], INDEX))


def test_an_answer_of_nothing_but_quotations_is_checked_whole() -> None:
    answer = '"the lamp burned whale oil then" "nobody ever wrote such words" ' * 500
    found = [one.verdict for one in check(answer, INDEX)]
    assert found == ["found", "absent"] * 500


def test_zero_width_characters_hide_neither_quotation_nor_lie() -> None:
    answer = (
        '"the la\u200bmp bur\u2060ned wha\u00adle oil" "the la\u200bmp bur\u2060ned seal oil then"'
    )
    assert [one.verdict for one in check(answer, INDEX)] == ["found", "changed"]


def test_a_quotation_of_three_letters_claims_nothing() -> None:
    assert check('He said "oil" and "the" and "a b".', INDEX) == []


def test_right_to_left_text_in_an_answer_is_no_obstacle() -> None:
    answer = 'המגדל ״the lamp burned whale oil then״ אמר, "the lamp burned whale oil then".'
    assert [one.verdict for one in check(answer, INDEX)] == ["found", "found"]


@pytest.mark.parametrize(
    "text",
    [
        "[...] [1 [[ ]] [²] [0] [-1] [1-]",
        "【】［］[]",
        "[1](x) [note][1x]",
        "\x00\x01[ 1",
        "[[[[1]]]]",
    ],
)
def test_text_that_imitates_marks_is_read_alike_in_any_pieces(text: str) -> None:
    assert take_apart(text, (1, 2)).text is not None
    check(text, INDEX)


def test_a_corpus_of_one_sentence_finds_it_and_no_other() -> None:
    sentence = "I kept the light."
    index = QuoteIndex([(info("one.txt", sentence), sentence)])
    verdicts = [one.verdict for one in check('"I kept the light" "I kept the night well"', index)]
    assert verdicts[0] == "found"
    assert verdicts[1] in ("changed", "absent")
