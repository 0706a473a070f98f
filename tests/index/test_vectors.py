from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from salon.errors import IndexError_
from salon.index.vectors import VectorCache, split_keys, vector_key
from salon.types import EmbedderId

ID = EmbedderId("hash", 4, 64)
ROWS = np.array([[1, 0, 0, 0], [0.1, 1 / 3, 1e-7, -1]], np.float32)
KEYS = [b"a" * 16, b"b" * 16]


@pytest.fixture
def cache(tmp_path):
    cache = VectorCache(tmp_path / "vectors.cache")
    yield cache
    cache.close()


def test_vectors_come_back_to_the_last_bit(cache, tmp_path):
    cache.put(KEYS, ROWS)
    cache.close()
    again = VectorCache(tmp_path / "vectors.cache")
    found = again.get([*KEYS, b"c" * 16])
    again.close()
    assert found.keys() == set(KEYS)
    for key, row in zip(KEYS, ROWS, strict=True):
        assert found[key].tobytes() == row.tobytes()


def test_thousands_of_keys_are_asked_for_at_once(cache):
    keys = [number.to_bytes(16, "big") for number in range(3000)]
    cache.put(keys, np.arange(12_000, dtype=np.float32).reshape(3000, 4))
    found = cache.get(keys[::-1])
    assert len(found) == 3000
    assert found[keys[2999]].tolist() == [11996, 11997, 11998, 11999]


@pytest.mark.parametrize(
    "other",
    [
        vector_key(EmbedderId("hush", 4, 64), "text"),
        vector_key(EmbedderId("hash", 5, 64), "text"),
        vector_key(ID, "text", "query"),
        vector_key(ID, "text "),
    ],
)
def test_a_key_is_of_all_that_a_vector_depends_on(other):
    assert other != vector_key(ID, "text")
    assert split_keys(vector_key(ID, "text") + other) == [vector_key(ID, "text"), other]


def test_pruning_waits_until_two_thirds_are_waste(cache):
    keys = [number.to_bytes(16, "big") for number in range(90)]
    cache.put(keys, np.zeros((90, 4), np.float32))
    assert cache.prune(30, lambda: set(keys[:30])) == 0
    assert len(cache.get(keys)) == 90
    assert cache.prune(29, lambda: set(keys[:29])) == 61
    assert cache.get(keys).keys() == set(keys[:29])


def test_vectors_of_other_weights_under_the_same_name_are_forgotten(cache):
    probes = np.eye(4, dtype=np.float32)
    assert cache.trust(ID, probes)
    cache.put(KEYS, ROWS)
    assert cache.trust(ID, probes + np.float32(0.01))
    assert cache.get(KEYS)
    assert not cache.trust(ID, probes[::-1].copy())
    assert not cache.get(KEYS)


def test_a_file_that_is_no_cache_is_named_with_the_cure(tmp_path):
    path = tmp_path / "vectors.cache"
    path.write_bytes(b"This is no database, and it is long enough to be looked at." * 40)
    with pytest.raises(IndexError_, match=r"vectors\.cache is damaged") as raised:
        VectorCache(path)
    assert "delete this file" in str(raised.value)


_WRITER = """
import sys
import numpy as np
from pathlib import Path
from salon.index.vectors import VectorCache
cache = VectorCache(Path(sys.argv[1]))
for start in range(0, 10**6, 100):
    keys = [number.to_bytes(16, "big") for number in range(start, start + 100)]
    cache.put(keys, np.full((100, 4), start, np.float32))
    print(start + 100, flush=True)
"""


@pytest.mark.crash
def test_a_kill_loses_nothing_that_was_put(tmp_path):
    path = tmp_path / "vectors.cache"
    child = subprocess.Popen(
        [sys.executable, "-c", _WRITER, path], stdout=subprocess.PIPE, text=True
    )
    done = [int(child.stdout.readline()) for _ in range(20)][-1]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    cache = VectorCache(path)
    keys = [number.to_bytes(16, "big") for number in range(done)]
    assert len(cache.get(keys)) == done
    cache.close()
    with sqlite3.connect(path) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
