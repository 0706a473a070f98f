"""Killed anywhere, or out of room: the old index or the new one, never a mix."""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from salon.errors import IndexBusyError, IndexError_
from salon.index.vectors import VectorCache
from tests.index.making import Place, essay

pytestmark = pytest.mark.crash

KILLS = 50

_BUILDER = """
import sys
from pathlib import Path
from salon.errors import SalonError
from tests.index.making import Place, setup
place = Place.__new__(Place)
place.sources, place.folder, place.setup = Path(sys.argv[1]), Path(sys.argv[2]), setup()
print("ready", flush=True)
sys.stdin.readline()
try:
    report = place.build(rebuild=len(sys.argv) > 3 and sys.argv[3] == "rebuild")
    print("built", report.generation, report.embedded, flush=True)
except SalonError as error:
    print(type(error).__name__, error, flush=True)
    sys.exit(1)
"""


def builder(place, *options, **extra):
    """A child that is ready to index, and does so when a line is written to it."""
    child = subprocess.Popen(
        [sys.executable, "-c", _BUILDER, str(place.sources), str(place.folder), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **extra,
    )
    assert child.stdout.readline() == "ready\n"
    return child


def go(child):
    child.stdin.write("go\n")
    child.stdin.flush()


def versions(place):
    """Which edition every passage of the index is from; opening it checks the canaries."""
    generation = place.open()
    try:
        texts = [text for _, text in generation.passages.texts()]
        passages = [
            passage.text
            for source in generation.passages.sources()
            for passage in generation.passages.passages_of(source.id)
        ]
        assert generation.store.count() == len(passages) == generation.manifest.passages
        for _ in range(3):
            mark = random.choice(re.findall(r"mark (\d+x\d+)", random.choice(texts)))
            assert f"mark {mark}." in place.find(generation, f"mark {mark}").text
        return {number for text in texts for number in re.findall(r"Edition (\d+)\.", text)}
    finally:
        generation.close()


def edition(place, number, files=12):
    place.write(
        **{
            f"essay{n}": f"Edition {number}.\n\n{essay(n, 30)}\n\nEdition {number}."
            for n in range(files)
        }
    )


def timed(place):
    """How long a build of the next edition takes here, killed nowhere."""
    child = builder(place)
    began = time.monotonic()
    go(child)
    assert child.communicate()[0].startswith("built")
    return time.monotonic() - began


def test_a_kill_at_any_moment_leaves_the_old_index_or_the_new_one(place):
    for path in place.sources.iterdir():
        path.unlink()
    edition(place, 0)
    assert not place.build().unchanged
    edition(place, 1)
    seconds = timed(place)
    assert versions(place) == {"1"}
    draw = random.Random(20)
    published = 1
    killed = 0
    for number in range(2, KILLS + 2):
        edition(place, number)
        child = builder(place, *(["rebuild"] if number % 5 == 0 else []))
        go(child)
        time.sleep(draw.uniform(0, 1.1 * seconds))
        child.send_signal(signal.SIGKILL)
        output = child.communicate()[0]
        killed += not output
        found = versions(place)
        assert found in ({str(published)}, {str(number)})
        if output:
            assert found == {str(number)}
        published = int(found.pop())
    assert killed > KILLS // 4
    edition(place, 999)
    child = builder(place)
    go(child)
    assert child.communicate()[0].startswith("built")
    assert versions(place) == {"999"}
    assert len(place.generations()) == 2


def test_a_first_build_that_is_killed_goes_on_where_it_stopped(place):
    place.write(**{f"essay{n}": essay(n, 120) for n in range(20)})
    child = builder(place)
    go(child)
    cache = place.folder / "vectors.cache"
    while not cache.exists() or not kept(cache):
        assert child.poll() is None
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    done = kept(cache)
    report = place.build()
    assert report.embedded <= report.vectors - done
    assert versions(place) == set()


def kept(path):
    import sqlite3

    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as base:
        try:
            return base.execute("SELECT count(*) FROM vectors").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def test_of_two_builders_one_is_told_that_the_other_works(place):
    place.write(**{f"essay{n}": essay(n, 60) for n in range(20)})
    children = [builder(place) for _ in range(2)]
    for child in children:
        go(child)
    outputs = [child.communicate()[0] for child in children]
    refused = [output for output in outputs if output.startswith(IndexBusyError.__name__)]
    if refused:  # else the one was through before the other began, and there was nothing to do
        assert f"pid {children[outputs.index(refused[0]) - 1].pid}" in refused[0]
    assert any(output.startswith("built") for output in outputs)
    assert versions(place) == set()


@pytest.mark.parametrize("limit", [200_000, 600_000, 2_000_000, 5_000_000])
def test_files_that_may_not_grow_leave_the_old_index(place, limit):
    """The limit on a file's size stands for a full disk: writing fails in the middle."""
    place.build()
    before = place.current()
    place.write(**{f"essay{n}": essay(n, 150) for n in range(40)})

    def lower():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    child = builder(place, preexec_fn=lower)
    go(child)
    output, errors = child.communicate()
    assert output.startswith("IndexError_"), output + errors
    assert "the disk is full" in output
    assert place.generations() == [before]
    assert versions(place) == set()
    assert not place.build().unchanged


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 64 MB of its own; needs the right to mount."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(folder)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small disk: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_called_by_its_name(small_disk):
    place = Place(small_disk)
    place.write(one=essay(1), two=essay(2))
    place.build()
    before = place.current()
    place.write(three=essay(3))
    free = os.statvfs(small_disk)
    (small_disk / "ballast").write_bytes(bytes(free.f_bavail * free.f_frsize - (1 << 20)))
    with pytest.raises(IndexError_, match=r"disk is (too )?full"):
        place.build()
    assert place.current() == before
    assert place.generations() == [before]
    assert versions(place) == set()
    (small_disk / "ballast").unlink()
    place.build()
    generation = place.open()
    assert "mark 3x3." in place.find(generation, "mark 3x3").text
    generation.close()


def test_a_cache_that_is_torn_by_a_kill_is_still_a_cache(place):
    place.write(**{f"essay{n}": essay(n, 60) for n in range(10)})
    for delay in (0.05, 0.1, 0.2, 0.4):
        child = builder(place)
        go(child)
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    cache = VectorCache(Path(place.folder / "vectors.cache"))
    cache.close()
    place.build()
    assert versions(place) == set()
