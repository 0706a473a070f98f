"""Evidence questions: reading, judging, figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.errors import ConfigError, InputError
from salon.eval import (
    EvalReport,
    Row,
    compare,
    evaluate,
    figures,
    holds,
    parse_bars,
    parse_variants,
    read_questions,
)
from salon.testing.fakes import HashEmbedder
from tests.keeper import keeper_files, keeper_house

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
    place = file(*rows)
    with pytest.raises(InputError) as caught:
        read_questions(place, "quill")
    assert caught.value.problem.startswith(f"{place}:{line}" if line else f"{place}: ")
    assert words in str(caught.value)
    assert caught.value.expected


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing"):
        read_questions(tmp_path / "none.jsonl")


@pytest.mark.parametrize(("content", "words"), [(b"\xff\xfe", "not UTF-8"), (None, "directory")])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, words: str) -> None:
    place = tmp_path / "rows.jsonl"
    place.write_bytes(content) if content is not None else place.mkdir()
    with pytest.raises(InputError, match=words):
        read_questions(place)


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


QUESTIONS = (
    {
        "question": "How often must the weight be wound up?",
        "kind": "specific",
        "evidence": "Every four hours the weight must be wound up again",
    },
    {"question": "What of the herring?", "kind": "specific", "evidence": "the price of herring"},
    {"question": "What do you think of the sea?", "kind": "broad"},
    {"question": "Which telephone is best?", "kind": "outside"},
)


@pytest.fixture
def house(tmp_path: Path):
    with keeper_house(tmp_path, keeper_files(tmp_path), HashEmbedder()) as opened:
        opened.index("maren")
        yield opened


async def test_a_persona_is_measured(house, file) -> None:
    stages = []
    report = await evaluate(
        house, "Maren", file(*QUESTIONS), progress=lambda stage, done, total: stages.append(done)
    )
    assert (report.persona, report.model, report.warnings) == ("maren", "own-words", ())
    assert report.counts == {"specific": 2, "broad": 1, "outside": 1}
    assert report.figures["recall@6"] == 1.0
    assert report.figures["mrr"] == 0.75
    assert {"outside_declined", "specific_declined"} <= set(report.figures)
    assert stages == [0, 1, 2, 3, 4]
    assert all(row.answer_ms is not None for row in report.rows)


async def test_retrieval_alone(house, file) -> None:
    report = await evaluate(house, "maren", file(*QUESTIONS), answers=False)
    assert report.model == ""
    assert set(report.figures) == {"recall@1", "recall@3", "recall@6", "recall@12", "mrr"}


async def test_evidence_that_no_source_has_is_a_warning(house, file) -> None:
    wrong = {"question": "And?", "kind": "specific", "evidence": "A walrus wanted the almanac"}
    report = await evaluate(house, "maren", file(QUESTIONS[0], wrong), answers=False)
    assert report.figures["recall@12"] == 0.5
    (warning,) = report.warnings
    assert "line 2" in warning


async def test_a_stopped_run_goes_on(house, file, tmp_path: Path) -> None:
    place, results = file(*QUESTIONS), tmp_path / "results.json"

    def stop(stage: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await evaluate(house, "maren", place, results=results, progress=stop)
    kept = json.loads(results.read_text(encoding="utf-8"))
    assert [row["line"] for row in kept["rows"]] == [1, 2]
    kept["rows"][0]["rank"] = 9
    results.write_text(json.dumps(kept), encoding="utf-8")
    report = await evaluate(house, "maren", place, results=results)
    assert [row.rank for row in report.rows if row.kind == "specific"] == [9, 2]
    again = await evaluate(house, "maren", place, results=results)
    assert again == report


async def test_results_of_another_run_are_not_mixed_in(house, file, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    await evaluate(house, "maren", file(QUESTIONS[0]), results=results)
    kept = results.read_bytes()
    with pytest.raises(InputError, match="another run"):
        await evaluate(house, "maren", file(*QUESTIONS), results=results)
    with pytest.raises(InputError, match="another run"):
        await evaluate(house, "maren", file(QUESTIONS[0]), results=results, answers=False)
    assert results.read_bytes() == kept
    results.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="not a file of results"):
        await evaluate(house, "maren", file(QUESTIONS[0]), results=results)


def test_variants() -> None:
    variants = parse_variants(["cutter=prose,whole", "headers=on,off"])
    assert [variant.name for variant in variants] == [
        "cutter=prose headers=on",
        "cutter=prose headers=off",
        "cutter=whole headers=on",
        "cutter=whole headers=off",
    ]
    assert variants[0].values == (("sources.cutter", "prose"), ("retrieval.headers", "on"))


@pytest.mark.parametrize("text", ["cutter", "cutter=", "=prose", "cutter=,"])
def test_bad_variants(text: str) -> None:
    with pytest.raises(InputError, match="not a comparison"):
        parse_variants([text])


def everything(folder: Path) -> dict[str, bytes]:
    return {str(f): f.read_bytes() for f in sorted(folder.rglob("*")) if f.is_file()}


async def test_settings_are_compared_and_the_persona_stays(house, file) -> None:
    before = everything(house.folder("maren"))
    generation = (await house.find("maren", "goat")).generation
    variants = parse_variants(["sources.cutter.target=20,700", "sources.cutter.overlap=0"])
    reports = await compare(house, "maren", file(*QUESTIONS), variants)
    assert [report.setting for report in reports] == [
        "sources.cutter.target=20 sources.cutter.overlap=0",
        "sources.cutter.target=700 sources.cutter.overlap=0",
    ]
    assert reports[0].generation != reports[1].generation
    assert all(report.figures["recall@12"] == 1.0 for report in reports)
    assert everything(house.folder("maren")) == before
    assert (await house.find("maren", "goat")).generation == generation


@pytest.mark.parametrize(
    ("text", "words"), [("cutter=poems", "poems"), ("nik=a", "nick"), ("name.x=1", "no path")]
)
async def test_a_variant_that_does_not_fit_is_named(house, file, text: str, words: str) -> None:
    with pytest.raises((ConfigError, InputError), match=words):
        await compare(house, "maren", file(*QUESTIONS), parse_variants([text]))
