"""Several arms become one ranking."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.retrieval.fuse import fuse
from salon.types import Arms

WIDE = [(1, 0.9), (2, 0.5), (3, 0.1)]


def keys(arms: Arms, share: float = 0.15) -> list[int]:
    return [fused.key for fused in fuse(arms, share)]


def test_no_arms_find_nothing() -> None:
    assert fuse(Arms({"wide": [], "narrow": []}, [])) == []


@pytest.mark.parametrize(("share", "order"), [(0.0, [1, 2, 3]), (1.0, [3, 2, 1])])
def test_the_lexical_arm_weighs_its_share(share: float, order: list[int]) -> None:
    assert keys(Arms({"wide": WIDE}, [(3, 9.0), (2, 5.0)]), share) == order


def test_how_clear_a_win_was_counts() -> None:
    """By ranks alone the two are even: each is first once and second once."""
    close, far = [(1, 0.52), (2, 0.51), (3, 0.1), (4, 0.1)], [(1, 0.9), (2, 0.2), (3, 0.1)]
    assert keys(Arms({"wide": close}, [(2, 30.0), (1, 1.0)]), 0.5)[0] == 2
    assert keys(Arms({"wide": far}, [(2, 1.1), (1, 1.05)]), 0.5)[0] == 1


def test_one_short_window_that_matches_by_accident_does_not_win() -> None:
    narrow = [(1, 0.8), (2, 0.7), (2, 0.7), (1, 0.1)]
    assert keys(Arms({"narrow": narrow}, [])) == [2, 1]


def test_in_wide_windows_the_best_one_counts() -> None:
    wide = [(1, 0.8), (2, 0.7), (2, 0.7), (1, 0.1)]
    assert keys(Arms({"wide": wide}, [])) == [1, 2]


def test_similarity_is_the_best_cosine_of_any_window() -> None:
    found = fuse(Arms({"wide": [(1, 0.4), (2, 0.3)], "narrow": [(2, 0.6), (1, 0.2)]}, []))
    assert {fused.key: round(fused.similarity, 6) for fused in found} == {1: 0.4, 2: 0.6}


def test_what_only_the_words_find_is_ranked_too() -> None:
    assert set(keys(Arms({"wide": WIDE}, [(7, 3.0)]))) == {1, 2, 3, 7}


_ARM = st.lists(st.tuples(st.integers(1, 9), st.floats(0, 1)), max_size=20).map(
    lambda arm: sorted(arm, key=lambda entry: -entry[1])
)
_WORDS = st.dictionaries(st.integers(1, 9), st.floats(0, 40), max_size=9)


@given(_ARM, _ARM, _WORDS, st.floats(0, 1))
def test_every_candidate_is_ranked_once_and_best_first(wide, narrow, words, share) -> None:
    lexical = sorted(words.items(), key=lambda entry: -entry[1])
    found = fuse(Arms({"wide": wide, "narrow": narrow}, lexical), share)
    ranked = [fused.key for fused in found]
    assert sorted(ranked) == sorted({key for key, _ in (*wide, *narrow, *lexical)})
    scores = [fused.score for fused in found]
    assert all(map(math.isfinite, scores))
    assert scores == sorted(scores, reverse=True)
