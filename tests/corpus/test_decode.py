from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.corpus.decode import decode
from salon.errors import SourceError

RUSSIAN = "Привет, как дела? Это обычный русский текст для проверки кодировки. " * 4
HUNGARIAN = "Az őszi erdőben sétáltunk és gyűjtöttünk gombát a szülőkkel, majd hazamentünk. " * 4


@pytest.mark.parametrize(
    ("text", "encoding", "label"),
    [
        ("“It’s a naïve façade,” he said—twice.", "cp1252", "windows-1252"),
        ("L'été, où êtes-vous ? À la forêt, déjà.", "latin-1", "iso-8859-1"),
        ("“It’s a naïve façade,” he said—twice.", "mac-roman", "macintosh"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (HUNGARIAN, "iso8859-2", "windows-1250"),
        ("Καλημέρα κόσμε, αυτό είναι ένα κείμενο για δοκιμή.", "cp1253", "windows-1253"),
        ("子曰：“学而时习之，不亦说乎？有朋自远方来，不亦乐乎？”", "gb2312", "gb2312"),
        ("子曰：「學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？」", "big5", "big5"),
        ("吾輩は猫である。名前はまだ無い。どこで生れたか。", "shift_jis", "shift_jis"),
        ("吾輩は猫である。名前はまだ無い。どこで生れたか。", "euc_jp", "euc_jp"),
        ("나는 오늘 학교에 갔다. 그리고 친구를 만났다.", "euc_kr", "euc-kr"),
        ("Och Gud såg att ljuset var gott; och Gud skilde ljuset från mörkret.", "cp437", "cp437"),
        ("plain words", "ascii", "ascii"),
        ("schöne Wörter", "utf-8", "utf-8"),
        ("schöne Wörter", "utf-8-sig", "utf-8"),
        ("no mark at all", "utf-16-le", "utf-16le"),
    ],
)
def test_text_comes_back_and_its_encoding_is_named(text: str, encoding: str, label: str) -> None:
    decoded = decode(text.encode(encoding), "a.txt")
    assert (text, label) == (decoded.text, decoded.encoding)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1))
def test_utf8_with_a_mark_is_kept(text: str) -> None:
    decoded = decode(b"\xef\xbb\xbf" + text.encode(), "a.txt")
    assert decoded.encoding == "utf-8"
    assert decoded.notes or decoded.text == text


def test_a_file_that_ends_inside_a_character_says_so() -> None:
    wide = decode(b"\xff\xfe" + "abc".encode("utf-16-le") + b"x", "a.txt")
    assert wide.text == "abc"
    assert "ends in the middle" in wide.notes[0]
    narrow = decode("schön".encode() + b"\xc3", "a.txt")
    assert narrow.text == "schön"
    assert "ends in the middle" in narrow.notes[0]


def test_bytes_of_windows_1252_inside_utf8_are_repaired_and_counted() -> None:
    data = "“Grüße,” sagte er.\n".encode() * 5 + "Café – ja\n".encode("cp1252")
    decoded = decode(data, "a.txt")
    assert decoded.text == "“Grüße,” sagte er.\n" * 5 + "Café – ja\n"
    assert decoded.encoding == "utf-8"
    assert decoded.notes[0].startswith("2 characters were not UTF-8")


def test_mojibake_is_undone_but_typography_is_not_touched() -> None:
    kept = "fi ligature ﬁ … — “curly” ½ ², Æschylus &amp; so"
    decoded = decode(f"schÃ¶n â€œquotedâ€\x9d\n{kept}\n".encode(), "a.txt")
    assert f"schön “quoted”\n{kept}\n" == decoded.text
    assert decoded.notes


def test_line_ends_are_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n", "a.txt").text == "a\nb\nc\n"


def test_what_is_no_text_is_refused_by_name() -> None:
    data = bytes(range(256)) * 20
    with pytest.raises(SourceError, match=r"a\.txt: it is not text"):
        decode(data, "a.txt")


def test_a_false_mark_is_refused() -> None:
    with pytest.raises(SourceError, match="utf-16le"):
        decode(b"\xff\xfe" + b"\x00\xd8" * 4, "a.txt")


def test_the_encodings_of_real_files_are_right(data: Path) -> None:
    """The manifest's traits; where it names two or describes a mixture, any of them will do."""
    manifest = json.loads((data / "corpora" / "MANIFEST.json").read_text("utf-8"))
    wrong = {}
    for row in manifest["files"]:
        if traits := row.get("traits"):
            path = data / "corpora" / row["file"]
            found = decode(path.read_bytes(), row["file"]).encoding
            if found not in traits["encoding"]:
                wrong[row["file"]] = (traits["encoding"], found)
    assert wrong == {}


def test_swedish_in_a_dos_code_page_reads_rightly(data: Path) -> None:
    path = data / "corpora" / "dirty" / "genesis_swedish_cp437.txt"
    text = decode(path.read_bytes(), path.name).text
    assert "Och jorden var öde och tom, och mörker var över djupet" in text


def test_english_with_big5_punctuation_reads_rightly(data: Path) -> None:
    path = data / "corpora" / "dirty" / "nixon_1974_state_of_union_big5_punctuation.txt"
    text = decode(path.read_bytes(), path.name).text
    assert "America’s youth" in text
    assert "\ufffd" not in text
