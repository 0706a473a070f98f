"""What every VectorStore promises, as tests to inherit.

class TestMine(VectorStoreContract):
    @pytest.fixture
    def factory(self): return my_open_store      # a function that a child process can import

    @pytest.fixture
    def location(self, tmp_path): return str(tmp_path / "store")
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from salon.errors import IndexMismatchError, IndexMissingError, RetrievalUnavailable
from salon.ports import BackendContext, StoreFactory, StoreShape, VectorStore
from salon.types import Arms, PassageVectors, SparseVector, Vector

DIMENSIONS = 8
SHAPE = StoreShape(DIMENSIONS, ("wide", "narrow"))
NO_WORDS = SparseVector((), ())
_CONTEXT = BackendContext(models_dir=Path(), options={})

_WRITER = """
import sys
from importlib import import_module
from salon.testing.store_contract import SHAPE, _CONTEXT, drawn
store = getattr(import_module(sys.argv[1]), sys.argv[2])(sys.argv[3], _CONTEXT, SHAPE)
store.upsert(drawn(1, 300))
store.delete([7])
store.flush()
print("flushed", flush=True)
for start in range(1000, 10**6, 50):
    store.upsert(drawn(start, start + 50))
"""


def unit(*values: float) -> Vector:
    """A vector of length 1 that begins with `values`."""
    vector: Vector = np.zeros(DIMENSIONS, np.float32)
    vector[: len(values)] = values
    vector /= np.linalg.norm(vector)
    return vector


def axis(number: int) -> Vector:
    vector: Vector = np.zeros(DIMENSIONS, np.float32)
    vector[number] = 1.0
    return vector


def passage(
    key: int,
    wide: Sequence[Vector],
    narrow: Sequence[Vector] = (),
    words: SparseVector = NO_WORDS,
) -> PassageVectors:
    """A passage with these windows; narrow ones are the wide ones where none are given."""
    return PassageVectors(key, {"wide": np.stack(wide), "narrow": np.stack(narrow or wide)}, words)


def drawn(start: int, end: int) -> list[PassageVectors]:
    """Passages with drawn vectors, the same for a key every time."""
    items = []
    for key in range(start, end):
        rows = np.random.default_rng(key).standard_normal((3, DIMENSIONS)).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        items.append(
            passage(
                key, list(rows[:1]), list(rows[1:]), SparseVector((key % 5, 1000 + key), (1.0, 1.0))
            )
        )
    return items


def keys(arm: list[tuple[int, float]]) -> list[int]:
    return [key for key, _ in arm]


class VectorStoreContract:
    """Inherit, and give the fixtures `factory` and `location`."""

    tolerance = 1e-5

    @pytest.fixture
    def factory(self) -> StoreFactory:
        raise NotImplementedError

    @pytest.fixture
    def location(self) -> str:
        raise NotImplementedError

    @pytest.fixture
    def store(self, factory: StoreFactory, location: str) -> Iterator[VectorStore]:
        store = factory(location, _CONTEXT, SHAPE)
        yield store
        store.close()

    def find(self, store: VectorStore, vector: Vector, limit: int = 10) -> Arms:
        return store.search(vector, NO_WORDS, limit)

    def test_an_empty_store_finds_nothing(self, store: VectorStore) -> None:
        arms = store.search(axis(0), SparseVector((1,), (1.0,)), 5)
        assert arms == Arms({"wide": [], "narrow": []}, [])
        assert store.count() == 0

    def test_best_come_first_with_their_cosines(self, store: VectorStore) -> None:
        store.upsert([passage(1, [unit(1, 1)]), passage(2, [unit(1, 0.1)]), passage(3, [axis(5)])])
        arm = self.find(store, unit(1)).dense["wide"]
        assert keys(arm) == [2, 1, 3]
        scores = [score for _, score in arm]
        expected = [1 / np.sqrt(1.01), 1 / np.sqrt(2), 0.0]
        np.testing.assert_allclose(scores, expected, atol=self.tolerance)

    def test_the_length_of_a_vector_does_not_count(self, store: VectorStore) -> None:
        store.upsert([passage(1, [unit(1, 0.2) * 9]), passage(2, [axis(0) * 0.1])])
        arm = self.find(store, axis(0) * 3).dense["wide"]
        assert keys(arm) == [2, 1]
        assert arm[0][1] == pytest.approx(1.0, abs=self.tolerance)

    def test_fields_are_searched_apart(self, store: VectorStore) -> None:
        store.upsert([passage(1, [axis(0)], [axis(1)]), passage(2, [axis(1)], [axis(0)])])
        arms = self.find(store, axis(0), 1)
        assert keys(arms.dense["wide"]) == [1]
        assert keys(arms.dense["narrow"]) == [2]

    def test_every_window_is_found(self, store: VectorStore) -> None:
        store.upsert([passage(1, [axis(0)], [axis(n) for n in range(5)]), passage(2, [axis(6)])])
        for number in range(5):
            ((key, score),) = self.find(store, axis(number), 1).dense["narrow"]
            assert (key, round(score, 3)) == (1, 1.0)
        assert len(self.find(store, axis(0)).dense["narrow"]) == 6
        assert store.count() == 2

    def test_limit_holds_for_each_arm(self, store: VectorStore) -> None:
        store.upsert(drawn(1, 40))
        arms = store.search(unit(1, 1), SparseVector((0, 1, 2), (1.0, 1.0, 1.0)), 7)
        assert [len(arms.dense["wide"]), len(arms.dense["narrow"]), len(arms.lexical)] == [7, 7, 7]

    def test_upsert_replaces_all_that_a_key_had(self, store: VectorStore) -> None:
        words = SparseVector((5,), (1.0,))
        store.upsert([passage(1, [axis(0)], [axis(n) for n in range(4)], words)])
        store.upsert([passage(1, [axis(7)], words=SparseVector((6,), (1.0,)))])
        arms = store.search(axis(0), words, 10)
        assert arms.lexical == []
        for arm in arms.dense.values():
            assert [(key, round(score, 3)) for key, score in arm] == [(1, 0.0)]
        assert store.count() == 1

    def test_deleted_keys_are_not_found_and_others_stay(self, store: VectorStore) -> None:
        many = [axis(n % DIMENSIONS) for n in range(600)]
        store.upsert([passage(1, [axis(0)], many), passage(2, [axis(0)]), passage(3, [axis(0)])])
        store.delete([1, 3, 99])
        for arm in self.find(store, axis(0), 50).dense.values():
            assert keys(arm) == [2]
        assert store.count() == 1

    def test_large_keys_are_kept_whole(self, store: VectorStore) -> None:
        largest = 2**43 - 1
        store.upsert([passage(largest, [axis(0)]), passage(largest - 1, [axis(1)])])
        assert keys(self.find(store, axis(0), 1).dense["wide"]) == [largest]

    def test_rare_words_weigh_more_than_common_ones(self, store: VectorStore) -> None:
        common, rare = 11, 4_000_000_000
        store.upsert(
            [passage(key, [axis(0)], words=SparseVector((common,), (1.0,))) for key in range(1, 20)]
        )
        store.upsert([passage(50, [axis(0)], words=SparseVector((rare,), (1.0,)))])
        arm = store.search(axis(0), SparseVector((common, rare), (1.0, 1.0)), 5).lexical
        assert arm[0][0] == 50
        assert arm[0][1] > 3 * arm[1][1]

    def test_heavier_terms_come_first(self, store: VectorStore) -> None:
        weights = {1: 0.5, 2: 2.0, 3: 1.0}
        store.upsert(
            [passage(k, [axis(0)], words=SparseVector((8,), (w,))) for k, w in weights.items()]
        )
        arm = store.search(axis(0), SparseVector((8,), (1.0,)), 5).lexical
        assert keys(arm) == [2, 3, 1]
        assert arm[0][1] == pytest.approx(4 * arm[2][1])

    def test_no_words_mean_an_empty_lexical_arm(self, store: VectorStore) -> None:
        store.upsert(drawn(1, 5))
        assert store.search(axis(0), NO_WORDS, 5).lexical == []
        assert store.search(axis(0), SparseVector((77,), (1.0,)), 5).lexical == []

    def test_what_was_written_is_there_after_reopening(
        self, store: VectorStore, factory: StoreFactory, location: str
    ) -> None:
        store.upsert(drawn(1, 60))
        store.optimize()
        store.flush()
        query = (unit(1, 2, 3), SparseVector((2,), (1.0,)), 10)
        before = store.search(*query)
        store.close()
        again = factory(location, _CONTEXT)
        after = again.search(*query)
        again.close()
        assert before.dense.keys() == after.dense.keys()
        for name, arm in before.dense.items():
            assert keys(arm) == keys(after.dense[name])
        assert sorted(keys(before.lexical)) == sorted(keys(after.lexical))

    def test_what_was_flushed_survives_a_kill(self, factory: StoreFactory, location: str) -> None:
        names = (factory.__module__, factory.__qualname__)  # type: ignore[attr-defined]
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, *names, location], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "flushed\n"
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        store = factory(location, _CONTEXT)
        try:
            for item in drawn(1, 300):
                vector = item.dense["wide"][0]
                found = keys(store.search(vector, NO_WORDS, 5).dense["wide"])
                assert (found[0] == item.key) == (item.key != 7)
        finally:
            store.close()

    def test_a_missing_collection_is_not_an_empty_one(
        self, factory: StoreFactory, location: str
    ) -> None:
        with pytest.raises(IndexMissingError):
            factory(location, _CONTEXT)

    @pytest.mark.parametrize("size", [1, DIMENSIONS - 1, DIMENSIONS + 1])
    def test_vectors_of_another_size_are_refused(self, store: VectorStore, size: int) -> None:
        store.upsert(drawn(1, 3))
        other = np.ones(size, np.float32)
        with pytest.raises(IndexMismatchError, match=str(DIMENSIONS)):
            store.upsert([passage(9, [other])])
        with pytest.raises(IndexMismatchError, match=str(DIMENSIONS)):
            self.find(store, other)
        assert store.count() == 2

    def test_a_vector_without_numbers_cannot_be_searched(self, store: VectorStore) -> None:
        store.upsert(drawn(1, 3))
        with pytest.raises(RetrievalUnavailable):
            self.find(store, axis(0) * np.float32(np.nan))

    def test_a_store_that_is_gone_raises(self, store: VectorStore) -> None:
        store.upsert(drawn(1, 3))
        store.close()
        with pytest.raises(RetrievalUnavailable):
            self.find(store, axis(0))

    def test_closing_twice_is_closing_once(self, store: VectorStore) -> None:
        store.close()
        store.close()

    def test_searches_at_the_same_time_do_not_mix(self, store: VectorStore) -> None:
        items = drawn(1, 200)
        store.upsert(items)

        def first(item: PassageVectors) -> int:
            arms = store.search(item.dense["wide"][0], SparseVector((1000 + item.key,), (1.0,)), 3)
            assert keys(arms.lexical) == [item.key]
            return arms.dense["wide"][0][0]

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(first, items * 3)) == [item.key for item in items * 3]
