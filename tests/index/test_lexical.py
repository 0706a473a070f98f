from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.index.lexical import length, sparse, sparse_query, terms


def weight(vector, word, language="en"):
    (index,) = sparse_query(word, language).indices
    return dict(zip(vector.indices, vector.values, strict=True)).get(index, 0.0)


def test_weights_are_those_of_bm25():
    # 6 terms, "lamp" twice; average 4: 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 6 / 4))
    vector = sparse("lamp rope harbour lamp kettle barrel", average=4.0)
    assert weight(vector, "lamp") == pytest.approx(2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 1.5)))
    assert weight(vector, "rope") == pytest.approx(2.2 / (1 + 1.2 * (0.25 + 0.75 * 1.5)))


def test_a_longer_passage_weighs_a_word_less():
    short, long = sparse("lamp rope", average=5), sparse("lamp " + "rope " * 20, average=5)
    assert weight(short, "lamp") > weight(long, "lamp")


def test_repetition_saturates():
    once, many = (sparse("lamp " * n + "rope " * (50 - n), average=50) for n in (1, 49))
    assert 1 < weight(many, "lamp") / weight(once, "lamp") < 2.5


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("lighthouses", "lighthouse", "en"),
        ("Electrified", "electrify", "en"),
        ("naïve", "naive", "en"),
        ("ÉLÈVES", "élève", "fr"),
        ("Häuser", "haus", "de"),
        ("Straße", "strasse", "de"),
        ("canciones", "canción", "es"),
        ("Εργασίες", "εργασίας", "el"),
        ("маяки", "маяк", "ru"),
    ],
)
def test_forms_of_a_word_are_one_term(one, other, language):
    assert terms(one, language) == terms(other, language) != []


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("What did you say about the lighthouses?", "en", ["lighthous"]),
        ("Can you tell me what you think of thrift, please?", "en", ["thrift"]),
        ("Qu'est-ce que vous pensez de la marine ?", "fr", ["marin"]),
        ("Parlez-moi du phare", "fr", ["phar"]),
        ("Was denkst du über den Leuchtturm?", "de", ["leuchtturm"]),
        ("¿Qué opinas de los faros?", "es", ["far"]),
        ("who are you", "en", []),
    ],
)
def test_the_words_by_which_people_ask_are_dropped(question, language, expected):
    assert terms(question, language) == expected


def test_words_of_asking_stay_in_passages():
    assert length("I think and I tell") == 2
    assert sparse_query("think tell").indices == ()


def test_scripts_without_spaces_become_pairs():
    assert terms("東京都", "ja") == ["東京", "京都"]
    assert weight(sparse("彼は東京都に住む", "ja", 5), "東京", "ja") > 0
    assert set(terms("ภาษาไทย", "th")) & set(terms("ไทย", "th"))


def test_indic_vowel_signs_do_not_break_words():
    assert len(terms("किताबें।", "hi")) == 1
    assert terms("किताब है।", "xx") == ["किताब", "है"]


def test_an_unknown_language_is_searched_without_stems():
    assert terms("lighthouses about", "tlh") == ["lighthouses", "about"]


@given(st.text(), st.sampled_from(["en", "fr", "de", "es", "ja", "hi", "xx", ""]))
def test_any_text_has_ascending_32_bit_terms(text, language):
    for vector in (sparse(text, language), sparse_query(text, language)):
        assert list(vector.indices) == sorted(set(vector.indices))
        assert all(0 <= index < 2**32 for index in vector.indices)
        assert len(vector.indices) == len(vector.values)
        assert all(value > 0 for value in vector.values)


@given(st.text(min_size=1))
def test_every_term_of_a_question_is_in_a_passage_of_the_same_words(text):
    assert set(sparse_query(text).indices) <= set(sparse(text).indices)


def test_terms_are_the_same_in_every_process():
    program = (
        "from salon.index.lexical import sparse; print(sparse('the lamps of Honfleur').indices)"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert seen == {f"{sparse('the lamps of Honfleur').indices}\n"}
