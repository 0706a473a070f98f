"""POST /api/query of a real server: the shape, the stream, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from salon.testing.model_server import Behaviour, ModelServer
from tests.surfaces.conftest import Server, StartServer
from tests.surfaces.running import salon

pytestmark = pytest.mark.models

QUESTION = "How long does bread made with salt water keep?"
PUBLISHED_SHAPE = {
    "answer": str,
    "sources": list,
    "rag_grounded": bool,
    "rag_confidence": float,
    "correlation_id": str,
    "elapsed_ms": int,
}


def ask(server: Server, **body: Any) -> httpx.Response:
    return httpx.post(f"{server.address}/api/query", json=body, timeout=60)


def events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def test_an_answer_has_the_published_shape(server: Server) -> None:
    response = ask(server, persona="maren", question=QUESTION)
    body = response.json()
    assert response.status_code == 200, body
    assert {name: type(body[name]) for name in PUBLISHED_SHAPE} == PUBLISHED_SHAPE
    assert "nine days" in body["answer"]
    assert body["sources"] == ["log.txt"]
    assert re.fullmatch(r"mare-[0-9a-f]{6}", body["correlation_id"])
    assert response.headers["X-Correlation-ID"] == body["correlation_id"]
    assert body["persona"] == "maren"


def test_a_citation_is_the_source_s_own_words(server: Server) -> None:
    body = ask(server, persona="maren", question=QUESTION).json()
    assert body["citations"]
    for citation in body["citations"]:
        where = f"{server.address}/api/sources/{citation['source_id']}"
        source = httpx.get(where, params={"persona": "maren"}).json()
        span = citation["span"]
        assert source["text"][span["start"] : span["end"]] == citation["quote"]
        assert source["source"] == citation["source"]
        passage_at = f"{server.address}/api/passages/{citation['passage']}"
        passage = httpx.get(passage_at, params={"persona": "maren"}).json()
        assert citation["quote"] in passage["text"]
        span = passage["span"]
        assert source["text"][span["start"] : span["end"]] == passage["text"]


@pytest.mark.parametrize("way", ["field", "header"])
def test_a_stream_ends_with_the_same_sources_and_score(server: Server, way: str) -> None:
    """Public report R03: sources were shown in the program itself and missing from the API, most
    of all when it streamed. The OpenAI-compatible route, plain and streamed, comes later."""
    plain = ask(server, persona="maren", question=QUESTION).json()
    body: dict[str, Any] = {"persona": "maren", "question": QUESTION}
    headers = {}
    if way == "field":
        body["stream"] = True
    else:
        headers["Accept"] = "text/event-stream"
    address = f"{server.address}/api/query"
    with httpx.stream("POST", address, json=body, headers=headers, timeout=60) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["x-accel-buffering"] == "no"
        happened = list(events(response.iter_lines()))
    names = [name for name, _ in happened]
    assert names[0] == "found"
    assert names[-1] == "answer"
    assert set(names[1:-1]) <= {"token"}
    last = happened[-1][1]
    assert response.headers["X-Correlation-ID"] == last["correlation_id"]
    same = ("answer", "sources", "rag_grounded", "rag_confidence", "citations", "signals")
    assert {name: last[name] for name in same} == {name: plain[name] for name in same}


def test_the_command_line_has_the_same_sources_and_score(
    server: Server, built: Path, tmp_path: Path, models_dir: Path
) -> None:
    """Public report R03: what the program itself shows, beside what its API gives."""
    done = salon(
        "--house", built, "ask", "maren", QUESTION, "--no-model", "--json",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    shown, given = json.loads(done.stdout), ask(server, persona="maren", question=QUESTION).json()
    assert given["citations"]
    for name in given.keys() - {"correlation_id", "elapsed_ms"}:
        assert shown[name] == given[name], name


PRIME = "What is a prime number?"
BLUFF = "A prime number is a natural number with exactly two divisors [1]. Seven is one [2]."


@pytest.mark.parametrize("writer", ["own words", "a model that knows better"])
def test_a_question_that_the_sources_do_not_cover_stays_so_after_one_that_they_do(
    built: Path, start_server: StartServer, writer: str
) -> None:
    """Public report R01: general knowledge was given with notes to passages that do not hold it,
    and more freely once an earlier turn had sources."""
    on_corpus = "Salt water makes a bread that keeps for nine days [1]."
    replies = [Behaviour(text=text) for text in (BLUFF, on_corpus, BLUFF)]
    with ModelServer(*replies) as model:
        chat = "none" if writer == "own words" else "http:test"
        server = start_server(
            built, SALON_MODELS_CHAT=chat, SALON_BACKENDS_HTTP_URL=model.openai_url
        )
        cold = ask(server, persona="maren", question=PRIME).json()
        between = ask(server, persona="maren", question=QUESTION).json()
        thread = [
            {"role": "user", "text": PRIME},
            {"role": "persona", "text": cold["answer"]},
            {"role": "user", "text": QUESTION},
            {"role": "persona", "text": between["answer"]},
        ]
        again = ask(server, persona="maren", question=PRIME, thread=thread).json()
    assert (between["sources"], between["rag_grounded"]) == (["log.txt"], True)
    for answer in (cold, again):
        assert answer["sources"] == answer["citations"] == []
        assert answer["rag_grounded"] is False
        assert answer["rag_confidence"] < 0.3
        assert answer["declined"] or writer != "own words"
    assert cold["rag_confidence"] == again["rag_confidence"]


def test_the_persona_must_be_named_when_there_are_more(server: Server) -> None:
    response = ask(server, question=QUESTION)
    assert response.status_code == 422
    error = response.json()["error"]
    assert error["code"] == "input"
    assert "maren" in error["expected"]
    assert "陶工" in error["expected"]


def test_the_persona_need_not_be_named_when_it_is_alone(
    built: Path, start_server: StartServer
) -> None:
    server = start_server(built, "--persona", "maren", SALON_MODELS_CHAT="none")
    assert ask(server, question=QUESTION).json()["sources"] == ["log.txt"]
    other = ask(server, persona="陶工", question="?")
    assert other.status_code == 404
    assert "maren" in other.json()["error"]["expected"]
    listed = httpx.get(f"{server.address}/api/personas").json()["personas"]
    assert [persona["id"] for persona in listed] == ["maren"]


def test_an_unknown_persona_gets_a_suggestion(server: Server) -> None:
    response = ask(server, persona="marem", question=QUESTION)
    assert response.status_code == 404
    body = response.json()
    assert body["error"]["code"] == "not_found"
    assert "maren" in body["error"]["cure"]
    assert response.headers["X-Correlation-ID"] == body["correlation_id"]


def test_a_persona_with_a_chinese_name_answers(server: Server) -> None:
    body = ask(server, persona="陶工", question="泥土要放多久才能听话？").json()
    assert body["sources"] == ["notes.txt"]
    assert "三年" in body["answer"]


@pytest.mark.parametrize(
    "question", ["", "   \n", "a" * 200_000, "\x00\x00"], ids=["empty", "blank", "long", "nul"]
)
def test_a_question_that_cannot_be_used_is_refused(server: Server, question: str) -> None:
    response = ask(server, persona="maren", question=question)
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "input"


@pytest.mark.parametrize(
    "content",
    [
        b'{"persona": "maren", "question": "bread \\ud800?"}',
        b'{"persona": "maren", "question": "x?", "thread": [{"role": "user", "text": "\\udfff"}]}',
    ],
    ids=["question", "thread"],
)  # fmt: skip
def test_half_characters_are_refused(server: Server, content: bytes) -> None:
    response = httpx.post(
        f"{server.address}/api/query", content=content, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 422
    assert "half of one" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 422),
        (b'{"question": "x", "persona": "maren", "colour": 1}', "application/json", 422),
        (b'{"question": 7, "persona": "maren"}', "application/json", 422),
        (b'{"question": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "application/json", 422),
        (b'{"question": ' + b"9" * 100_000 + b"}", "application/json", 422),
        (b'{"question": "\xff\xfe"}', "application/json", 422),
        (b'{"question": "bread", "persona": "maren"}', "text/plain", 422),
        (b'{"question": "' + b"a" * 2_000_000 + b'"}', "application/json", 413),
    ],
    ids=[
        *("not-json", "unknown-field", "wrong-type", "too-deep", "long-number", "not-utf8"),
        *("wrong-kind", "too-large"),
    ],
)
def test_a_body_that_cannot_be_used_is_refused_in_one_shape(
    server: Server, content: bytes, kind: str, status: int
) -> None:
    response = httpx.post(
        f"{server.address}/api/query", content=content, headers={"Content-Type": kind}
    )
    assert response.status_code == status
    body = response.json()
    assert set(body) == {"error", "correlation_id"}
    assert set(body["error"]) == {"code", "message", "expected", "cure"}
    assert body["error"]["expected"]
    assert body["error"]["cure"]
    assert response.headers["X-Correlation-ID"] == body["correlation_id"]


def test_a_chunked_body_is_limited_too(server: Server) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b"a" * 100_000

    try:
        response = httpx.post(f"{server.address}/api/query", content=endless())
    except httpx.TransportError:
        return  # the server hung up while the rest was being sent
    assert response.status_code == 413


def test_an_error_before_the_first_event_of_a_stream_has_its_status(server: Server) -> None:
    response = ask(server, persona="maren", question="", stream=True)
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "input"


def test_the_thread_makes_a_follow_up_understood(server: Server) -> None:
    thread = [
        {"role": "user", "text": "Which cello did you save in the November storm?"},
        {"role": "persona", "text": "One that had taken in no water."},
    ]
    body = ask(server, persona="maren", question="Who listened to it?", thread=thread).json()
    assert "goat" in body["answer"]
