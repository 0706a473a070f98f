"""Opening what was built: checks, the one opener, and switching under a running server."""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from salon.backends.qdrant import open_store
from salon.errors import IndexError_, IndexMismatchError, IndexMissingError
from salon.index.generation import Index
from salon.testing.fakes import HashEmbedder
from salon.testing.store_contract import NO_WORDS
from tests.index.making import CONTEXT, essay


@pytest.fixture
def index(place):
    index = Index(place.folder, place.setup.embedder, open_store, CONTEXT)
    yield index
    index.close()


def store_folder(generation) -> Path:
    """Where the store that the generation uses lies, by the files this process has mapped."""
    maps = Path("/proc/self/maps").read_text()
    return {line.split(maxsplit=5)[5] for line in maps.splitlines() if "/store/" in line}


def test_nothing_built_yet_names_the_command(place, index):
    with pytest.raises(IndexMissingError, match="salon index ada"):
        place.open()
    with pytest.raises(IndexMissingError, match="salon index ada"):
        index.current()


@pytest.mark.parametrize("content", [b"", b"000001-nowhere\n", b"../../etc\n", b"\xff\x00"])
def test_a_current_file_that_names_no_index_is_an_error(place, content):
    place.build()
    (place.folder / "current").write_bytes(content)
    with pytest.raises(IndexError_, match="salon index ada --rebuild"):
        place.open()


def test_an_index_that_may_not_be_read_is_not_called_missing(place, index):
    place.build()
    (place.folder / "current").unlink()
    (place.folder / "current").mkdir()  # reading it fails for every user, as a closed file does
    for opening in (place.open, index.current):
        with pytest.raises(IndexError_, match="current cannot be read") as raised:
            opening()
        assert not isinstance(raised.value, IndexMissingError)
        assert raised.value.cure


def test_a_half_written_generation_is_no_index(place):
    place.build()
    (place.folder / place.current() / "manifest.json").unlink()
    with pytest.raises(IndexError_, match="salon index ada --rebuild"):
        place.open()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', '{"format": 99}'])
def test_a_damaged_manifest_is_an_error(place, content):
    place.build()
    (place.folder / place.current() / "manifest.json").write_text(content)
    with pytest.raises(IndexError_, match="salon index ada --rebuild"):
        place.open()


def test_a_store_that_is_gone_is_an_error(place):
    place.build()
    shutil.rmtree(place.folder / place.current() / "store")
    with pytest.raises(IndexError_, match="salon index ada --rebuild"):
        place.open()


@pytest.mark.parametrize("content", ["", "{", '{"dimensions": 96, "fields": ["narrow"]}'])
def test_a_store_that_cannot_be_read_names_the_command(place, content):
    place.build()
    (place.folder / place.current() / "store" / "shape.json").write_text(content)
    with pytest.raises(IndexError_, match="salon index ada --rebuild"):
        place.open()


@pytest.mark.parametrize("content", [b"", b"\0" * 8, b"\xff torn \xfe" * 9])
def test_whatever_file_of_a_store_is_torn_the_command_is_named_or_nothing_is_lost(place, content):
    """The engine finds some of it as it opens its files, even by a panic, and some as it reads."""
    place.build()
    store = place.folder / place.current() / "store"
    small = [path for path in store.rglob("*") if path.is_file() and path.stat().st_size < 10_000]
    whole = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    refused = 0
    for path in small:
        shutil.rmtree(store)
        for other, text in whole.items():
            other.parent.mkdir(parents=True, exist_ok=True)
            other.write_bytes(content if other == path else text)
        try:
            place.open().close()
        except IndexError_ as error:
            assert error.cure == "run `salon index ada --rebuild`"
            refused += 1
    assert refused > 5


@pytest.mark.parametrize("options", [{"dimensions": 64}, {"window": 32}])
def test_another_embedder_is_refused_with_both_names(place, options):
    place.build()
    other = HashEmbedder(**{"dimensions": 96, "window": 64} | options)
    with pytest.raises(IndexMismatchError, match="salon index ada --rebuild") as raised:
        place.open(other)
    assert "96 dimensions" in str(raised.value)
    assert str(next(iter(options.values()))) in str(raised.value)


def test_other_weights_under_the_same_name_are_refused(place):
    class Other(HashEmbedder):
        def embed(self, texts, kind="passage"):
            return super().embed(texts, kind)[:, ::-1].copy()

    place.build()
    with pytest.raises(IndexMismatchError, match="gives other vectors"):
        place.open(Other(dimensions=96, window=64))


def test_a_store_with_other_vectors_is_refused(place):
    """The store of another index: the same shape, the same keys, the wrong passages."""
    place.build()
    folder = place.folder / place.current()
    shutil.move(folder / "store", folder.parent / "kept")
    for path in place.sources.iterdir():
        path.write_text(essay(50 + len(path.name)))
    place.build(rebuild=True)
    shutil.rmtree(place.folder / place.current() / "store")
    shutil.move(folder.parent / "kept", place.folder / place.current() / "store")
    with pytest.raises(IndexMismatchError, match="does not find its own passage"):
        place.open()


