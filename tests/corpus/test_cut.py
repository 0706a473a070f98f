from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.corpus.clean import clean
from salon.corpus.cut import cut, default_cutter
from salon.corpus.extract import Extract, Part
from salon.corpus.read import read_file, read_folder
from salon.corpus.sections import find_sections
from salon.corpus.tokens import Cl100k, CountTokens
from salon.types import CutterConfig, CutterName, Passage, Source, SourceInfo
from tests.corpus.making import source_of, words

CUTTING: tuple[CutterName, ...] = ("prose", "fragments", "topics", "genres")
EVERY: tuple[CutterName, ...] = (*CUTTING, "whole")


def made(text: str) -> Source | None:
    """The source of a plain text, as a reader makes it; None for a text that is all space."""
    cleaned = clean(Extract("txt", (Part("", text),)))
    info = SourceInfo("id", "a.txt", "A", "txt", "", len(cleaned.text))
    sections = find_sections(cleaned, marked=False)
    return Source(info, cleaned.text, ("",), cleaned.pieces, sections) if cleaned.text else None


def small(strategy: CutterName) -> CutterConfig:
    """The strategy with sizes that a short text fills."""
    return replace(default_cutter(strategy), target=12, maximum=20, overlap=4)


BLOCKS = st.sampled_from(
    [
        "CHAPTER I.",
        "CHAPTER II.",
        "THE RAIN",
        "I.",
        "II.",
        "PREFACE.",
        "It rained. It rained on the hills, and in the towns; and nobody went out at all.",
        "And then the sun\nCame out again\nAnd dried the run\nOf yesterday's rain.",
        "CC: Go ahead.\nCDR: Roger. We are going.",
        "[00:01:02] CC: Go ahead.",
        "To-day, " + "and " * 45 + "so on.",
        "word" * 30,
        "       *       *       *",
        "Q. Did it rain?\n\nA. It did.",
        "1. Temperance. Eat not.\n2. Silence. Speak not.",
        "天下雨了。人们都在家里，没有人出去。",
        "Passy, November 10, 1779.",
        '"Well," said he. "Dr. Price came."',
    ]
)
TEXTS = st.lists(st.tuples(BLOCKS, st.integers(1, 4)), min_size=1, max_size=25).map(
    lambda blocks: "".join(block + "\n" * (gap + 1) for block, gap in blocks)
)


@settings(deadline=None)
@given(TEXTS, st.sampled_from(EVERY))
def test_every_passage_is_exactly_its_slice(text: str, strategy: CutterName) -> None:
    source = made(text)
    assert source
    for passage in cut(source, small(strategy), words):
        assert passage.text == source.text[passage.start : passage.end]
        assert passage.text.strip()
        assert passage.tokens == words([passage.text])[0]


@settings(deadline=None)
@given(TEXTS, st.sampled_from(CUTTING))
def test_cutting_loses_nothing_and_keeps_to_the_maximum(text: str, strategy: CutterName) -> None:
    source = made(text)
    assert source
    passages = cut(source, small(strategy), words)
    assert uncovered(source, passages) == ""
    assert max(passage.tokens for passage in passages) <= 20
    starts = [passage.start for passage in passages]
    assert starts == sorted(set(starts))


@settings(deadline=None)
@given(TEXTS, st.sampled_from(EVERY))
def test_the_same_source_gives_the_same_passages(text: str, strategy: CutterName) -> None:
    one, two = made(text), made(text)
    assert one and two
    first, second = cut(one, small(strategy), words), cut(two, small(strategy), words)
    assert first == second
    assert len({passage.id for passage in first}) == len(first)


@settings(deadline=None)
@given(TEXTS)
def test_whole_parts_no_section(text: str) -> None:
    source = made(text)
    assert source
    passages = cut(source, default_cutter("whole"), words)
    for before, after in itertools.pairwise(passages):
        between = source.text[before.end : after.start]
        heading = any(before.end <= s.start <= after.start for s in source.sections)
        assert heading or between.count("\n") > 5


def uncovered(source: Source, passages: list[Passage]) -> str:
    """The characters, other than space, that no passage has."""
    seen = bytearray(len(source.text))
    for passage in passages:
        seen[passage.start : passage.end] = b"\1" * (passage.end - passage.start)
    left = (char for char, known in zip(source.text, seen, strict=True) if not known)
    return "".join(char for char in left if not char.isspace())


SENTENCE = "It rained on the {} hill of the old land. "


