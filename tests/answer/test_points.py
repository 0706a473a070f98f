"""The quote-first form of a reply: read while it streams, placed by its quotes."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.answer.points import Point, PointStream, points_of
from salon.answer.reply import render_points
from salon.answer.support import Pool
from salon.errors import ModelUnavailable
from tests.answer.making import LOGBOOK, SmallCorpus

CORPUS = SmallCorpus()
EVIDENCE = CORPUS.evidence("storm destroyed", "counted the ships")
POOL = Pool(EVIDENCE, "en")


def reply(*points: Point) -> str:
    rows = [{"quote": p.quote, "passage": p.passage, "say": p.say} for p in points]
    return json.dumps({"points": rows})


SAYINGS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20), max_size=3)


@given(SAYINGS, st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_what_is_said_streams_the_same_however_it_is_cut(
    sayings: list[str], cuts: list[int], ascii_only: bool
) -> None:
    sayings = [s for s in sayings if all(c.isprintable() and ord(c) < 0x10000 for c in s)]
    rows = [{"quote": 'a "say": "x"', "passage": 1, "say": s} for s in sayings]
    text = json.dumps({"points": rows}, ensure_ascii=ascii_only)
    edges = [0, *sorted(min(c, len(text)) for c in cuts), len(text)]
    stream = PointStream()
    parts = itertools.pairwise(edges)
    assert "".join(stream.feed(text[a:b]) for a, b in parts) == " ".join(sayings)


def test_each_point_rests_on_the_exact_place_of_its_quote() -> None:
    points = [
        Point("We sat three nights in the dark", 1, "We had no light for three nights."),
        Point("a STORM destroyed the oil-store", 2, "A storm took the oil."),
    ]
    written = render_points(points, EVIDENCE, POOL)
    assert written.marked.text == "We had no light for three nights. A storm took the oil."
    places = [LOGBOOK[r.place.start : r.place.end] for r in written.rests]
    assert places == ["We sat three nights in the dark", "a storm destroyed the oil store"]
    assert [rest.number for rest in written.rests] == [1, 1]


def test_a_quote_that_is_nowhere_leaves_its_sentence_to_its_support() -> None:
    point = Point("the moon fell in the sea", 1, "I counted the ships and the gulls.")
    written = render_points([point], EVIDENCE, POOL)
    (rest,) = written.rests
    assert rest.number == 2
    assert "I counted the ships" in LOGBOOK[rest.place.start : rest.place.end]


def test_a_quote_beside_the_point_leaves_its_sentence_to_the_place_that_says_it() -> None:
    said = "Solitude is a good teacher, but it asks for a high fee."
    point = Point("We sat three nights in the dark", 1, said)
    (rest,) = render_points([point], EVIDENCE, POOL).rests
    place = LOGBOOK[rest.place.start : rest.place.end]
    assert " ".join(place.split()) == said


def test_a_sentence_that_nothing_supports_gets_no_mark() -> None:
    written = render_points([Point("no such words at all", 1, "Zebras gallop.")], EVIDENCE, POOL)
    assert written.marked.marks == ()


def test_of_a_reply_cut_off_the_whole_points_count() -> None:
    text = reply(Point("We sat three nights", 1, "Three nights."), Point("the gulls", 2, "Gulls."))
    (point,) = points_of(text[:-20], complete=False)
    assert point.say == "Three nights."


@pytest.mark.parametrize(
    "text", ["", "Hello.", "[]", '{"points": [{"say": "x"}]}', '{"points": 3}']
)
def test_anything_else_is_a_failure_of_the_model(text: str) -> None:
    with pytest.raises(ModelUnavailable, match="not the JSON"):
        points_of(text)
