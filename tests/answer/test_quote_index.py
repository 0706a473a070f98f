"""The index of quotations: in memory or in a file the same; a damaged one is made again."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.answer import quote_file
from salon.answer.fold import fold, fold_places
from salon.answer.quote_file import BLOCK, DamagedFile
from salon.answer.quote_index import QuoteIndex, index_of
from tests.answer.making import LETTERS, LOGBOOK, SmallCorpus, info


def filler(count: int) -> str:
    return " ".join(f"word{number} of filler" for number in range(count))


class KeptCorpus(SmallCorpus):
    """Keeps its index in a file."""

    def __init__(self, path: Path, name: str, texts: dict[str, str] | None = None) -> None:
        super().__init__(texts)
        self._path = path
        self._name = name

    @property
    def fingerprint(self) -> str:
        return self._name

    @property
    def index_file(self) -> Path:  # type: ignore[override]
        return self._path


def kept(path: Path, name: str) -> QuoteIndex:
    return index_of(KeptCorpus(path, name))


@pytest.mark.parametrize("ahead", [BLOCK - 40, BLOCK - 5, BLOCK, 3 * BLOCK - 12])
def test_words_across_the_edge_of_a_block_are_found(ahead: int) -> None:
    text = (
        filler(2000)[:ahead] + " the lamp burned whale oil then and all night long " + filler(900)
    )
    index = QuoteIndex([(info("a.txt", text), text)])
    (place,) = index.find("lamp burned whale oil then and all night")
    assert text[place.span.start : place.span.end] == place.text


def test_a_kept_index_finds_what_the_one_in_memory_finds(tmp_path: Path) -> None:
    index = kept(tmp_path / "quotes.idx", "kept-1")
    memory = QuoteIndex(SmallCorpus().texts())
    for quotation in ("I bake on Thursdays", "the lamp burned whale oil", "nobody wrote this"):
        assert index.find(quotation) == memory.find(quotation)
    assert index.count("lamp") == memory.count("lamp") == LOGBOOK.lower().count("lamp")
    assert index.has_word("thursd")
    assert not index.has_word("everest")
    assert [path.name for path in tmp_path.iterdir()] == ["quotes.idx"]


@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "missing"])
def test_a_damaged_index_is_made_again(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "quotes.idx"
    kept(path, f"{damage}-1")
    whole = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes({"cut": whole[:-100], "empty": b"", "noise": b"\xff" * 999}[damage])
    assert kept(path, f"{damage}-2").find("I bake on Thursdays")
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    place = tmp_path / "not a folder"
    place.write_text("a file")
    assert kept(place / "quotes.idx", "nowhere").find("I bake on Thursdays")
    assert place.read_text() == "a file"


def test_what_was_cut_off_is_no_index() -> None:
    out = io.BytesIO()
    quote_file.write(SmallCorpus().texts(), out)
    for end in (0, 10, len(out.getvalue()) // 2, len(out.getvalue()) - 1):
        with pytest.raises(DamagedFile):
            quote_file.read(memoryview(out.getvalue()[:end]))


def test_many_small_texts_share_blocks() -> None:
    texts = [
        (info(f"{n}.txt", f"note {n}"), f"This is note number {n}, no more.") for n in range(3000)
    ]
    out = io.BytesIO()
    quote_file.write(texts, out)
    assert len(out.getvalue()) < 4_000_000
    (place,) = QuoteIndex(texts).find("This is note number 2718, no more")
    assert place.source.name == "2718.txt"
    assert place.span.start == 0


def test_nothing_is_found_from_one_text_into_the_next() -> None:
    index = QuoteIndex(
        [(info("a", "one two three"), "one two three"), (info("b", "four"), "four five six")]
    )
    assert index.find("two three four five") == []


def test_an_empty_corpus_has_nothing() -> None:
    index = QuoteIndex([])
    assert index.find("the lamp burned whale oil") == []
    assert not index.has_word("lamp")


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=120))
def test_the_quick_way_of_folding_is_the_plain_one(text: str) -> None:
    folded = fold_places(text)
    assert folded.letters == fold(text)
    assert len(folded.offsets) == len(folded.letters)
    assert list(folded.offsets) == sorted(folded.offsets)


def test_places_are_exact_in_every_source() -> None:
    index = QuoteIndex(SmallCorpus().texts())
    for text in (LOGBOOK, LETTERS):
        for line in [line for line in text.splitlines() if len(line) > 40]:
            assert [p.text for p in index.find(line)] == [line.rstrip(" .,;")]
