"""Ratings, the corpus of a generation, the background of a corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from salon.house.background import EVERYDAY, measure
from salon.house.corpus import NoCorpus
from salon.house.rating import Rating
from salon.testing.fakes import HashEmbedder
from salon.types import Span, SparseVector
from tests.keeper import LOG, keeper_files, keeper_house


class CountingEmbedder(HashEmbedder):
    """Counts the texts that it was given."""

    embedded = 0

    def embed(self, texts, kind="passage"):
        self.embedded += len(texts)
        return super().embed(texts, kind)


def test_ratings_are_the_cosines_in_the_order_of_the_texts() -> None:
    embedder = HashEmbedder()
    texts = ["the goat ate the garden", "a clock without hands", "the goat ate the garden"]
    asked = embedder.embed(["what did the goat eat"], "query")[0]
    expected = [float(asked @ row) for row in embedder.embed(texts)]
    assert Rating(embedder)("what did the goat eat", texts) == pytest.approx(expected, abs=1e-6)
    assert Rating(embedder)("anything", []) == []


def test_a_sentence_is_embedded_once() -> None:
    embedder = CountingEmbedder()
    rating = Rating(embedder)
    rating("one question", ["a goat", "a clock", "a goat"])
    assert embedder.embedded == 3
    rating("another question", ["a clock", "a goat"])
    assert embedder.embedded == 4


def test_a_sentence_longer_than_the_window_is_rated_by_its_beginning() -> None:
    rating = Rating(HashEmbedder(window=10))
    (long, short) = rating("goat " * 50, ["goat " * 50, "clock"])
    assert long == pytest.approx(1.0)
    assert short < long


@pytest.fixture
def taken(tmp_path: Path):
    with keeper_house(tmp_path, keeper_files(tmp_path), HashEmbedder()) as house:
        house.index("maren")
        yield house._take(house.persona("maren"))


def test_the_corpus_has_every_text(taken) -> None:
    texts = {info.name: text for info, text in taken.corpus.texts()}
    assert set(texts) == {"log.txt", "letter.txt"}
    assert texts["log.txt"].split() == LOG.split()
    assert taken.corpus.fingerprint == taken.generation.manifest.generation


def test_the_passage_at_a_span_holds_it(taken) -> None:
    for info, text in taken.corpus.texts():
        start = text.index("goat")
        passage = taken.corpus.passage_at(info.id, Span(start, start + 4))
        assert passage is not None
        assert passage.start <= start < passage.end
        assert passage.source_id == info.id
    assert taken.corpus.passage_at("nothing", Span(0, 4)) is None
    assert taken.corpus.passage_at(info.id, Span(10**6, 10**6 + 4)) is None


def test_nothing_is_found_in_no_corpus() -> None:
    assert list(NoCorpus().texts()) == []
    assert NoCorpus().passage_at("a", Span(0, 1)) is None


def test_the_background_is_what_everyday_questions_score(taken) -> None:
    found = measure(taken.generation.store, taken.embedder)
    arms = [
        taken.generation.store.search(vector, SparseVector((), ()), 50).dense
        for vector in taken.embedder.embed(EVERYDAY, "query")
    ]
    best = [max(score for arm in dense.values() for _, score in arm) for dense in arms]
    assert found.mean == pytest.approx(float(np.median(best)))
    assert found.deviation >= 0.04
    assert taken.background() is taken.background()
    assert taken.background() == found
