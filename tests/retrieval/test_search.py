"""One search: what it is asked with, and how many hits come of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from salon.index.generation import Generation
from salon.retrieval.search import find
from tests.index.making import Place, essay

TWICE = essay(9, 24)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    place.write(one=f"{TWICE}\n\n{essay(1)}", two=f"{TWICE}\n\n{essay(2)}")
    place.build()
    return place


@pytest.fixture
def generation(place: Place) -> Iterator[Generation]:
    opened = place.open()
    yield opened
    opened.close()


def test_hits_are_the_best_in_order(place: Place, generation: Generation) -> None:
    found = find(generation, place.setup.embedder, "mark 2x7", limit=4)
    assert "mark 2x7." in found.hits[0].passage.text
    assert [hit.rank for hit in found.hits] == [1, 2, 3, 4]
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert found.generation == place.current()


def test_passages_with_the_same_words_are_one_before_the_best_are_cut_off(
    place: Place, generation: Generation
) -> None:
    """Public report X11: copies filled the places of other passages."""
    question = TWICE[:200]
    more = find(generation, place.setup.embedder, question, limit=50).hits
    texts = [hit.passage.text for hit in more]
    assert len(set(texts)) == len(texts) < generation.manifest.passages
    few = find(generation, place.setup.embedder, question, limit=5).hits
    assert [hit.passage.id for hit in few] == [hit.passage.id for hit in more[:5]]


def test_of_a_question_longer_than_the_embedder_reads_the_end_counts(
    place: Place, generation: Generation
) -> None:
    embedder = place.setup.embedder
    end = find(generation, embedder, "mark 2x7").hits[0].passage.text
    assert len(embedder.pieces(essay(1))) > embedder.id.window
    hits = find(generation, embedder, f"{essay(1)} {end}", lexical_share=0.0).hits
    assert hits[0].passage.text == end
