"""The same text again: as a copy, under another name, edited, or inside another file.

Public report X11: a file that came twice was refused for ever or embedded twice, equal passages
took several places among the hits, and an edited text stayed in the index in its old version too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from salon.house import House
from salon.testing.fakes import HashEmbedder
from salon.types import Hit
from tests.index.making import essay
from tests.keeper import keeper_files, keeper_house, rewrite

CHAPTER = essay(9, 24)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A keeper with one essay more, in passages of some sentences, indexed."""
    with keeper_house(tmp_path, keeper_files(tmp_path), HashEmbedder()) as opened:
        rewrite(opened, "tokens: embedder", "target: 60, maximum: 90, overlap: 0, tokens: embedder")
        (sources(opened) / "essay.txt").write_text(essay(1), encoding="utf-8")
        assert opened.index("maren").repeated == ()
        yield opened


def sources(house: House) -> Path:
    return house.folder("maren") / "sources"


async def hits(house: House, question: str, limit: int = 6) -> tuple[Hit, ...]:
    found = (await house.find("maren", question, limit=limit)).hits
    texts = Counter(hit.passage.text for hit in found)
    assert set(texts.values()) <= {1}, "two hits with the same words"
    return found


async def test_a_file_that_comes_twice_is_one_source(house: House) -> None:
    before = await hits(house, "mark 1x7")
    (sources(house) / "zcopy.txt").write_bytes((sources(house) / "essay.txt").read_bytes())
    report = house.index("maren")
    assert (report.repeated, report.embedded) == (("zcopy.txt",), 0)
    assert [hit.passage for hit in await hits(house, "mark 1x7")] == [h.passage for h in before]
    assert house.index("maren").unchanged
    # Nothing is refused for ever: the copy takes over when the first is gone.
    (sources(house) / "essay.txt").unlink()
    assert house.index("maren").embedded == 0
    assert "zcopy.txt" in {hit.source.name for hit in await hits(house, "mark 1x7")}


async def test_a_renamed_file_is_known_again(house: House) -> None:
    (before, *_) = await hits(house, "mark 1x7")
    (sources(house) / "essay.txt").rename(sources(house) / "renamed.txt")
    report = house.index("maren")
    assert (report.repeated, report.embedded) == ((), 0)
    (after, *_) = await hits(house, "mark 1x7")
    assert after.source.name == "renamed.txt"
    assert (after.passage.id, after.passage.text) == (before.passage.id, before.passage.text)


async def test_an_edited_paragraph_replaces_its_passages_and_no_other(house: House) -> None:
    old = {hit.passage.text for hit in await hits(house, "the keeper", 99)}
    file = sources(house) / "essay.txt"
    file.write_text(file.read_text("utf-8").replace("mark 1x20.", "mark golden."), "utf-8")
    report = house.index("maren")
    assert 0 < report.embedded < report.reused
    new = {hit.passage.text for hit in await hits(house, "the keeper", 99)}
    assert old - new
    assert all("mark 1x20." in text for text in old - new)
    assert all("mark golden." in text for text in new - old)
    assert not any("mark 1x20." in text for text in new)
    assert "mark golden." in (await hits(house, "mark golden"))[0].passage.text


async def test_a_shared_chapter_takes_each_place_once(house: House) -> None:
    """Copies are put together before the best are cut off, so none takes another's place."""
    for name, own in (("five", 5), ("six", 6)):
        text = f"{CHAPTER}\n\n{essay(own, 12)}"
        (sources(house) / f"{name}.txt").write_text(text, encoding="utf-8")
    house.index("maren")
    everything = await hits(house, CHAPTER[:200], 99)
    best = await hits(house, CHAPTER[:200], 6)
    assert len(best) == 6
    assert [hit.passage for hit in best] == [hit.passage for hit in everything[:6]]
    stored = house.index("maren").passages
    assert len(everything) < stored
    assert sum("mark 9x3." in hit.passage.text for hit in everything) == 1