def test_prose_ends_with_sentences_and_overlaps_by_whole_ones(tmp_path: Path) -> None:
    text = "".join(SENTENCE.format(f"{n}th") for n in range(40))
    source = source_of(tmp_path, text)
    config = CutterConfig("prose", target=50, maximum=70, overlap=20)
    passages = cut(source, config, words)
    assert len(passages) > 5
    for before, after in itertools.pairwise(passages):
        assert before.text.endswith("land.")
        assert after.text.startswith("It rained")
        shared = source.text[after.start : before.end]
        assert 10 <= words([shared])[0] <= 20


def test_prose_stops_at_a_chapter_but_runs_over_a_tiny_one(tmp_path: Path) -> None:
    body = SENTENCE.format("old") * 12
    text = f"CHAPTER I\n\n{body}\n\nCHAPTER II\n\nShort.\n\nCHAPTER III\n\n{body}"
    source = source_of(tmp_path, text)
    passages = cut(source, CutterConfig("prose", 500, 800, 50), words)
    assert len(passages) == 2
    assert passages[1].text.startswith("CHAPTER II\n")
    assert passages[0].section == "Chapter I"
    assert passages[1].section == "Chapter III"


def test_a_sentence_above_the_maximum_is_parted_at_clauses(tmp_path: Path) -> None:
    text = "; ".join(f"the {n}th rain fell on the hill" for n in range(40)) + "."
    source = source_of(tmp_path, text)
    passages = cut(source, CutterConfig("prose", 40, 50, 5), words)
    assert uncovered(source, passages) == ""
    assert all(passage.text[-1] in ";." for passage in passages)


def test_a_text_without_any_space_is_parted(tmp_path: Path) -> None:
    def characters(texts: list[str]) -> list[int]:
        return [len(text) for text in texts]

    source = source_of(tmp_path, "é" * 1_000)
    passages = cut(source, CutterConfig("prose", 50, 60, 5), characters)  # type: ignore[arg-type]
    assert uncovered(source, passages) == ""
    assert max(passage.tokens for passage in passages) <= 60


def test_fragments_are_packed_whole(tmp_path: Path) -> None:
    notes = [f"{n}.\n\n" + SENTENCE.format(f"{n}th") * 2 for n in range(1, 30)]
    source = source_of(tmp_path, "\n\n".join(notes))
    passages = cut(source, CutterConfig("fragments", 60, 80, 10), words)
    assert uncovered(source, passages) == ""
    for passage in passages:
        assert re.match(r"\d+\.\n", passage.text)
        assert passage.text.endswith("land.")


def test_a_note_above_the_maximum_is_parted_by_sentences(tmp_path: Path) -> None:
    text = f"A short note.\n\n{SENTENCE.format('old') * 20}\n\nAnother short note."
    source = source_of(tmp_path, text)
    passages = cut(source, CutterConfig("fragments", 60, 80, 10), words)
    assert passages[0].text == "A short note."
    assert passages[-1].text == "Another short note."
    assert all(passage.text.endswith(("land.", "note.")) for passage in passages)


POEM = "The rain it came,\nThe rain it went,\n\n  And nobody\n  Was ill content."


def test_a_book_of_poems_is_its_poems(tmp_path: Path) -> None:
    preface = "PREFACE\n\n" + "These verses were found by a friend, who had them printed. " * 5
    text = (
        f"POEMS\n\nby A. WRITER\n\n\n\n\n\n{preface}\n\n\n\n\n"
        f"I.\n\nRAIN.\n\n{POEM}\n\n\n\n\n\nII.\n\n{POEM}\n\n\n\n\n\nPOEMS\n\nSecond Series\n"
        f"\n\n\n\n\nIII.\n\n{POEM}\n"
    )
    source = source_of(tmp_path, text)
    passages = cut(source, default_cutter("whole"), words)
    assert [passage.text for passage in passages] == [POEM, POEM, POEM]
    assert [passage.section for passage in passages] == [
        "I. Rain",
        "II",
        "Second Series, III",
    ]


def test_a_poem_in_numbered_parts_stays_whole(tmp_path: Path) -> None:
    parts = "\n\n".join(f"{n}.\n\n{POEM}" for n in ("I", "II", "III"))
    text = f"THE RAIN\n\n{parts}\n\n\n\nTHE SUN\n\n{POEM}\n\n\n\nTHE SNOW\n\n{POEM}"
    passages = cut(source_of(tmp_path, text), default_cutter("whole"), words)
    assert [passage.section for passage in passages] == ["The Rain", "The Sun", "The Snow"]
    assert passages[0].text == parts


