"""What the guide and examples/ show: settings load, folders fit, answers have their shape."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from salon.bundled import guide_folder
from salon.corpus.read import read_folder
from salon.persona.load import load_persona, load_worldview
from salon.persona.schema import PERSONA, faults
from salon.settings import load
from tests.places import ROOT

EXAMPLES = ROOT / "examples"
PERSONA_FOLDER = EXAMPLES / "persona"


def blocks(language: str) -> list[object]:
    """Every fenced block of the guide in `language`, named by its page."""
    return [
        pytest.param(found, id=f"{page.stem}-{number}")
        for page in sorted(guide_folder().glob("*.md"))
        for number, found in enumerate(
            re.findall(rf"(?ms)^```{language}\n(.*?)^```", page.read_text(encoding="utf-8")), 1
        )
    ]


@pytest.mark.parametrize("text", blocks("toml"))
def test_settings_in_the_guide_load(text: str, tmp_path: Path) -> None:
    (tmp_path / "salon.toml").write_text(text, encoding="utf-8")
    load(tmp_path / "salon.toml", {})


@pytest.mark.parametrize("text", blocks("yaml"))
def test_persona_settings_in_the_guide_fit(text: str) -> None:
    assert faults({"name": "Somebody", **yaml.safe_load(text)}, PERSONA) == []


@pytest.mark.parametrize("text", blocks("json"))
def test_json_in_the_guide_is_json(text: str) -> None:
    for document in text.strip().split("\n{"):
        json.loads(document if document.startswith("{") else "{" + document)


def test_the_example_persona_loads_and_is_told_of_its_digest() -> None:
    card = load_persona(PERSONA_FOLDER)
    assert [notice.partition(":")[0] for notice in card.notices] == ["digests/"]
    assert card.worldview == load_worldview(EXAMPLES / "worldview-oster.json")


def test_the_example_persona_asks_what_its_letters_answer() -> None:
    found = read_folder(PERSONA_FOLDER / "sources")
    assert found.refused == ()
    letters = {source.info.name: " ".join(source.text.split()) for source in found.sources}
    rows = (PERSONA_FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    specific = [row for row in map(json.loads, rows) if row["kind"] == "specific"]
    assert {row["file"] for row in specific} == set(letters)
    for row in specific:
        assert row["evidence"] in letters[row["file"]]


def test_the_described_answer_and_error_have_the_shape_of_the_api() -> None:
    from salon.surfaces.http.schemas import AnswerBody, ErrorBody, QueryBody

    text = (EXAMPLES / "api.md").read_text(encoding="utf-8")
    answer, query, error = re.findall(r"(?ms)^```json\n(.*?)^```", text)
    AnswerBody.model_validate_json(answer)
    QueryBody.model_validate_json(query)
    ErrorBody.model_validate_json(error)


def test_the_described_citation_quotes_its_letter() -> None:
    text = (EXAMPLES / "api.md").read_text(encoding="utf-8")
    answer = json.loads(re.findall(r"(?ms)^```json\n(.*?)^```", text)[0])
    letters = {s.info.name: s for s in read_folder(PERSONA_FOLDER / "sources").sources}
    for note in answer["citations"]:
        letter = letters[note["source"]]
        span = note["span"]
        assert letter.info.id == note["source_id"]
        assert letter.text[span["start"] : span["end"]] == note["quote"]


def test_the_service_file_is_the_one_that_the_guide_shows() -> None:
    page = (guide_folder() / "29-running-for-others.md").read_text(encoding="utf-8")
    shown = re.findall(r"(?ms)^```ini\n(.*?)^```", page)[0]
    service = (EXAMPLES / "systemd" / "salon@.service").read_text(encoding="utf-8")
    assert [line for line in service.splitlines() if not line.startswith("#")] == shown.splitlines()
