"""Verdicts on quotations: the source's words, changed ones, stitched ones, none."""

from __future__ import annotations

import pytest

from salon.answer.lookup import Finding, look_up
from salon.answer.quote_index import QuoteIndex
from salon.answer.sameness import Sameness
from salon.types import QuoteChange
from tests.answer.making import SmallCorpus, info

INDEX = QuoteIndex(SmallCorpus().texts())
SAME = Sameness(INDEX, "en")


def of(quotation: str) -> Finding:
    return look_up(INDEX, quotation, SAME)


def in_text(source: str, quotation: str, code: str = "en") -> Finding:
    index = QuoteIndex([(info("one.txt", source), source)])
    return look_up(index, quotation, Sameness(index, code))


@pytest.mark.parametrize(
    ("quotation", "change"),
    [
        ("the lamp burned seal oil then", ("seal", "whale", "words")),
        ("In the winter of 1903 a storm destroyed", ("1903", "1902", "words")),
        ("a keeper who sleeps is a chief of ships", ("chief", "thief", "words")),
        ("I was nineteen when I never first climbed the tower", ("never", "", "words")),
        ("I was nineteen when I climbed the tower at Halden", ("", "first", "words")),
        ("he lamp burned whale oil", ("he", "The", "words")),
    ],
)
def test_a_changed_word_is_shown_and_is_no_plain_find(
    quotation: str, change: tuple[str, str, str]
) -> None:
    finding = of(quotation)
    assert finding.verdict == "changed"
    assert [(c.quoted, c.source, c.kind) for c in finding.changes] == [change]
    assert len(finding.places) == 1


@pytest.mark.parametrize(
    ("source", "quotation", "change"),
    [
        (
            "In the wintcr of that year a storm came.",
            "In the winter of that year a storm",
            ("winter", "wintcr", "scan"),
        ),
        (
            "He is the first who hath shewn the way to the harbour.",
            "the first who hath shown the way to the harbor",
            ("shown", "shewn", "spelling"),
        ),
        (
            "I learn'd my trade of my father in the publick square.",
            "I learned my trade of my father in the public square",
            ("learned", "learn'd", "spelling"),
        ),
    ],
)
def test_misreadings_and_old_spelling_are_found_and_shown(
    source: str, quotation: str, change: tuple[str, str, str]
) -> None:
    finding = in_text(source, quotation)
    assert finding.verdict == "found"
    assert QuoteChange(*change) in finding.changes  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("source", "quotation"),
    [
        ("The sky was clear on the day that we sailed.", "The sky was dear on the day"),
        ("They did eat the bread of the old baker.", "They did cat the bread of the old baker"),
        (
            "He bore it with great and quiet patience.",
            "He bore it with great and quite patience",
        ),
        ("We shall not go to the island in March.", "We shall now go to the island in March"),
    ],
)
def test_two_words_that_a_scanner_may_mix_up_are_a_change(source: str, quotation: str) -> None:
    assert in_text(source, quotation).verdict == "changed"


def test_accents_tell_words_apart_where_both_are_written_with_any() -> None:
    source = "Er wurde müde und ging über die Brücke nach Hause."
    assert in_text(source, "Er wurde müde und ging über die Brücke", "de").verdict == "found"
    assert in_text(source, "Er wurde mude und ging uber die Brucke", "de").verdict == "found"
    changed = in_text(source, "Er würde müde und ging über die Brücke", "de")
    assert changed.verdict == "changed"
    assert [(c.quoted, c.source) for c in changed.changes] == [("würde", "wurde")]


@pytest.mark.parametrize(
    ("quotation", "names"),
    [
        (
            "The lamp burned whale oil then, and I bake on Thursdays",
            ["logbook.txt", "letters.txt"],
        ),
        (
            "a keeper who sleeps ... for the south wall is warm",
            ["logbook.txt", "letters.txt"],
        ),
        (
            "until our palms were raw ... I was nineteen when I first climbed",
            ["logbook.txt", "logbook.txt"],
        ),
    ],
)
def test_words_from_several_places_are_stitched(quotation: str, names: list[str]) -> None:
    finding = of(quotation)
    assert finding.verdict == "stitched"
    assert [place.source.name for place in finding.places] == names


@pytest.mark.parametrize(
    "quotation",
    [
        "nobody ever wrote this sentence at all",
        "I went to the market with the other men",
        "never in my life did I see the sea",
    ],
)
def test_what_shares_only_common_words_is_absent(quotation: str) -> None:
    assert of(quotation) == Finding("absent")


def test_an_ellipsis_does_not_reach_from_one_source_into_the_next() -> None:
    assert of("Solitude is a good teacher ... You write that the ferry").verdict != "found"


def test_unspaced_scripts_are_compared_sign_by_sign() -> None:
    source = "子曰：「學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？人不知而不慍，不亦君子乎？」"
    assert in_text(source, "有朋自遠方來，不亦樂乎", "zh").verdict == "found"
    changed = in_text(source, "有朋自近方來，不亦樂乎", "zh")
    assert changed.verdict == "changed"
    assert [(c.quoted, c.source) for c in changed.changes] == [("近", "遠")]


def test_words_that_a_page_breaks_are_found_without_its_number() -> None:
    source = "We sat three nights in the dark, and rang the\n\n212\n\nbell by hand until dawn came."
    assert in_text(source, "three nights in the dark, and rang the bell by hand").verdict == "found"


def test_zero_width_and_soft_hyphens_within_words_hide_nothing() -> None:
    assert of("the la\u200bmp bur\u00adned wha\u2060le oil").verdict == "found"


def test_right_to_left_words_are_found_without_their_vowel_points() -> None:
    source = "בְּרֵאשִׁית בָּרָא אֱלֹהִים אֵת הַשָּׁמַיִם וְאֵת הָאָרֶץ"
    assert in_text(source, "בראשית ברא אלהים את השמים", "he").verdict == "found"
