from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.corpus.cut import cut
from salon.corpus.read import list_files, read_file
from salon.errors import IndexError_, NotFoundError
from salon.index.passages import PassageTable, read_info, read_source, write_info, write_way
from salon.types import Cut, Piece, Section, Source, SourceInfo
from tests.index.making import CUTTER, count_words

NUMBERS = st.integers(0, 10**9)
WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
INFOS = st.builds(SourceInfo, *([WORDS] * 5), NUMBERS, *([WORDS] * 6))
SOURCES = st.builds(
    Source,
    INFOS,
    WORDS,
    st.lists(WORDS).map(tuple),
    st.lists(st.builds(Piece, NUMBERS, NUMBERS, NUMBERS, NUMBERS)).map(tuple),
    st.lists(st.builds(Section, NUMBERS, NUMBERS, NUMBERS, WORDS)).map(tuple),
    st.lists(st.builds(Cut, NUMBERS, NUMBERS, NUMBERS, WORDS, WORDS)).map(tuple),
    st.lists(WORDS).map(tuple),
)


@given(SOURCES)
def test_a_source_comes_back_as_it_was(source):
    info = read_info(write_info(source.info))
    assert read_source(info, source.text, write_way(source)) == source


@pytest.fixture
def made(place):
    """The table of three essays, and what it must hold: sources and passages as they were cut."""
    place.build()
    sources = [s for name, path in list_files(place.sources) for s in read_file(path, name)]
    passages = [(p, s.info) for s in sources for p in cut(s, CUTTER, count_words)]
    table = PassageTable(place.folder / place.current() / "passages.db", "salon index ada")
    yield table, sources, passages
    table.close()


def test_passages_come_by_key_in_the_order_of_the_keys(made):
    table, _, passages = made
    keys = list(range(len(passages), 0, -1))
    assert table.by_keys(keys) == [passages[key - 1] for key in keys]
    assert table.by_keys([]) == []


def test_passages_and_sources_come_by_id(made):
    table, sources, passages = made
    for passage, info in passages:
        assert table.passage(passage.id) == (passage, info)
    for source in sources:
        assert table.source(source.info.id) == source
        assert table.passages_of(source.info.id) == tuple(
            passage for passage, info in passages if info == source.info
        )
    assert table.sources() == tuple(source.info for source in sources)
    assert list(table.texts()) == [(source.info, source.text) for source in sources]


def test_unknown_ids_are_errors(made):
    table, sources, _ = made
    with pytest.raises(NotFoundError, match="no passage 'x'") as raised:
        table.passage("x")
    assert raised.value.cure
    with pytest.raises(NotFoundError, match="no source 'x'") as raised:
        table.source("x")
    assert raised.value.known == tuple(source.info.id for source in sources)
    assert table.passages_of("x") == ()


def test_a_key_of_the_store_that_is_not_there_is_damage(made):
    table, _, _ = made
    with pytest.raises(IndexError_, match="999"):
        table.by_keys([1, 999])


def test_many_threads_read_at_once(made):
    table, _, passages = made
    keys = list(range(1, len(passages) + 1)) * 40
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda key: table.by_keys([key])[0], keys))
    assert found == [passages[key - 1] for key in keys]


def test_a_closed_table_cannot_be_read(made):
    table, _, _ = made
    table.close()
    with pytest.raises(IndexError_):
        table.by_keys([1])


def test_a_file_that_is_no_table_is_an_error(tmp_path):
    path = tmp_path / "passages.db"
    path.write_bytes(b"nothing of the kind " * 200)
    sqlite3.connect(tmp_path / "empty.db").close()
    for name in (path.name, "missing.db", "empty.db"):
        with pytest.raises(IndexError_, match=rf"{name} cannot be (read|opened)") as raised:
            PassageTable(tmp_path / name, "salon index ada")
        assert raised.value.cure == "run `salon index ada --rebuild`"
