from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.index.windows import NARROW, WIDE, WindowConfig, Windows, passage_windows, windows
from salon.types import EmbedderId

ID = EmbedderId("hash", 8, 64)


def pieces_of(text):
    """Up to three letters a piece, as a word-piece model would; one sign a piece otherwise."""
    return [match.span() for match in re.finditer(r"[^\W_]{1,3}|[^\w\s]|_", text)]


def numbered(count):
    return " ".join(f"w{number}" for number in range(count))


def words(text, span):
    return text[span.start : span.end].split()


texts = st.lists(
    st.one_of(st.text("ab.", min_size=1, max_size=9), st.text("漢字仮名", min_size=1, max_size=80)),
    max_size=60,
).map(lambda words: "  ".join(words))


def test_a_text_that_fits_is_one_window():
    text = numbered(30)
    assert windows(text, pieces_of(text), 40, 500) == windows(text, pieces_of(text), 0, 500)
    assert [words(text, span) for span in windows(text, pieces_of(text), 40, 500)] == [text.split()]


def test_windows_have_their_size_and_share_a_fifth():
    text = numbered(200)
    spans = windows(text, pieces_of(text), 50, 500)
    assert {len(words(text, span)) for span in spans} == {50}
    shared = [len({*words(text, a)} & {*words(text, b)}) for a, b in itertools.pairwise(spans)]
    assert shared[:-1] == [10] * (len(spans) - 2)
    assert words(text, spans[-1])[-1] == "w199"
    assert len(spans) == 5


def test_pieces_bound_a_window_before_words_do():
    text = " ".join(["immeasurable"] * 100)
    for span in windows(text, pieces_of(text), 50, 40):
        assert len(pieces_of(text[span.start : span.end])) == 40


def test_a_run_without_spaces_is_cut_between_pieces():
    text = "漢" * 300
    pieces = [(at, at + 1) for at in range(300)]
    spans = windows(text, pieces, 170, 100)
    assert {len(span) for span in spans} == {100}
    assert spans[-1].end == 300


def test_several_pieces_of_one_character_count():
    text = "漢" * 30
    pieces = [(at, at + 1) for at in range(30) for _ in range(3)]
    assert all(len(span) <= 10 for span in windows(text, pieces, 50, 30))


@given(texts, st.integers(0, 40), st.integers(16, 60), st.floats(0, 0.5))
def test_windows_cover_the_text_and_never_exceed_the_model(text, size, most, overlap):
    spans = windows(text, pieces_of(text), size, most, overlap)
    covered = set()
    for span in spans:
        part = text[span.start : span.end]
        assert len(pieces_of(part)) <= most
        assert not size or len(part.split()) <= size
        covered |= set(range(span.start, span.end))
    assert all(text[at].isspace() for at in set(range(len(text))) - covered)
    assert spans == sorted(spans, key=lambda span: span.start)
    assert len(set(spans)) == len(spans)


@given(texts)
def test_windows_begin_and_end_at_words_where_there_are_words(text):
    plain = re.sub("[漢字仮名]+", "ab", text)
    for span in windows(plain, pieces_of(plain), 9, 30):
        assert span.start == 0 or plain[span.start - 1].isspace()
        assert span.end == len(plain) or plain[span.end].isspace()


def test_each_field_has_windows_of_its_size():
    text = numbered(100)
    found = passage_windows(text, pieces_of(text), WindowConfig(wide=30, narrow=10), ID)
    assert {len(part.split()) for part in found.texts(WIDE, text, "")} == {30}
    assert {len(part.split()) for part in found.texts(NARROW, text, "")} == {10}


def test_a_short_passage_has_one_window_of_each_field():
    found = passage_windows("a word", pieces_of("a word"), WindowConfig(), ID)
    assert found.texts(WIDE, "a word", "") == found.texts(NARROW, "a word", "") == ["a word"]


def test_an_embedder_with_a_long_window_reads_the_whole_passage():
    text = numbered(600)
    found = passage_windows(text, pieces_of(text), WindowConfig(), EmbedderId("long", 8, 2048))
    assert found.texts(WIDE, text, "") == [text]
    assert len(found.spans[NARROW]) > 10


def test_a_header_goes_before_wide_windows_and_within_the_model():
    text, header = numbered(200), "Letters, book II, to a friend in Aldmoor"
    found = passage_windows(text, pieces_of(text), WindowConfig(wide=50), ID, pieces_of(header))
    kept = header[: found.header_end]
    assert kept and header.startswith(kept) and len(pieces_of(kept)) == 62 // 4
    for part in found.texts(WIDE, text, header):
        assert part.startswith(kept + "\n")
        assert len(pieces_of(part)) <= ID.window
    assert not any(kept in part for part in found.texts(NARROW, text, header))


@given(texts, st.booleans())
def test_packed_windows_come_back(text, with_header):
    header = "Book II" if with_header else ""
    found = passage_windows(text, pieces_of(text), WindowConfig(9, 4), ID, pieces_of(header))
    assert Windows.unpack(found.pack()) == found


@pytest.mark.models
def test_no_window_of_a_real_text_exceeds_the_real_tokenizer(models_dir):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(models_dir / "minilm-tokenizer" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def pieces(text):
        return tokenizer.encode(text, add_special_tokens=False).offsets

    text = " ".join(
        ["Whither goest thou, O naïve Phaëthon—“unbridled”, quoth he; 孔子曰 x²=1905!"] * 60
    )
    found = passage_windows(text, pieces(text), WindowConfig(), EmbedderId("m", 384, 254))
    for field in (WIDE, NARROW):
        parts = found.texts(field, text, "")
        assert len(parts) > 3
        assert max(len(pieces(part)) for part in parts) <= 254
