from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.backends.qdrant import open_store
from salon.errors import IndexMismatchError
from salon.index.manifest import (
    CANARY_TEXTS,
    FORMAT,
    Manifest,
    check,
    check_canaries,
    choose_canaries,
    fingerprint,
    read_manifest,
    same_fingerprint,
    write_manifest,
)
from salon.index.windows import WindowConfig
from salon.testing.fakes import HashEmbedder
from salon.testing.store_contract import SHAPE, axis, passage, unit
from salon.types import CutterConfig
from tests.index.making import CONTEXT

EMBEDDER = HashEmbedder(dimensions=96, window=64)


def manifest(**changes):
    fields = {
        "generation": "000001-abcdef",
        "embedder": EMBEDDER.id,
        "fingerprint": fingerprint(EMBEDDER.embed(CANARY_TEXTS)),
        "cutter": CutterConfig(),
        "windows": WindowConfig(header=True),
        "language": "fr",
        "average": 61.25,
        "sources": 2,
        "passages": 30,
        "vectors": 99,
        "built_at": "2031-01-01T00:00:00+00:00",
        "canaries": (1, 5, 9),
    }
    return Manifest(**fields | changes)


def test_a_manifest_comes_back_as_it_was(tmp_path):
    write_manifest(manifest(), tmp_path / "manifest.json")
    assert read_manifest(tmp_path / "manifest.json", "salon index ada") == manifest()
    assert manifest().format == FORMAT


def test_the_last_digits_of_another_machine_are_no_other_embedder():
    vectors = EMBEDDER.embed(CANARY_TEXTS)
    shaken = vectors + np.random.default_rng(3).normal(0, 0.004, vectors.shape).astype(np.float32)
    check(manifest(), EMBEDDER.id, shaken, "salon index ada")


@pytest.mark.parametrize("row", range(len(CANARY_TEXTS)))
def test_one_text_placed_elsewhere_is_another_embedder(row):
    vectors = EMBEDDER.embed(CANARY_TEXTS)
    vectors[row] = np.roll(vectors[row], 1)
    with pytest.raises(IndexMismatchError, match="salon index ada --rebuild"):
        check(manifest(), EMBEDDER.id, vectors, "salon index ada")


def test_fingerprints_of_another_size_differ():
    assert not same_fingerprint(np.eye(4, 96), np.eye(4, 64, dtype=np.float32))


@given(st.lists(st.integers(1, 10**6), unique=True, max_size=200))
def test_up_to_eight_canaries_are_chosen_evenly(keys):
    chosen = choose_canaries(keys)
    assert len(chosen) == min(8, len(keys))
    assert [keys.index(key) for key in chosen] == sorted(keys.index(key) for key in chosen)
    if len(keys) >= 16:
        assert keys.index(chosen[-1]) >= len(keys) * 3 // 4 - 8


@pytest.fixture
def store(tmp_path):
    store = open_store(str(tmp_path / "s"), CONTEXT, SHAPE)
    store.upsert([passage(1, [axis(0)]), passage(2, [axis(1)]), passage(3, [axis(1)])])
    yield store
    store.close()


def test_canaries_find_themselves_also_among_equals(store):
    check_canaries(store, (1, 2, 3), [axis(0), axis(1), axis(1)], "salon index ada")


@pytest.mark.parametrize("vector", [axis(1), axis(5), unit(1, 1.01)])
def test_a_canary_that_others_outrank_is_a_mismatch(store, vector):
    with pytest.raises(IndexMismatchError, match="its own passage 1"):
        check_canaries(store, (1,), [vector], "salon index ada")
