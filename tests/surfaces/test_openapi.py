"""The published description of the HTTP interface is current and complete."""

from __future__ import annotations

import json

from salon.surfaces.http.openapi import openapi_text
from tests.places import ROOT

PUBLISHED = ROOT / "docs" / "schema" / "openapi.json"
DOCUMENT = json.loads(openapi_text())


def test_the_published_document_is_current() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == openapi_text(), "run `make schema`"


def test_every_route_says_what_it_returns_and_how_it_fails() -> None:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["summary"], where
            assert operation["description"], where
            assert "content" in operation["responses"]["200"], where
            if path.startswith("/api/"):
                assert {"401", "403", "500"} <= set(operation["responses"]), where
                assert operation["security"], where


def test_the_query_has_every_answer_and_failure() -> None:
    responses = DOCUMENT["paths"]["/api/query"]["post"]["responses"]
    assert set(responses) == {"200", "401", "403", "404", "413", "422", "500", "503"}
    assert set(responses["200"]["content"]) == {"application/json", "text/event-stream"}
    assert "Retry-After" in responses["503"]["headers"]
    for status in set(responses) - {"200"}:
        schema = responses[status]["content"]["application/json"]["schema"]
        assert schema["$ref"].endswith("/ErrorBody"), status


def test_the_answer_begins_with_the_fields_that_clients_rely_on() -> None:
    fields = list(DOCUMENT["components"]["schemas"]["AnswerBody"]["properties"])
    assert fields[:6] == [
        "answer",
        "sources",
        "rag_grounded",
        "rag_confidence",
        "correlation_id",
        "elapsed_ms",
    ]