def test_canaries_are_passages_with_words_of_their_own(place):
    place.write(again=essay(1) + "\n\nAnd more.")
    place.build()
    generation = place.open()
    assert len(generation.manifest.canaries) == 8
    for key in generation.manifest.canaries:
        assert generation.passages.twin(key) == key
    generation.close()


def test_the_second_opener_works_on_a_copy_that_goes_with_it(place):
    place.build()
    own = str(place.folder / place.current() / "store")
    first = place.open()
    assert all(path.startswith(own) for path in store_folder(first))
    second = place.open()
    copies = [path for path in store_folder(second) if not path.startswith(own)]
    assert copies
    assert "mark 3x4." in place.find(second, "mark 3x4").text
    second.close()
    assert not any(Path(path).exists() for path in copies)
    assert "mark 3x4." in place.find(first, "mark 3x4").text
    first.close()
    again = place.open()
    assert all(path.startswith(own) for path in store_folder(again))
    again.close()


_READER = """
import sys
from pathlib import Path
from tests.index.making import Place, setup
place = Place.__new__(Place)
place.sources, place.folder, place.setup = Path(sys.argv[1]), Path(sys.argv[2]), setup()
generation = place.open()
print(place.find(generation, "mark 1x5").text, flush=True)
sys.stdin.read()
"""


def test_another_process_may_read_at_the_same_time(place):
    place.build()
    with subprocess.Popen(
        [sys.executable, "-c", _READER, str(place.sources), str(place.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert "mark 1x5." in other.stdout.readline()
        generation = place.open()
        assert "mark 1x5." in place.find(generation, "mark 1x5").text
        place.write(four=essay(4))
        assert not place.build().unchanged
        generation.close()
        other.stdin.close()
        assert other.wait(30) == 0


def test_current_is_the_same_object_until_an_indexer_replaces_it(place, index):
    place.build()
    first = index.current()
    assert index.current() is first
    place.build()
    assert index.current() is first
    place.write(four=essay(4))
    place.build()
    second = index.current()
    assert second is not first
    assert "mark 4x9." in place.find(second, "mark 4x9").text
    assert index.current() is second


def test_a_search_under_way_finishes_on_the_old_generation(place, index):
    place.build()
    old = index.current()
    folder = place.folder / place.current()
    for number in range(3):
        place.write(**{f"new{number}": essay(60 + number)})
        place.build()
        index.current()
    assert folder.is_dir()  # in use, so not swept
    assert "mark 1x7." in place.find(old, "mark 1x7").text
    passages, store = old.passages, old.store
    del old
    gc.collect()
    with pytest.raises(IndexError_):
        passages.by_keys([1])
    from salon.errors import RetrievalUnavailable

    with pytest.raises(RetrievalUnavailable):
        store.search(place.setup.embedder.embed(["x"])[0], NO_WORDS, 1)
    place.write(last=essay(70))
    place.build()
    assert not folder.exists()


def test_threads_that_ask_while_indexes_are_replaced_all_get_answers(place, index):
    place.build()

    def ask(number):
        generation = index.current()
        return f"mark 2x{number % 40}." in place.find(generation, f"mark 2x{number % 40}").text

    with ThreadPoolExecutor(6) as pool:
        answers = [pool.submit(ask, number) for number in range(60)]
        for number in range(3):
            place.write(**{f"new{number}": essay(60 + number)})
            place.build()
            answers += [pool.submit(ask, n) for n in range(60)]
        assert all(answer.result() for answer in answers)


def test_an_index_that_is_removed_under_a_server_is_missed_and_comes_back(place, index):
    place.build()
    index.current()
    shutil.rmtree(place.folder)
    with pytest.raises(IndexMissingError, match="salon index ada"):
        index.current()
    place.build()
    assert "mark 2x2." in place.find(index.current(), "mark 2x2").text


def test_a_server_with_another_embedder_refuses_the_new_index(place, index):
    place.build()
    index.current()
    place.setup = replace(place.setup, embedder=HashEmbedder(dimensions=64, window=64))
    place.build()
    for _ in range(2):
        with pytest.raises(IndexMismatchError):
            index.current()


def test_the_manifest_says_what_the_index_was_made_with(place):
    report = place.build()
    found = json.loads((place.folder / place.current() / "manifest.json").read_text())
    assert found["embedder"] == {"name": "hash", "dimensions": 96, "window": 64, "metric": "cosine"}
    assert found["passages"] == report.passages
    assert found["cutter"]["target"] == place.setup.cutter.target
    assert len(found["fingerprint"]) == 4
