"""Junk rates: damaged texts rank above their corrections, and sound old books are left alone."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from tools.fit_junk import damage

from salon.corpus.read import read_file
from salon.intake import junk
from salon.intake.junk import junk_rate
from salon.intake.lexicon import HASH_BITS, fold, languages, lexicon, pack, unpack

PAIRS = {
    "tupper": ("ocr_tupper_my_life_as_an_author.txt", "ocr_tupper_groundtruth_aligned.txt", 0.030),
    "apcar": (
        "ocr_apcar_betrayed_armenia_ocr.txt",
        "ocr_apcar_betrayed_armenia_groundtruth.txt",
        0.022,
    ),
}


def text_of(data: Path, name: str) -> str:
    """A text of the pairs; the long ones are cut to what a test needs."""
    return re.sub("#+", " ", (data / "corpora" / "dirty" / name).read_text("utf-8"))


@pytest.mark.parametrize("pair", PAIRS)
def test_damage_ranks_above_its_correction_and_errors_are_met(data: Path, pair: str) -> None:
    damaged, corrected, errors = PAIRS[pair]
    scan, truth = junk_rate(text_of(data, damaged), "en"), junk_rate(text_of(data, corrected), "en")
    assert scan.rate > 3 * truth.rate
    assert abs(scan.errors - errors) < 0.015
    assert truth.errors < 0.015


def test_the_factor_of_one_pair_meets_the_other(data: Path) -> None:
    """Leave one out: UNSEEN fitted to each pair alone predicts the other within 1.5 points."""
    seen = {
        name: junk_rate(text_of(data, damaged), "en").errors / junk.UNSEEN
        for name, (damaged, _, _) in PAIRS.items()
    }
    for left_out, other in (("tupper", "apcar"), ("apcar", "tupper")):
        factor = PAIRS[other][2] / seen[other]
        assert abs(factor * seen[left_out] - PAIRS[left_out][2]) < 0.015


def test_most_pages_rank_above_their_correction(data: Path) -> None:
    damaged, corrected, _ = PAIRS["apcar"]
    pages = zip(
        text_of(data, damaged).split("\f"), text_of(data, corrected).split("\f"), strict=True
    )
    ranked = [
        junk_rate(one, "en").rate > junk_rate(two, "en").rate for one, two in pages if two.strip()
    ]
    assert len(ranked) == 39
    assert sum(ranked) >= 36  # one page is French for the most part


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("dickinson/poems_three_series_pg12242.txt", "en"),
        ("plato/apology_pg1656.txt", "en"),
        ("franklin/autobiography_pg148.txt", "en"),
        ("douglass/narrative_pg23.txt", "en"),
        ("dirty/also_sprach_zarathustra_pg7205_latin1.txt", "de"),
        ("dirty/contemplations_pg29843_latin1.txt", "fr"),
        ("dirty/recuerdos_de_mi_vida_pg58331.txt", "es"),
    ],
)
def test_sound_old_books_and_verse_are_left_alone(data: Path, name: str, language: str) -> None:
    (source,) = read_file(data / "corpora" / name, name)
    assert junk_rate(source.text, language).errors < 0.0125


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("paine/common_sense_pg147.txt", "en"),
        ("dirty/also_sprach_zarathustra_pg7205_latin1.txt", "de"),
        ("dirty/contemplations_pg29843_latin1.txt", "fr"),
        ("dirty/recuerdos_de_mi_vida_pg58331.txt", "es"),
    ],
)
def test_more_damage_is_a_higher_rate(data: Path, name: str, language: str) -> None:
    (source,) = read_file(data / "corpora" / name, name)
    text = source.text[20_000:100_000]
    chance = random.Random(3)
    rates = [
        junk_rate(damage(text, rate, chance)[0], language).rate for rate in (0, 0.01, 0.03, 0.08)
    ]
    assert rates == sorted(rates)
    assert rates[1] > 2 * rates[0]


def test_latin_is_known_and_its_damage_seen() -> None:
    sound = (
        "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani, "
        "tertiam qui ipsorum lingua Celtae, nostra Galli appellantur. "
    )
    spoiled = sound.replace("omnis", "oninis").replace("tertiam", "tcrtiam").replace("qui", "qnii")
    assert junk_rate(sound, "la").rate < 100 < junk_rate(spoiled, "la").rate


def test_lines_and_examples_show_the_trouble() -> None:
    text = "The cat sat on the mat.\n" * 50 + "blclened ruins, the stnrk walls np uut of thie\n"
    found = junk_rate(text + "The dog ran after the cat.\n" * 50, "en")
    assert found.lines[0].line == 51
    assert "stnrk" in found.lines[0].why
    assert "blclened" in found.examples


def test_a_language_without_a_lexicon_is_said_to_be_unmeasured() -> None:
    found = junk_rate("Jumalan alkuun loi taivaan ja maan.", "fi")
    assert (found.language, found.words) == ("", 0)


def test_old_spelling_names_and_foreign_scripts_are_no_damage() -> None:
    text = "Mr. Keimer and Sir Hans Sloane wrote ﬁne λόγος to 學而時習之 o'er the Mountain ſtream"
    assert junk_rate(text, "en").rate < 30


@pytest.mark.parametrize("text", ["", "   \n", "\0" * 100, "x" * 100_000, "~" * 5000, "a\n" * 9999])
def test_odd_texts_have_a_rate(text: str) -> None:
    found = junk_rate(text, "en")
    assert 0 <= found.errors <= 1
    assert 0 <= found.rate <= 1000


def test_packed_hashes_come_back() -> None:
    hashes = np.unique(np.array([0, 1, 127, 128, 16_384, 2**HASH_BITS - 1], np.uint32))
    assert unpack(pack(hashes)).tolist() == hashes.tolist()


def test_there_are_lexicons_for_eight_languages() -> None:
    assert languages() == ("de", "en", "es", "fr", "it", "la", "nl", "pt")
    assert lexicon("de-AT") is not None
    assert lexicon("../en") is None
    assert fold("ﬁſh", "en") == "fish"
