from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.corpus.sentences import sentences


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Mr. Franklin met Dr. Price at St. Paul's.", "They spoke of Mme. de Sévigné."],
        ['"Where are you going?" said he.', '"Home!" cried she.', "'Come!' said he."],
        ["He wrote to Messrs. Hall & Co. in Philadelphia, Pa. on Jan. 6, 1706.", "It was cold."],
        ["The price was $3.50.", "See pp. 12-14, fig. 3, and cf. ch. iv.", "Then go on."],
        ["Qu’est-ce que c’est ?", "« Que sais-je ? » disait Montaigne.", "Rien."],
        ["She lived in the U.S.", "Then she moved to the U.K. and was happy."],
        ["He said so.[1]", "Then he left.[2]"],
        ["Am 3. Mai war es kalt.", "Dr. Müller kam."],
        ['He asked, "Is it so?"', '"It is."', "So it was."],
        ["O Captain! my Captain! our fearful trip is done, the prize is won."],
    ],
)
def test_sentences_of_prose(expected: list[str]) -> None:
    assert expected == split(" ".join(expected))


def test_a_hard_line_end_is_a_space() -> None:
    assert split("He came to Dr.\nPrice. It\nwas late.") == [
        "He came to Dr.\nPrice.",
        "It\nwas late.",
    ]


def test_a_stanza_is_cut_where_its_sentences_end() -> None:
    stanza = (
        "We slowly drove, he knew no haste,\nAnd I had put away\nMy labor.\nWe passed the school."
    )
    assert split(stanza) == [
        "We slowly drove, he knew no haste,\nAnd I had put away\nMy labor.",
        "We passed the school.",
    ]


def test_a_blank_line_ends_a_sentence() -> None:
    assert split("THE WHISTLE\n\nWhen I was a child") == ["THE WHISTLE", "When I was a child"]


def test_speakers_and_items_begin_their_own() -> None:
    assert split("CDR: Roger that\nCC: Go ahead") == ["CDR: Roger that", "CC: Go ahead"]
    assert split("1. Temperance\n2. Silence") == ["1. Temperance", "2. Silence"]


def test_chinese_and_japanese_stops_end_sentences() -> None:
    assert split("子曰：“学而时习之，不亦说乎？有朋自远方来，不亦乐乎？”曾子曰。") == [
        "子曰：“学而时习之，不亦说乎？",
        "有朋自远方来，不亦乐乎？”",
        "曾子曰。",
    ]
    assert split("「どこで生れたか。」とんと見当がつかぬ。") == [
        "「どこで生れたか。」",
        "とんと見当がつかぬ。",
    ]


@settings(deadline=None)
@given(st.text(alphabet="aAbB .!?\n\"'“”()[1]-—:;,。？學\t", max_size=200))
def test_sentences_hold_every_character_that_is_not_space(text: str) -> None:
    spans = sentences(text)
    assert "".join(text.split()) == "".join("".join(text[s.start : s.end].split()) for s in spans)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    assert all(not text[s.start].isspace() and not text[s.end - 1].isspace() for s in spans)
