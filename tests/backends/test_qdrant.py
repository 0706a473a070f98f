"""The embedded store against the port's promises, and what is its own: graphs and recall."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from salon.backends.qdrant import open_store
from salon.errors import IndexError_, RetrievalUnavailable
from salon.plugins import Plugins
from salon.ports import BackendContext, StoreShape
from salon.testing.store_contract import NO_WORDS, SHAPE, VectorStoreContract, axis, drawn, passage
from salon.types import PassageVectors

CONTEXT = BackendContext(models_dir=Path(), options={})


class TestQdrantEdge(VectorStoreContract):
    @pytest.fixture
    def factory(self):
        return open_store

    @pytest.fixture
    def location(self, tmp_path):
        return str(tmp_path / "store")


def clustered(rng, centres, count):
    rows = centres[rng.integers(0, len(centres), count)]
    rows = rows + 0.7 * rng.standard_normal(rows.shape).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_it_registers_as_qdrant_edge():
    plugins = Plugins()
    from salon.backends import qdrant

    qdrant.register(plugins)
    assert plugins.store_factory("qdrant-edge") is open_store


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A collection that is large enough for a graph: its folder, its rows, questions near them."""
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((70, 384)).astype(np.float32)
    rows, questions = clustered(rng, centres, 7000), clustered(rng, centres, 60)
    folder = tmp_path_factory.mktemp("large") / "store"
    store = open_store(str(folder), CONTEXT, StoreShape(384, ("wide",)))
    for at in range(0, len(rows), 500):
        store.upsert(
            [
                PassageVectors(at + n + 1, {"wide": row[None]}, NO_WORDS)
                for n, row in enumerate(rows[at : at + 500])
            ]
        )
    store.optimize()
    store.flush()
    store.close()
    return folder, rows, questions


def graphs(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("graph.bin")}


def test_recall_with_a_graph_is_near_that_of_exact_search(large):
    folder, rows, questions = large
    assert graphs(folder)
    exact = np.argsort(-(questions @ rows.T), axis=1)[:, :6] + 1
    store = open_store(str(folder), CONTEXT)
    found = [
        {key for key, _ in store.search(question, NO_WORDS, 6).dense["wide"]}
        for question in questions
    ]
    store.close()
    recall = np.mean([len(set(want) & got) / 6 for want, got in zip(exact, found, strict=True)])
    assert recall >= 0.99


def test_a_small_change_of_a_large_collection_builds_no_graph_anew(large, tmp_path):
    folder, rows, _ = large
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    before = graphs(copy)
    store = open_store(str(copy), CONTEXT)
    store.delete(range(1, 21))
    store.upsert([PassageVectors(9000, {"wide": rows[:1]}, NO_WORDS)])
    store.optimize()
    store.flush()
    assert graphs(copy) == before
    assert store.search(rows[0], NO_WORDS, 1).dense["wide"][0][0] == 9000
    assert store.count() == len(rows) - 20 + 1
    store.close()


@pytest.mark.parametrize("key", [0, -1, 2**43])
def test_keys_outside_the_range_are_refused(tmp_path, key):
    store = open_store(str(tmp_path / "s"), CONTEXT, SHAPE)
    with pytest.raises(IndexError_, match="key"):
        store.upsert([passage(key, [axis(0)])])
    store.close()


def test_a_passage_needs_all_fields_and_no_other(tmp_path):
    store = open_store(str(tmp_path / "s"), CONTEXT, SHAPE)
    with pytest.raises(IndexError_, match="narrow"):
        store.upsert([PassageVectors(1, {"wide": axis(0)[None]}, NO_WORDS)])
    store.close()


def test_damaged_files_are_an_error_that_names_the_folder(tmp_path):
    folder = tmp_path / "s"
    store = open_store(str(folder), CONTEXT, SHAPE)
    store.upsert(drawn(1, 20))
    store.flush()
    store.close()
    for path in folder.rglob("segment.json"):
        path.write_text("{")
    with pytest.raises(IndexError_, match=str(folder)):
        open_store(str(folder), CONTEXT)


def test_a_damaged_shape_is_an_error(tmp_path):
    folder = tmp_path / "s"
    open_store(str(folder), CONTEXT, SHAPE).close()
    (folder / "shape.json").write_text(json.dumps({"dimensions": 8}))
    with pytest.raises(IndexError_, match=r"shape\.json is damaged"):
        open_store(str(folder), CONTEXT)


def test_it_is_not_made_over_another(tmp_path):
    open_store(str(tmp_path / "s"), CONTEXT, SHAPE).close()
    with pytest.raises(IndexError_, match="could not be made"):
        open_store(str(tmp_path / "s"), CONTEXT, SHAPE)


def test_a_closed_store_cannot_be_counted(tmp_path):
    store = open_store(str(tmp_path / "s"), CONTEXT, SHAPE)
    store.close()
    with pytest.raises(RetrievalUnavailable):
        store.count()
