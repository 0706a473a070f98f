from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.corpus.clean import clean
from salon.corpus.extract import Drop, Extract, Part
from salon.corpus.formats.plain import read_text
from salon.corpus.read import read_file
from salon.corpus.textmap import to_original
from salon.types import OriginalSpan, Span
from tests.corpus.making import source_of

HEADER = """The Project Gutenberg EBook of Small Things, by A. Writer

Title: Small Things
       or, The Large Ones

Author: A. Writer

Release Date: May 3, 2004 [EBook #12]

Language: English

*** START OF THIS PROJECT GUTENBERG EBOOK SMALL THINGS ***
"""
FOOTER = """
End of the Project Gutenberg EBook of Small Things

*** END OF THIS PROJECT GUTENBERG EBOOK SMALL THINGS ***

Terms of use stand here.
"""


def test_gutenberg_header_and_licence_are_cut_and_give_the_facts(tmp_path: Path) -> None:
    credit = "\n\nProduced by Some Body and\nothers\n\n\n"
    body = "It begins here.\n\n  An indented line.\n\nIt ends here."
    source = source_of(tmp_path, f"{HEADER}{credit}{body}\n\n{FOOTER}")
    assert body == source.text
    assert [cut.reason for cut in source.cuts] == [
        "Project Gutenberg header",
        "credits of the file's makers",
        "Project Gutenberg licence",
    ]
    info = source.info
    assert (
        info.title,
        info.author,
        info.language,
    ) == ("Small Things; or, The Large Ones", "A. Writer", "en")
    assert info.origin == "https://www.gutenberg.org/ebooks/12"


def test_the_second_of_two_start_lines_counts(tmp_path: Path) -> None:
    text = f"{HEADER}\nTitle: Small Things\n\n{HEADER.splitlines()[-1]}\n\nReal words.\n{FOOTER}"
    assert source_of(tmp_path, text).text == "Real words."


def test_the_old_small_print_ends_a_header(tmp_path: Path) -> None:
    text = (
        "The Project Gutenberg Etext of Small Things\n\nWords about words.\n\n"
        "*END THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*\n\nReal words.\n"
    )
    assert source_of(tmp_path, text).text == "Real words."


def test_a_text_that_only_mentions_gutenberg_is_left_alone(tmp_path: Path) -> None:
    text = "Gutenberg printed.\n\nProduced by hand, the sheets were dear.\n\nEnd of the day."
    source = source_of(tmp_path, text)
    assert text == source.text
    assert source.cuts == ()


def test_transcribers_notes_at_the_end_are_cut(tmp_path: Path) -> None:
    body = "A long story.\n\n" * 40
    notes = "Transcriber's Notes:\n\nPage 9, 'mak' changed to 'make'.\n"
    source = source_of(tmp_path, f"{HEADER}\n{body}{notes}{FOOTER}")
    assert source.text.endswith("A long story.")
    assert "transcriber's notes" in [cut.reason for cut in source.cuts]


def test_lines_stay_lines_and_control_characters_go(tmp_path: Path) -> None:
    source = source_of(tmp_path, "a\0b\f\r\n  verse one\r\n    verse two\x07\r\n")
    assert source.text == "ab\n  verse one\n    verse two"
    assert source.notes == ("2 control characters were left out",)


def test_page_numbers_in_brackets_are_cut(tmp_path: Path) -> None:
    source = source_of(tmp_path, "He went\n[Pg 12]\nhome at noon.\n")
    assert source.text == "He went\nhome at noon."
    assert [cut.reason for cut in source.cuts] == ["page number"]


TEXTS = st.text(alphabet="ab \n\r\0\f.é學", max_size=60)
PIECE = st.tuples(TEXTS, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=4))


@settings(deadline=None)
@given(st.lists(PIECE, min_size=1, max_size=4))
def test_every_piece_is_the_same_slice_of_its_part(given_parts: list) -> None:
    parts = tuple(
        Part(
            f"part {number}",
            text,
            drops=tuple(
                Drop(start, min(start + length, len(text)), "test")
                for start, length in drops
                if start < len(text)
            ),
        )
        for number, (text, drops) in enumerate(given_parts)
    )
    cleaned = clean(Extract("txt", parts))
    covered = 0
    for piece in cleaned.pieces:
        original = parts[piece.part].text[piece.part_start : piece.part_start + piece.length]
        assert original == cleaned.text[piece.start : piece.start + piece.length]
        assert piece.start >= covered
        assert cleaned.text[covered : piece.start].isspace() or covered == piece.start
        covered = piece.start + piece.length
    assert covered == len(cleaned.text)
    dropped = {
        at
        for n, (t, d) in enumerate(given_parts)
        for s, w in d
        for at in [(n, s)]
        if s < len(t) and w
    }
    assert not any(
        (piece.part, at) in dropped
        for piece in cleaned.pieces
        for at in range(piece.part_start, piece.part_start + piece.length)
    )


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_a_plain_file_maps_back_to_its_decoded_text(data: bytes) -> None:
    data = bytes(byte for byte in data if byte >= 32 or byte in (0, 9, 10, 12, 13))
    data += b" words enough that a few odd bytes do not make it something else" * 4
    extract = read_text(data, "a.txt")
    cleaned = clean(extract)
    for piece in cleaned.pieces:
        original = extract.parts[0].text[piece.part_start : piece.part_start + piece.length]
        mine = cleaned.text[piece.start : piece.start + piece.length]
        assert _lines_as_spaces(original) == _lines_as_spaces(mine)


def test_a_span_over_a_cut_has_two_places_in_the_original(tmp_path: Path) -> None:
    text = "He went\n[Pg 12]\nhome at noon."
    source = source_of(tmp_path, text)
    (one, two) = to_original(source, Span(3, 12))
    assert OriginalSpan("", 3, 8) == one
    assert OriginalSpan("", 16, 20) == two
    assert text[one.start : one.end] + text[two.start : two.end] == "went\nhome"


def _lines_as_spaces(text: str) -> str:
    return text.replace("\n", " ")


@pytest.mark.parametrize("name", ["autobiography_pg148.txt", "way_to_wealth_pg43855.txt"])
def test_franklin_loses_the_licence_and_keeps_every_word_between(data: Path, name: str) -> None:
    path = data / "corpora" / "franklin" / name
    (source,) = read_file(path, name)
    assert "Project Gutenberg" not in source.text
    assert "gutenberg" not in source.text.lower()
    original = path.read_bytes().decode("cp1252").replace("\r\n", "\n")
    for piece in source.pieces:
        assert _lines_as_spaces(
            original[piece.part_start : piece.part_start + piece.length]
        ) == _lines_as_spaces(source.text[piece.start : piece.start + piece.length])
    kept = sum(piece.length for piece in source.pieces)
    cut = sum(cut.end - cut.start for cut in source.cuts)
    assert kept + cut > 0.999 * len(original)
