from __future__ import annotations

import os
import subprocess
import sys

import pytest

from salon.errors import IndexBusyError
from salon.index.folder import IndexFolder, copy_file, copy_folder

HOLE = 8 << 20


@pytest.fixture
def sparse_file(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(b"head")
        file.seek(HOLE)
        file.write(b"middle")
        file.truncate(3 * HOLE)
    return path


def test_a_copy_is_equal_and_its_holes_stay_holes(sparse_file, tmp_path):
    copy_file(sparse_file, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == sparse_file.read_bytes()
    assert (tmp_path / "copy").stat().st_blocks <= sparse_file.stat().st_blocks + 16


@pytest.mark.parametrize("content", [b"", b"x", os.urandom(3 << 20), bytes(1 << 20)])
def test_any_file_is_copied_whole(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    copy_file(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == content


def test_folders_are_copied_with_what_is_in_them(tmp_path):
    (tmp_path / "a" / "deep" / "empty").mkdir(parents=True)
    (tmp_path / "a" / "deep" / "file").write_text("x")
    copy_folder(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b" / "deep" / "file").read_text() == "x"
    assert (tmp_path / "b" / "deep" / "empty").is_dir()


def test_a_second_builder_is_refused_with_the_first_ones_pid(tmp_path):
    place = IndexFolder(tmp_path / "ada")
    program = (
        "import sys; from pathlib import Path; from salon.index.folder import IndexFolder\n"
        "with IndexFolder(Path(sys.argv[1])).building():\n"
        "    print('holds', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(place.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "holds\n"
        for _ in range(2):
            with pytest.raises(IndexBusyError, match=f"pid {other.pid}"), place.building():
                pass
        other.stdin.close()
        other.wait(30)
    with place.building():
        pass


def test_one_process_does_not_build_the_same_index_twice(tmp_path):
    place = IndexFolder(tmp_path / "ada")
    with (
        place.building(),
        pytest.raises(IndexBusyError, match=f"pid {os.getpid()}"),
        place.building(),
    ):
        pass


def test_a_builder_that_was_killed_holds_nothing(tmp_path):
    place = IndexFolder(tmp_path / "ada")
    program = (
        "import os, sys; from pathlib import Path; from salon.index.folder import IndexFolder\n"
        "with IndexFolder(Path(sys.argv[1])).building(): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program, str(place.path)], check=False)
    with place.building():
        pass
