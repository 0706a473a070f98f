from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from salon.corpus.read import file_key, list_files, read_file, read_folder, without_duplicates
from salon.errors import SourceError
from tests.corpus.making import pdf, source_of


def put(folder: Path, name: str, text: str = "Some words.") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_files_are_listed_by_name_below_the_folder(tmp_path: Path) -> None:
    for name in ("b.txt", "a/c.txt", "a/.hidden", ".git/config", "sources.yaml", "a/sources.yaml"):
        put(tmp_path, name)
    assert [name for name, _ in list_files(tmp_path)] == ["a/c.txt", "a/sources.yaml", "b.txt"]


def test_names_with_letters_of_any_script_and_with_line_ends(tmp_path: Path) -> None:
    put(tmp_path, "老子.txt")
    put(tmp_path, "new\nline.txt", "Other words.")
    result = read_folder(tmp_path)
    assert [source.info.name for source in result.sources] == ["new\\nline.txt", "老子.txt"]


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    """Public report X07: what is not UTF-8 crashed the batch, or lost its accents in silence."""
    (tmp_path / "cp1252.txt").write_bytes("“Voilà l’été,” dit-il — enfin.".encode("cp1252"))
    (tmp_path / "utf16.txt").write_text("Grüße aus Wien", "utf-16")
    (tmp_path / "utf8bom.txt").write_text("Grüße aus Graz", "utf-8-sig")
    (tmp_path / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "nul.txt").write_bytes(b"a\0b is a letter and b")
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "really.txt").write_bytes(pdf([["It rained on the hills and in the towns."]]))
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    told: list[tuple[str, int, int]] = []
    result = read_folder(tmp_path, progress=lambda *step: told.append(step))
    texts = {source.info.name: (source.text, source.info.encoding) for source in result.sources}
    assert texts == {
        "cp1252.txt": ("“Voilà l’été,” dit-il — enfin.", "windows-1252"),
        "utf16.txt": ("Grüße aus Wien", "utf-16le"),
        "utf8bom.txt": ("Grüße aus Graz", "utf-8"),
        "crlf.txt": ("one\ntwo", "ascii"),
        "nul.txt": ("ab is a letter and b", "ascii"),
        "really.txt": ("It rained on the hills and in the towns.", ""),
    }
    refused = {error.name: error.problem for error in result.refused}
    assert refused == {
        "empty.txt": "empty.txt: it is empty",
        "picture.txt": "picture.txt: it is a picture",
    }
    assert [("read", n, 8) for n in range(9)] == told


def test_the_same_text_twice_is_one_source_and_a_note(tmp_path: Path) -> None:
    put(tmp_path, "a.txt", "The same words.\n")
    (tmp_path / "b.txt").write_bytes(b"\r\nThe same words.\r\n")
    put(tmp_path, "c.txt", "Other words.")
    result = read_folder(tmp_path)
    assert [source.info.name for source in result.sources] == ["a.txt", "c.txt"]
    assert "b.txt holds the same text" in result.sources[0].notes[0]


def test_a_renamed_file_keeps_its_id(tmp_path: Path) -> None:
    one = source_of(tmp_path, "The same words.", "a.txt")
    two = source_of(tmp_path, "The same words.", "b.txt")
    assert one.info.id == two.info.id
    assert (one,) == tuple(s for s in without_duplicates([one]) if not s.notes)
    assert one.info.id != source_of(tmp_path, "The same words!", "a.txt").info.id


def test_keys_tell_changed_files_without_reading_them_as_texts(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "one")
    before = file_key(path)
    assert before == file_key(path)
    put(tmp_path, "a.txt", "two")
    assert before != file_key(path)
    assert read_file(path, "a.txt")[0].info.sha256 == file_key(path)


def test_links_may_not_leave_the_folder(tmp_path: Path) -> None:
    outside = put(tmp_path, "outside.txt", "A secret.")
    inner = tmp_path / "inner"
    put(inner, "a.txt", "Some words.")
    (inner / "out.txt").symlink_to(outside)
    (inner / "dir").symlink_to(tmp_path)
    (inner / "gone.txt").symlink_to("nothing.txt")
    put(inner, "x/b.txt", "More words.")
    (inner / "x" / "in.txt").symlink_to(inner / "a.txt")
    result = read_folder(inner)
    assert {"dir", "out.txt", "gone.txt"} == {error.name for error in result.refused}
    assert [source.info.name for source in result.sources] == ["a.txt", "x/b.txt"]


def test_special_files_are_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (error,) = read_folder(tmp_path).refused
    assert "not an ordinary file" in error.problem


UNREADABLE = """
import sys
from pathlib import Path
from salon.corpus.read import read_folder
result = read_folder(Path(sys.argv[1]))
print([error.problem for error in result.refused], [s.info.name for s in result.sources])
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="drops the rights of the superuser with setpriv"
)
def test_files_and_folders_without_permission_are_named(tmp_path: Path) -> None:
    put(tmp_path, "open.txt")
    put(tmp_path, "closed.txt").chmod(0)
    put(tmp_path, "locked/a.txt")
    (tmp_path / "locked").chmod(0)
    command = [sys.executable, "-c", UNREADABLE, str(tmp_path)]
    if os.geteuid() == 0:
        command = ["setpriv", "--inh-caps=-all", "--bounding-set=-all", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (tmp_path / "locked").chmod(0o700)
    assert done.stderr == ""
    assert "closed.txt: it cannot be read: Permission denied" in done.stdout
    assert "locked: it is a folder that cannot be entered" in done.stdout
    assert "['open.txt']" in done.stdout


def test_random_bytes_are_refused_under_every_ending(tmp_path: Path) -> None:
    noise = bytes((n * 7919 + n * n * 31) % 251 + (n % 5) for n in range(5_000))
    endings = ("txt", "md", "html", "epub", "pdf", "json", "jsonl", "jpg", "docx")
    for ending in endings:
        (tmp_path / f"noise.{ending}").write_bytes(noise)
    result = read_folder(tmp_path)
    assert result.sources == ()
    assert len(endings) == len(result.refused)


def test_an_empty_folder_is_no_error_here(tmp_path: Path) -> None:
    assert (read_folder(tmp_path).sources, read_folder(tmp_path).refused) == ((), ())


def test_what_is_nothing_after_cleaning_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "a.md", "---\ntitle: x\n---\n")
    with pytest.raises(SourceError, match="nothing is left"):
        read_file(path, "a.md")


def test_one_walden_in_two_encodings_is_almost_the_same_text(data: Path) -> None:
    corpora = data / "corpora"
    (one,) = read_file(corpora / "thoreau" / "walden_pg205.txt", "one.txt")
    (two,) = read_file(corpora / "dirty" / "walden_pg205_mixed_bytes.txt", "two.txt")
    assert two.info.encoding == "windows-1252"
    assert abs(len(one.text) - len(two.text)) < 200
