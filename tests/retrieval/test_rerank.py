"""Late interaction: which of a search's passages has the question's words near each other."""

from __future__ import annotations

import numpy as np
import pytest

from salon.retrieval.fuse import Fused
from salon.retrieval.rerank import rerank
from salon.types import PassageTokens

SIZE = 8


def _words(*axes: int) -> np.ndarray:
    rows = np.zeros((len(axes), SIZE), np.int8)
    for row, axis in zip(rows, axes, strict=True):
        row[axis] = 127
    return rows


def _found(*scores: float) -> list[Fused]:
    return [Fused(key, score, 0.5) for key, score in enumerate(scores, 1)]


def _passage(*windows: tuple[int, ...]) -> PassageTokens:
    return PassageTokens(
        tuple(len(window) for window in windows),
        np.concatenate([_words(*window) for window in windows]),
    )


def test_passage_with_the_words_in_one_window_comes_first() -> None:
    apart = _passage((0, 4), (1, 5))
    near = _passage((4, 5), (0, 1, 6))
    ranked = rerank(_found(0.1, 0.1, 0.0), _words(0, 1), [apart, near, _passage((6,))])
    assert [one.key for one in ranked] == [2, 1, 3]


def test_a_clear_lead_of_the_search_is_kept() -> None:
    tokens = [_passage((0,)), _passage((0,)), _passage((0,))]
    assert [one.key for one in rerank(_found(3.0, 1.0, 0.5), _words(0), tokens)] == [1, 2, 3]


def test_passages_without_tokens_given_follow_as_they_were() -> None:
    ranked = rerank(_found(2.0, 1.0, 0.5, 0.4), _words(1), [_passage((0,)), _passage((1,))])
    assert [one.key for one in ranked][2:] == [3, 4]
    assert len({one.key for one in ranked}) == 4


@pytest.mark.parametrize("words", [(), (0,)])
def test_nothing_to_compare_changes_nothing(words: tuple[int, ...]) -> None:
    tokens = [_passage((1,))] if not words else []
    found = _found(2.0, 1.0)
    assert rerank(found, _words(*words), tokens) == found


def test_windows_without_words_and_passages_without_windows_score_nothing() -> None:
    empty = PassageTokens((0, 0), np.empty((0, SIZE), np.int8))
    mixed = PassageTokens((0, 2, 0), _words(0, 1))
    ranked = rerank(_found(0.0, 0.0), _words(0, 1), [empty, mixed])
    assert [one.key for one in ranked] == [2, 1]
    alone = rerank(_found(0.0), _words(0), [empty])
    assert [one.key for one in alone] == [1]
