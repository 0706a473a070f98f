"""The guide and the Host, the persona that is made from it: what they claim is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from salon.bundled import guide_folder, host_folder

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(guide_folder().glob("*.md"))
QUESTIONS = [
    json.loads(line)
    for line in (host_folder() / "questions.jsonl").read_text(encoding="utf-8").splitlines()
]
EXAMPLE = ROOT / "examples" / "persona"
QUOTED = re.compile(r'"([^"\n]+)"')


def folded(text: str) -> str:
    return " ".join(text.split())


def page(name: str) -> str:
    return (guide_folder() / name).read_text(encoding="utf-8")


def test_the_guide_has_the_pages_a_user_needs() -> None:
    assert len(PAGES) >= 25
    short = {p.name: n for p in PAGES if (n := len(p.read_text(encoding="utf-8").split())) < 400}
    assert short == {}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_has_front_matter_and_one_title(path: Path) -> None:
    import yaml

    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    title = yaml.safe_load(front)["title"]
    assert re.findall(r"^# (.+)$", re.sub(r"(?ms)^```.*?^```", "", body), re.M) == [title]


def test_the_questions_are_enough_and_of_every_kind() -> None:
    kinds = [row["kind"] for row in QUESTIONS]
    assert len(QUESTIONS) >= 40
    assert kinds.count("specific") >= 30
    assert kinds.count("broad") >= 4
    assert kinds.count("outside") >= 8
    assert len({row["question"] for row in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize(
    "row", [r for r in QUESTIONS if r["kind"] == "specific"], ids=lambda row: row["question"][:40]
)
def test_evidence_stands_in_its_page_once(row: dict[str, str]) -> None:
    assert folded(page(row["file"])).count(folded(row["evidence"])) == 1


def test_questions_without_evidence_name_no_file() -> None:
    for row in QUESTIONS:
        if row["kind"] != "specific":
            assert "evidence" not in row
            assert "file" not in row


@pytest.mark.parametrize(
    "digest", sorted((host_folder() / "digests").glob("*.md")), ids=lambda path: path.name
)
def test_quotations_in_digests_stand_in_the_guide(digest: Path) -> None:
    guide = folded("\n".join(p.read_text(encoding="utf-8") for p in PAGES))
    body = re.sub(r"`[^`]*`", "", digest.read_text(encoding="utf-8"))
    quotations = QUOTED.findall(body)
    assert quotations
    missing = [q for q in quotations if folded(q).rstrip(".").lower() not in guide.lower()]
    assert missing == []


@pytest.mark.parametrize(
    "worldview",
    [
        host_folder() / "worldview.json",
        ROOT / "examples" / "worldview-oster.json",
        EXAMPLE / "worldview.json",
    ],
    ids=lambda path: path.parent.name,
)
def test_worldviews_fit_the_published_schema(worldview: Path) -> None:
    import jsonschema

    schema = json.loads((ROOT / "docs/schema/worldview.schema.json").read_text(encoding="utf-8"))
    document = json.loads(worldview.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
    assert 8 <= len(document["beliefs"]) <= 12


@pytest.mark.parametrize("folder", [host_folder(), EXAMPLE], ids=["host", "example"])
def test_persona_files_fit_the_published_schema(folder: Path) -> None:
    import jsonschema
    import yaml

    schema = json.loads((ROOT / "docs/schema/persona.schema.json").read_text(encoding="utf-8"))
    document = yaml.safe_load((folder / "persona.yaml").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)
