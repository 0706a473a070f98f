"""What every Embedder promises, as tests to inherit.

class TestMine(EmbedderContract):
    @pytest.fixture
    def embedder(self): ...
"""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from salon.errors import InputError
from salon.ports import Embedder, TokenEmbedder
from salon.types import Vector

TEXTS = (
    "The keeper climbed the stairs of the lighthouse to light the lamp.",
    "A guide to baking bread with wild yeast and rye flour.",
    "Été à Honfleur : les phares, la mer, l’œuvre de Boudin.",
    "孔子曰：學而時習之，不亦說乎？",
    "x",
)


class EmbedderContract:
    """Inherit, and give the fixture `embedder`."""

    tolerance = 1e-6

    @pytest.fixture
    def embedder(self) -> Embedder:
        raise NotImplementedError

    def test_rows_are_unit_vectors_of_the_stated_size(self, embedder: Embedder) -> None:
        vectors = embedder.embed(TEXTS)
        assert vectors.shape == (len(TEXTS), embedder.id.dimensions)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)

    def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.id.dimensions)

    @pytest.mark.parametrize("kind", ["passage", "query"])
    def test_a_row_depends_on_its_own_text_only(self, embedder: Embedder, kind: str) -> None:
        together = embedder.embed(TEXTS, kind)  # type: ignore[arg-type]
        for row, text in zip(together, TEXTS, strict=True):
            alone = embedder.embed([text], kind)[0]  # type: ignore[arg-type]
            np.testing.assert_allclose(row, alone, atol=self.tolerance)

    def test_rows_come_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        forward, backward = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])
        np.testing.assert_allclose(forward, backward[::-1], atol=self.tolerance)

    def test_a_text_is_nearest_to_itself(self, embedder: Embedder) -> None:
        vectors = embedder.embed(TEXTS)
        assert ((vectors @ vectors.T).argmax(axis=1) == np.arange(len(TEXTS))).all()

    def test_pieces_are_ascending_spans_inside_the_text(self, embedder: Embedder) -> None:
        for text in TEXTS:
            spans = embedder.pieces(text)
            assert spans
            assert all(0 <= start <= end <= len(text) for start, end in spans)
            assert all(a[0] <= b[0] for a, b in itertools.pairwise(spans))

    def test_an_empty_text_has_no_pieces(self, embedder: Embedder) -> None:
        assert len(embedder.pieces("")) == 0

    def test_a_text_that_fills_the_window_is_embedded(self, embedder: Embedder) -> None:
        assert len(embedder.embed([_of_pieces(embedder, embedder.id.window)])) == 1

    def test_a_text_above_the_window_is_refused(self, embedder: Embedder) -> None:
        with pytest.raises(InputError):
            embedder.embed(["short", _of_pieces(embedder, embedder.id.window + 1)])

    def test_threads_may_embed_at_the_same_time(self, embedder: Embedder) -> None:
        expected = embedder.embed(TEXTS)
        results: list[Vector] = []
        threads = [
            threading.Thread(target=lambda: results.append(embedder.embed(TEXTS))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == len(threads)
        for result in results:
            np.testing.assert_allclose(result, expected, atol=self.tolerance)


class TokenEmbedderContract(EmbedderContract):
    """For embedders that tell the vectors of single words too."""

    @pytest.fixture
    def embedder(self) -> TokenEmbedder:
        raise NotImplementedError

    def test_vectors_with_tokens_are_those_without(self, embedder: TokenEmbedder) -> None:
        assert isinstance(embedder, TokenEmbedder)
        vectors, tokens = embedder.embed_with_tokens(TEXTS)
        np.testing.assert_allclose(vectors, embedder.embed(TEXTS), atol=self.tolerance)
        assert len(tokens) == len(TEXTS)

    def test_tokens_are_unit_vectors_as_bytes(self, embedder: TokenEmbedder) -> None:
        _, tokens = embedder.embed_with_tokens(TEXTS)
        for some in tokens:
            assert some.dtype == np.int8
            assert some.shape[1] == embedder.token_dimensions
            norms = np.linalg.norm(some.astype(np.float32), axis=1)
            np.testing.assert_allclose(norms, 127, atol=3)
        assert len(tokens[0]) >= 4, "keeper, climbed, stairs, lighthouse, light, lamp"

    def test_a_text_without_content_words_has_no_tokens(self, embedder: TokenEmbedder) -> None:
        _, tokens = embedder.embed_with_tokens(["to be or not", "the keeper"])
        assert tokens[0].shape == (0, embedder.token_dimensions)
        assert len(tokens[1]) >= 1
        assert embedder.embed_with_tokens([])[1] == []

    def test_a_word_is_nearest_to_itself(self, embedder: TokenEmbedder) -> None:
        _, tokens = embedder.embed_with_tokens(["lighthouse", "bread lighthouse anchor"])
        cosines = tokens[0].astype(np.float32) @ tokens[1].astype(np.float32).T
        assert cosines.max() > 0.5 * 127 * 127


def _of_pieces(embedder: Embedder, count: int) -> str:
    text = "a " * count
    assert len(embedder.pieces(text)) == count, "'a' is one piece in every vocabulary we know"
    return text