def test_poems_with_titles_only_are_told_from_a_title_page(tmp_path: Path) -> None:
    text = f"RAIN AND SUN\n\nNEW YORK\n\n1860\n\n\n\n\n\nRAIN\n\n{POEM}\n\n\n\nSUN\n\n{POEM}\n"
    passages = cut(source_of(tmp_path, text), default_cutter("whole"), words)
    assert [(p.section, p.text) for p in passages] == [("Rain", POEM), ("Sun", POEM)]


def test_a_file_without_sections_is_one_document_of_any_length(tmp_path: Path) -> None:
    text = "\n\n".join([POEM] * 2_000)
    (passage,) = cut(source_of(tmp_path, text), default_cutter("whole"), words)
    assert passage.text == text


def test_a_target_of_none_never_cuts(tmp_path: Path) -> None:
    text = SENTENCE.format("old") * 3_000
    (passage,) = cut(source_of(tmp_path, text), CutterConfig("prose", target=0), words)
    assert passage.text == text.strip()


def test_topics_are_cut_at_scenes_without_overlap(tmp_path: Path) -> None:
    scene = "SCENE {}\n\n" + "The rain fell on the hill. " * 12 + "\n\n"
    source = source_of(tmp_path, "".join(scene.format(n) for n in range(1, 6)))
    passages = cut(source, CutterConfig("topics", 300, 400, 0), words)
    assert len(passages) == 5
    assert all(passage.text.startswith("SCENE") for passage in passages)
    assert all(a.end <= b.start for a, b in itertools.pairwise(passages))


def test_topics_are_cut_where_the_clock_jumps(tmp_path: Path) -> None:
    turns = []
    for hour in range(4):
        for second in range(30):
            turns.append(f"[0{hour}:00:{second:02}]\nCC: We have word number {second} of it.")
    source = source_of(tmp_path, "\n\n".join(turns))
    passages = cut(source, CutterConfig("topics", 400, 600, 0), words)
    assert [passage.text[:10] for passage in passages] == [f"[0{h}:00:00]" for h in range(4)]


def test_topics_are_cut_where_the_words_change(tmp_path: Path) -> None:
    wet = [f"The rain and the river flooded the valley, storm after storm, {n}." for n in range(20)]
    dry = [f"The painter mixed colours on canvas, brush upon brush, {n}." for n in range(20)]
    source = source_of(tmp_path, "\n\n".join(wet + dry))
    passages = cut(source, CutterConfig("topics", 250, 300, 0), words)
    assert any(passage.text.startswith("The painter") for passage in passages)
    assert not any("river" in passage.text and "painter" in passage.text for passage in passages)


def test_genres_keep_poems_and_letters_whole(tmp_path: Path) -> None:
    letter = (
        "MY DEAR FRIEND,\n\n" + SENTENCE.format("old") * 14 + "\n\nI am, dear sir, yours,\n\nB. F."
    )
    poem = "\n\n".join([POEM] * 8)
    text = (
        f"CHAPTER I\n\n{SENTENCE.format('new') * 30}\n\n\n\n"
        f"THE RAIN\n\n{poem}\n\n\n\nTHE LETTER\n\n{letter}"
    )
    source = source_of(tmp_path, text)
    passages = cut(source, CutterConfig("genres", 100, 160, 20), words)
    assert uncovered(source, passages) == ""
    assert [p.text for p in passages if p.text.startswith("THE RAIN")] == [f"THE RAIN\n\n{poem}"]
    assert [p.text for p in passages if "MY DEAR" in p.text] == [f"THE LETTER\n\n{letter}"]


def test_a_long_poem_is_parted_between_stanzas_only(tmp_path: Path) -> None:
    stanza = "The rain it came,\nThe rain it went,\nAnd nobody\nWas ill content."
    source = source_of(tmp_path, "\n\n".join([stanza] * 40))
    passages = cut(source, CutterConfig("genres", 60, 90, 20), words)
    assert len(passages) > 3
    for passage in passages:
        assert set(passage.text.split("\n\n")) == {stanza}


def test_a_passage_says_where_it_stands(tmp_path: Path) -> None:
    divider = "       *       *       *       *       *\n\n"
    body = SENTENCE.format("old") * 30
    text = (
        f"LETTERS.\n\n{body}\n\n{divider}_Lord Kames._\n\n"
        f"              London, April 11, 1767.\n\n{body}"
    )
    source = source_of(tmp_path, text, "kept letters.txt")
    passage = cut(source, default_cutter("prose"), words)[-1]
    assert (passage.date, passage.place) == ("April 11, 1767", "London")
    assert passage.section == "Letters, Lord Kames"
    assert passage.header == "kept letters, Letters, Lord Kames (London, April 11, 1767)"
    assert passage.source_id == source.info.id


