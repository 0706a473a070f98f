"""Evidence questions: reading, judging, figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.errors import ConfigError, InputError
from salon.eval import EvalReport, Row, figures, holds, parse_bars, read_questions

EVIDENCE = "Every four hours the weight must be wound up again, summer and winter, by hand"


@pytest.mark.parametrize(
    ("passage", "evidence", "expected"),
    [
        ("So it is. Every four hours the weight must be\nwound up again.", EVIDENCE[:49], True),
        ("EVERY four hours, the wei-\nght must be wound up again", "weight must be wound", True),
        ("He’s “surpriz’d” at the quan-\ntity", "He's surpriz'd at the quantity", True),
        ("the ﬁrst ﬂoor", "first floor", True),
        ("Every four hours the weight", "every five hours the weight", False),
        ("the weight must be wound up again, summer and winter, by", EVIDENCE, True),
        ("four hours the weight must be", EVIDENCE, False),
        (
            "hand by winter and summer again up wound be must weight the hours four every",
            EVIDENCE,
            False,
        ),
        ("wound up again", "must be wound up again", False),
        ("己所不欲，勿施於人。", "己所不欲勿施於人", True),
    ],
)
def test_holds(passage: str, evidence: str, expected: bool) -> None:
    assert holds(passage, evidence) is expected


@given(st.text(min_size=1), st.text(), st.text())
def test_a_passage_holds_every_part_of_itself(part: str, before: str, after: str) -> None:
    assert holds(f"{before} {part} {after}", part)


@pytest.fixture
def file(tmp_path: Path):
    def write(*rows: object) -> Path:
        place = tmp_path / "questions.jsonl"
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        place.write_text("\n".join(lines), encoding="utf-8")
        return place

    return write


SPECIFIC = {"question": "How often?", "kind": "specific", "evidence": EVIDENCE}


def test_rows_for_a_corpus(file) -> None:
    place = file(
        SPECIFIC,
        "",
        {**SPECIFIC, "corpus": "quill"},
        {**SPECIFIC, "corpus": "other"},
        {"question": "And phones?", "kind": "outside", "evidence": ""},
    )
    assert [row.line for row in read_questions(place, "quill")] == [1, 3, 5]
    assert [row.line for row in read_questions(place)] == [1, 3, 4, 5]


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        (["{"], 1, "not JSON"),
        ([SPECIFIC, [1]], 2, "not a JSON object"),
        ([SPECIFIC, {"kind": "broad"}], 2, "missing or empty"),
        ([{**SPECIFIC, "kind": "vague"}], 1, "one of specific, broad, outside"),
        ([{**SPECIFIC, "evidence": "..."}], 1, "needs evidence"),
        ([{**SPECIFIC, "evidence": 7}], 1, "not a text"),
        ([""], 0, "no question"),
        ([{**SPECIFIC, "corpus": "other"}], 0, "other"),
    ],
)
def test_bad_rows(file, rows: list[object], line: int, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_questions(file(*rows), "quill")
    assert caught.value.line == line
    assert words in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="missing"):
        read_questions(tmp_path / "none.jsonl")


def row(kind: str, rank: int = 0, declined: bool | None = None, score: float | None = None) -> Row:
    grounded = None if score is None else score >= 0.5
    return Row(1, "q", kind, rank, 1.0, declined, grounded, score)  # type: ignore[arg-type]


def test_figures() -> None:
    rows = [
        row("specific", 1, False, 0.9),
        row("specific", 3, False, 0.4),
        row("specific", 7, True, 0.3),
        row("specific", 0, False, 0.8),
        row("broad", 0, False, 0.7),
        row("outside", 0, True, 0.2),
        row("outside", 0, False, 0.6),
    ]
    assert figures(rows) == pytest.approx(
        {
            "recall@1": 1 / 4,
            "recall@3": 2 / 4,
            "recall@6": 2 / 4,
            "recall@12": 3 / 4,
            "mrr": (1 + 1 / 3 + 1 / 7) / 4,
            "outside_declined": 1 / 2,
            "specific_declined": 1 / 4,
            "grounded": 3 / 4,
            "score": (0.9 + 0.4 + 0.8 + 0.7) / 4,
        }
    )


def test_figures_without_rows_are_absent() -> None:
    assert set(figures([row("specific", 1)])) == {
        "recall@1",
        "recall@3",
        "recall@6",
        "recall@12",
        "mrr",
    }
    assert figures([]) == {}


def test_bars() -> None:
    report = EvalReport("a", "g", "", "", {}, {"recall@6": 0.7, "mrr": 0.5}, ())
    assert report.failing(parse_bars(["recall@6=0.68", "mrr=0.5"])) == ()
    assert report.failing({"recall@6": 0.71, "mrr": 0.4}) == ("recall@6",)
    with pytest.raises(InputError, match=r"recall@6, mrr"):
        report.failing({"recall@7": 0.1})


@pytest.mark.parametrize("text", ["recall@6", "recall@6=", "recall@6=high", "recall@6=68", "=-1"])
def test_bad_bars(text: str) -> None:
    with pytest.raises(InputError, match="not a bar"):
        parse_bars([text])


def test_a_report_is_json() -> None:
    report = EvalReport("a", "g", "", "", {"broad": 0}, {"mrr": 0.5}, (row("broad"),), ("careful",))
    assert json.loads(json.dumps(report.as_json()))["rows"][0]["kind"] == "broad"
