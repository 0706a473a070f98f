"""Indexes of an embedder that tells its words' vectors: kept, found again, and kept up to date."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from salon.errors import IndexError_
from salon.index.windows import WIDE, windows_for
from salon.retrieval.search import find
from salon.testing.fakes import HashEmbedder, HashTokenEmbedder
from tests.index.making import Place, essay, setup


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    embedder = HashTokenEmbedder(dimensions=96, window=64)
    place.setup = setup(embedder=embedder, windows=windows_for(embedder))
    place.write(one=essay(1), two=essay(2))
    place.build()
    return place


def _rows(place: Place) -> dict[int, tuple[bytes, bytes]]:
    base = sqlite3.connect(place.folder / place.current() / "passages.db")
    keys = {key for (key,) in base.execute("SELECT key FROM passages")}
    rows = {row[0]: row[1:] for row in base.execute("SELECT * FROM token_vectors")}
    base.close()
    assert rows.keys() == keys
    return rows


def test_windows_are_narrow_only_where_words_have_no_vectors() -> None:
    assert windows_for(HashEmbedder()).fields == ("wide", "narrow")
    assert windows_for(HashTokenEmbedder()).fields == (WIDE,)
    assert windows_for(HashTokenEmbedder()).tokens == HashTokenEmbedder.token_dimensions


def test_every_passage_has_the_tokens_of_its_windows(place: Place) -> None:
    generation = place.open()
    passages = [
        p for i in generation.passages.sources() for p in generation.passages.passages_of(i.id)
    ]
    keys = sorted(_rows(place))
    for passage, tokens in zip(passages, generation.passages.tokens(keys, 32), strict=True):
        _, expected = HashTokenEmbedder(window=1000).embed_with_tokens([passage.text])
        assert sum(tokens.counts) == len(tokens.vectors) >= len(expected[0])
    generation.close()


def test_search_ranks_by_words_and_finds_the_passage(place: Place) -> None:
    generation = place.open()
    found = find(generation, place.setup.embedder, "mark 2x7", limit=4)
    assert "mark 2x7." in found.hits[0].passage.text
    generation.close()


def test_changed_file_changes_its_own_tokens_only(place: Place) -> None:
    before = _rows(place)
    place.write(two=essay(3))
    report = place.build()
    after = _rows(place)
    assert report.embedded > 0
    same = before.keys() & after.keys()
    assert len(same) >= len(before) // 2
    assert all(before[key] == after[key] for key in same)


def test_rebuilding_takes_all_from_the_cache(place: Place) -> None:
    before = _rows(place)
    assert place.build(rebuild=True).embedded == 0
    assert sorted(_rows(place).values()) == sorted(before.values())


def test_passage_without_its_tokens_is_a_damaged_index(place: Place) -> None:
    generation = place.open()
    with pytest.raises(IndexError_, match="token vectors"):
        generation.passages.tokens([999_999], 32)
    generation.close()


def test_index_made_without_tokens_is_made_anew(place: Place) -> None:
    embedder = place.setup.embedder
    place.setup = setup(embedder=embedder)
    assert place.build().unchanged is False
    generation = place.open()
    assert generation.manifest.windows.tokens == 0
    assert find(generation, embedder, "mark 2x7").hits
    generation.close()
    place.setup = setup(embedder=embedder, windows=windows_for(embedder))
    assert place.build().unchanged is False
    assert all(np.frombuffer(counts, np.int32).size for counts, _ in _rows(place).values())
