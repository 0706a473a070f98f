"""What is indexed again, what is not, and what is left when something goes wrong."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import replace

import pytest

from salon.corpus.read import read_file
from salon.errors import IndexError_, IndexStoppedError, SourceError
from salon.index.build import build
from salon.index.windows import WindowConfig
from salon.testing.fakes import HashEmbedder
from salon.types import CutterConfig
from tests.index.making import CONTEXT, count_words, essay, setup


class Counting(HashEmbedder):
    """A HashEmbedder that remembers what it embedded."""

    def __init__(self, **options):
        super().__init__(**options)
        self.seen = []

    def embed(self, texts, kind="passage"):
        self.seen += texts
        return super().embed(texts, kind)


@pytest.fixture
def counting(place):
    place.setup = setup(embedder=Counting(dimensions=96, window=64))
    return place.setup.embedder


def reading(place):
    """Make the place remember which files were read."""
    names = []

    def read(path, name):
        names.append(name)
        return read_file(path, name)

    place.setup = replace(place.setup, read=read)
    return names


def test_every_passage_is_there_and_is_its_slice(place):
    report = place.build()
    assert (report.sources, report.refused, report.unchanged) == (3, (), False)
    generation = place.open()
    assert generation.store.count() == report.passages == generation.manifest.passages
    seen = 0
    for info, text in generation.passages.texts():
        for passage in generation.passages.passages_of(info.id):
            assert passage.text == text[passage.start : passage.end]
            seen += 1
    assert seen == report.passages
    generation.close()


def test_a_second_run_changes_nothing_and_reads_nothing(place, counting):
    first = place.build()
    names = reading(place)
    before = set(counting.seen)
    counting.seen.clear()
    second = place.build()
    assert second.unchanged
    assert second.generation == first.generation == place.current()
    assert names == []
    assert set(counting.seen) <= before  # canaries, which must still find themselves


def test_one_changed_file_is_read_cut_and_embedded_alone(place, counting):
    first = place.build()
    names = reading(place)
    place.write(two=essay(2).replace("mark 2x20", "mark golden"))
    before = set(counting.seen)
    counting.seen.clear()
    report = place.build()
    assert names == ["two.txt"]
    assert report.passages == first.passages
    assert 0 < report.embedded < 8
    assert report.embedded + report.reused == report.vectors
    assert all("golden" in text for text in set(counting.seen) - before)
    generation = place.open()
    assert "mark golden." in place.find(generation, "golden").text
    assert generation.store.count() == report.passages
    generation.close()


def test_an_edit_replaces_only_the_passages_that_it_touches(place):
    place.build()
    before = place.open()
    keys = {p.text: key for key in range(1, 200) for p in texts_of(before, key)}
    before.close()
    place.write(two=essay(2).replace("mark 2x39", "mark the-last"))
    place.build()
    after = place.open()
    for text, key in keys.items():
        if "2x39" not in text:
            assert [p.text for p in texts_of(after, key)] == [text]
    after.close()


def texts_of(generation, key):
    try:
        return [generation.passages.by_keys([key])[0][0]]
    except IndexError_:
        return []


def test_new_and_removed_files(place):
    place.build()
    (place.sources / "one.txt").unlink()
    place.write(four=essay(4))
    report = place.build()
    generation = place.open()
    assert sorted(s.name for s in generation.passages.sources()) == [
        "four.txt",
        "three.txt",
        "two.txt",
    ]
    assert "mark 4x7." in place.find(generation, "mark 4x7").text
    assert "mark 1x7." not in place.find(generation, "mark 1x7").text
    assert generation.store.count() == report.passages
    generation.close()


def test_a_renamed_file_is_not_embedded_again(place, counting):
    place.build()
    (place.sources / "one.txt").rename(place.sources / "uno.txt")
    before = set(counting.seen)
    counting.seen.clear()
    report = place.build()
    assert report.embedded == 0
    assert set(counting.seen) <= before
    generation = place.open()
    assert "uno.txt" in [source.name for source in generation.passages.sources()]
    generation.close()


def test_a_touched_file_is_hashed_and_left_alone(place):
    place.build()
    names = reading(place)
    os.utime(place.sources / "one.txt", (1, 1))
    assert place.build().unchanged
    assert names == []


def test_a_change_within_one_tick_of_the_clock_is_seen(place):
    path = place.sources / "one.txt"
    soon = time.time_ns() + 60 * 1_000_000_000
    os.utime(path, ns=(soon, soon))
    place.build()
    status = path.stat()
    text = path.read_text()
    path.write_text(text.replace("1x7.", "1xX."))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    report = place.build()
    assert not report.unchanged


def test_what_else_a_source_depends_on_is_compared(place):
    place.build()
    names = reading(place)
    place.setup = replace(place.setup, stamp=lambda name: "1791" if name == "two.txt" else "")
    place.build()
    assert names == ["two.txt"]
    assert place.build().unchanged


def test_equal_texts_are_kept_once_and_come_back_when_the_first_goes(place):
    place.write(copy=essay(1))
    report = place.build()
    assert (report.sources, report.repeated) == (3, ("one.txt",))
    (place.sources / "copy.txt").unlink()
    report = place.build()
    assert (report.sources, report.repeated, report.embedded) == (3, (), 0)
    generation = place.open()
    assert "one.txt" in [source.name for source in generation.passages.sources()]
    generation.close()


def test_a_shared_chapter_is_embedded_once_and_known_as_twins(place, counting):
    place.write(five=essay(9) + "\n\n" + essay(5), six=essay(9) + "\n\n" + essay(6))
    report = place.build()
    embedded = counting.seen[4:]
    assert len(embedded) == len(set(embedded)) == report.embedded < report.vectors
    generation = place.open()
    texts = {}
    for key in range(1, report.passages + 1):
        ((passage, _),) = generation.passages.by_keys([key])
        texts.setdefault(passage.text, []).append(key)
    assert sum(len(keys) == 2 for keys in texts.values()) >= 3
    for keys in texts.values():
        assert {generation.passages.twin(key) for key in keys} == {min(keys)}
    generation.close()


@pytest.mark.parametrize(
    "change",
    [
        {"cutter": CutterConfig(target=30, maximum=50, overlap=5)},
        {"windows": WindowConfig(wide=20, narrow=12)},
        {"windows": WindowConfig(wide=40, narrow=12, header=True)},
        {"language": "fr"},
        {"embedder": HashEmbedder(dimensions=64, window=64)},
    ],
)
def test_another_setup_makes_a_new_index(place, change):
    place.build()
    names = reading(place)
    place.setup = replace(place.setup, **change)
    report = place.build()
    assert not report.unchanged
    assert len(names) == 3
    generation = place.open()
    assert "mark 3x11." in place.find(generation, "mark 3x11").text
    generation.close()
    assert place.build().unchanged


def test_rebuilding_reads_everything_and_embeds_nothing(place):
    place.build()
    names = reading(place)
    report = place.build(rebuild=True)
    assert (len(names), report.embedded, report.unchanged) == (3, 0, False)


def test_weights_that_changed_under_the_same_name_are_noticed(place):
    class Other(HashEmbedder):
        def embed(self, texts, kind="passage"):
            return super().embed(texts, kind)[:, ::-1].copy()

    first = place.build()
    place.setup = replace(place.setup, embedder=Other(dimensions=96, window=64))
    report = place.build()
    assert report.generation != first.generation
    assert report.embedded == first.embedded
    generation = place.open()
    assert "mark 1x3." in place.find(generation, "mark 1x3").text
    generation.close()


def test_lexical_weights_are_computed_again_when_the_mean_length_moves(place):
    place.build()
    before = place.open().manifest.average
    place.write(short=" ".join(f"Lamp {n}.\n\n" for n in range(3)))
    place.setup = replace(place.setup, cutter=place.setup.cutter)
    place.build()
    assert place.open().manifest.average == before
    for number in range(60):
        place.write(**{f"poem{number}": f"Lamp {number} burns."})
    place.build()
    generation = place.open()
    assert generation.manifest.average < 0.9 * before
    assert generation.store.count() == generation.manifest.passages
    generation.close()


def test_progress_goes_through_all_stages(place):
    told = []
    place.build(progress=lambda stage, done, total: told.append((stage, done, total)))
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == ["read", "embed", "optimise"]
    for stage in ("read", "embed", "optimise"):
        counts = [(done, total) for name, done, total in told if name == stage]
        assert counts == sorted(counts)
        assert counts[0][0] == 0
        assert counts[-1][0] == counts[-1][1] > 0


def test_refused_files_are_named_and_the_others_are_indexed(place):
    (place.sources / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    report = place.build()
    assert [error.name for error in report.refused] == ["picture.txt"]
    assert report.sources == 3
    again = place.build()
    assert again.unchanged
    assert [error.name for error in again.refused] == ["picture.txt"]


def test_a_file_that_turned_bad_leaves_the_index(place):
    place.build()
    (place.sources / "one.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    report = place.build()
    assert [error.name for error in report.refused] == ["one.txt"]
    assert report.sources == 2


def test_an_empty_folder_is_an_error_and_the_old_index_stays(place):
    place.build()
    before = place.current()
    for path in place.sources.iterdir():
        path.unlink()
    with pytest.raises(IndexError_, match="there is no file"):
        place.build()
    assert place.current() == before
    assert place.generations() == [before]
    place.open().close()


def test_a_folder_of_pictures_says_why(tmp_path, place):
    for path in place.sources.iterdir():
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    with pytest.raises(IndexError_, match=r"none of the 3 files") as raised:
        place.build()
    assert "one.txt" in str(raised.value)
    assert not (place.folder / "current").exists()


def test_stopping_keeps_the_old_index_and_what_was_embedded(place, counting):
    place.build()
    before = place.current()
    place.write(**{f"more{n}": essay(100 + n, 200) for n in range(4)})
    stop = threading.Event()
    known = set(counting.seen)
    counting.seen.clear()

    def watch(stage, done, total):
        if stage == "embed" and done > 100:
            stop.set()

    with pytest.raises(IndexStoppedError):
        place.build(stop=stop, progress=watch)
    done = len([text for text in counting.seen if text not in known])
    assert place.current() == before
    assert place.generations() == [before]
    report = place.build()
    new = [text for text in counting.seen if text not in known]
    assert report.embedded == len(new) - done
    assert len(set(new)) == len(new)


@pytest.mark.parametrize("step", ["cutting", "making windows"])
def test_stopping_does_not_wait_for_the_end_of_a_long_file(place, step):
    place.build()
    before = place.current()
    chapters = [f"CHAPTER {number}\n\n{essay(100 + number, 60)}" for number in range(40)]
    place.write(one="\n\n".join(chapters))
    stop = threading.Event()
    steps = []

    def stop_at(name):
        if name == step:
            steps.append(name)
            stop.set()

    def count(texts):
        stop_at("cutting")
        return count_words(texts)

    class Watched(HashEmbedder):
        def pieces(self, text):
            if ", mark 10" in text:
                stop_at("making windows")
            return super().pieces(text)

    place.setup = replace(place.setup, count=count, embedder=Watched(dimensions=96, window=64))
    with pytest.raises(IndexStoppedError):
        place.build(stop=stop)
    assert len(steps) < 20
    assert place.current() == before


def test_an_interrupt_from_the_keyboard_leaves_the_old_index(place):
    place.build()
    before = place.current()
    place.write(four=essay(4))

    def interrupt(stage, done, total):
        if stage == "embed":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        place.build(progress=interrupt)
    assert place.current() == before
    assert place.generations() == [before]
    assert not place.build().unchanged


def test_an_embedder_that_fails_leaves_the_old_index(place):
    from salon.errors import ModelUnavailable

    class Failing(HashEmbedder):
        calls = 0

        def embed(self, texts, kind="passage"):
            self.calls += 1
            if self.calls > 1:
                raise ModelUnavailable("the model fell silent")
            return super().embed(texts, kind)

    place.build()
    before = place.current()
    place.write(four=essay(4))
    place.setup = replace(place.setup, embedder=Failing(dimensions=96, window=64))
    with pytest.raises(ModelUnavailable):
        place.build()
    assert place.current() == before
    assert place.generations() == [before]


def test_the_last_two_generations_are_kept(place):
    names = []
    for number in range(4):
        place.write(**{f"new{number}": essay(50 + number)})
        names.append(place.build().generation)
    assert names == sorted(names)
    assert place.generations() == names[-2:]


def test_aborted_builds_are_swept(place):
    first = place.build().generation
    aborted = place.folder / "000009-abcdef"
    (aborted / "store").mkdir(parents=True)
    (aborted / "passages.db").write_text("half")
    other = place.folder / "notes"
    other.mkdir()
    place.build()
    assert place.generations() == [first, "notes"]


@pytest.mark.parametrize("name", ["manifest.json", "passages.db", "store"])
def test_building_repairs_a_generation_that_lost_a_part(place, name):
    place.build()
    part = place.folder / place.current() / name
    if part.is_dir():
        for path in sorted(part.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        part.rmdir()
    else:
        part.unlink()
    report = place.build()
    assert (report.unchanged, report.embedded) == (False, 0)
    generation = place.open()
    assert "mark 2x9." in place.find(generation, "mark 2x9").text
    generation.close()


def shape_of_another_release(generation):
    (generation / "store" / "shape.json").write_text('{"dimensions": 96, "fields": ["narrow"]}')


def torn_vectors(generation):
    for path in (generation / "store").rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xff torn \xfe" * 9)


def torn_passages(generation):
    os.truncate(generation / "passages.db", 5000)


def tables_of_another_release(generation):
    with closing(sqlite3.connect(generation / "passages.db")) as base:
        base.execute("ALTER TABLE files RENAME TO old_files")
        base.commit()


def no_current_index(generation):
    (generation.parent / "current").write_bytes(b"\xff\xfe\x00")


@pytest.mark.parametrize(
    "damage",
    [
        shape_of_another_release,
        torn_vectors,
        torn_passages,
        tables_of_another_release,
        no_current_index,
    ],
)
def test_building_repairs_what_was_damaged_or_made_by_another_release(place, damage):
    """Nothing changed among the sources: what is wrong is the index itself."""
    place.build()
    damage(place.folder / place.current())
    report = place.build()
    assert (report.unchanged, report.embedded) == (False, 0)
    generation = place.open()
    assert "mark 2x9." in place.find(generation, "mark 2x9").text
    generation.close()


def test_a_source_that_cannot_be_cut_is_not_swallowed(place):
    """Only SourceError refuses a file; any other error ends the build."""

    def read(path, name):
        raise SourceError(name, "a gate is shut") if name == "one.txt" else ValueError(name)

    place.setup = replace(place.setup, read=read)
    with pytest.raises(ValueError, match=r"three\.txt"):
        place.build()
    assert place.generations() == []


def test_an_index_folder_that_cannot_be_made_is_an_error(place, tmp_path):
    (tmp_path / "file").write_text("in the way")
    from salon.backends.qdrant import open_store

    with pytest.raises(IndexError_, match="could not be written"):
        build(tmp_path / "file" / "ada", place.sources, place.setup, open_store, CONTEXT)