def test_one_speaker_is_named(tmp_path: Path) -> None:
    source = source_of(tmp_path, "CC: Go ahead with it.\nCC: Once more, please.")
    assert cut(source, default_cutter("topics"), words)[0].speaker == "CC"
    source = source_of(tmp_path, "CC: Go ahead with it.\nCDR: Going.\nCC: Once more, please.")
    assert cut(source, default_cutter("topics"), words)[0].speaker == ""


def test_an_edited_paragraph_changes_only_its_passages(tmp_path: Path) -> None:
    chapters = [f"CHAPTER {n}\n\n" + SENTENCE.format(n) * 150 + "\n\n" for n in range(1, 9)]
    before = cut(source_of(tmp_path, "".join(chapters)), default_cutter("prose"), words)
    chapters[7] = chapters[7].replace("hill", "wood", 1)
    after = cut(source_of(tmp_path, "".join(chapters)), default_cutter("prose"), words)
    changed = {p.text for p in before} ^ {p.text for p in after}
    assert len(changed) == 2


@pytest.fixture(scope="module")
def tokens(models_dir: Path) -> CountTokens:
    return Cl100k(models_dir / "cl100k" / "cl100k_base.tiktoken").count_all


@pytest.mark.models
@pytest.mark.parametrize("strategy", CUTTING)
def test_franklin_is_cut_without_loss(
    data: Path, tokens: CountTokens, strategy: CutterName
) -> None:
    result = read_folder(data / "corpora" / "franklin")
    assert (len(result.sources), result.refused) == (3, ())
    config = default_cutter(strategy)
    for source in result.sources:
        passages = cut(source, config, tokens)
        assert uncovered(source, passages) == ""
        assert max(passage.tokens for passage in passages) <= config.maximum
        if strategy == "prose":
            long = [p.tokens for p in passages if p.tokens > 0.6 * config.target]
            assert 0.9 * config.target < sum(long) / len(long) < 1.1 * config.target


@pytest.mark.models
def test_dickinson_is_her_poems(data: Path, tokens: CountTokens) -> None:
    """The three series have 449 numbered poems, and one without a number before them."""
    name = "poems_three_series_pg12242.txt"
    (source,) = read_file(data / "corpora" / "dickinson" / name, name)
    passages = cut(source, default_cutter("whole"), tokens)
    assert len(passages) == 450
    (chariot,) = [p for p in passages if "Because I could not stop for Death" in p.text]
    assert chariot.text.startswith("Because I could not stop for Death,\nHe kindly")
    assert chariot.text.endswith("Were toward eternity.")
    assert len(chariot.text.split("\n\n")) == 5
    assert chariot.section.endswith("XXVII. The Chariot")
    assert not any("Higginson" in p.text or "EMILY DICKINSON" in p.text for p in passages)


@pytest.mark.models
def test_leonardos_notes_keep_their_boundaries(data: Path, tokens: CountTokens) -> None:
    name = "notebooks_complete_pg5000.txt"
    (source,) = read_file(data / "corpora" / "leonardo" / name, name)
    passages = cut(source, default_cutter("fragments"), tokens)
    assert uncovered(source, passages) == ""
    assert max(passage.tokens for passage in passages) <= 800
    blank = sum(1 for p in passages if source.text[: p.start].rstrip(" ").endswith("\n\n"))
    assert blank > 0.97 * len(passages)


@pytest.mark.models
def test_questions_find_their_evidence_in_one_passage(data: Path, tokens: CountTokens) -> None:
    """Evidence of the test questions that a cutter tears apart can never be retrieved."""
    import json

    rows = [
        json.loads(line)
        for line in (data / "corpora" / "questions.jsonl").read_text("utf-8").splitlines()
    ]
    torn: list[str] = []
    known: dict[str, list[str]] = {}
    for row in rows:
        name = row.get("file", "")
        if not row.get("evidence") or not name.startswith(("franklin/", "thoreau/", "paine/")):
            continue
        if name not in known:
            (source,) = read_file(data / "corpora" / name, name)
            passages = cut(source, default_cutter("prose"), tokens)
            known[name] = [" ".join(passage.text.split()) for passage in passages]
        if not any(" ".join(row["evidence"].split()) in text for text in known[name]):
            torn.append(row["evidence"])
    assert torn == []
