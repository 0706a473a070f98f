from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from salon.backends.chat import register
from salon.backends.vendors import VENDORS
from salon.errors import ConfigError, ModelUnavailable
from salon.plugins import Plugins
from salon.ports import BackendContext, ChatModel
from salon.testing.chat_contract import ASK, SCHEMA, collect
from salon.testing.contracts import ChatModelContract
from salon.testing.fakes import ScriptedChat
from salon.testing.model_server import (
    CUT,
    EMPTY,
    FAILS,
    HANGS,
    LIMITED,
    SILENT,
    SLOW,
    TEXT,
    UNAUTHORISED,
    UNFINISHED,
    Behaviour,
    ModelServer,
)
from salon.types import ChatRequest, Message

JSON = '{"animal": "whale"}'


def _made(spec: str, options: dict[str, str]) -> ChatModel:
    plugins = Plugins()
    register(plugins)
    kind, _, model = spec.partition(":")
    return plugins.chat_factory(kind)(model, BackendContext(Path("nowhere"), options))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def _http(server: ModelServer, **options: str) -> ChatModel:
    return _made("http:small", {"url": server.openai_url, **options})


def _anthropic(server: ModelServer, **options: str) -> ChatModel:
    return _made("anthropic", {"url": server.url, "api_key": "secret", **options})


MAKERS = pytest.mark.parametrize("make", [_http, _anthropic], ids=["openai", "anthropic"])


class TestScriptedChat(ChatModelContract):
    supports_schema = False

    @pytest.fixture
    def model(self) -> ChatModel:
        return ScriptedChat(["A grey whale."] * 3)


class TestOpenAIWire(ChatModelContract):
    @pytest.fixture
    def model(self, server: ModelServer) -> ChatModel:
        server.behave(Behaviour(text=JSON))
        return _http(server)


class TestAnthropicWire(ChatModelContract):
    @pytest.fixture
    def model(self, server: ModelServer) -> ChatModel:
        server.behave(Behaviour(text=JSON))
        return _anthropic(server)


@MAKERS
async def test_text_comes_word_by_word_and_whole(make, server: ModelServer) -> None:
    deltas = await collect(make(server), ASK)
    assert "".join(delta.text for delta in deltas) == TEXT
    assert len(deltas) > 4
    assert deltas[-1].usage.output_tokens == len(TEXT.split())


@MAKERS
async def test_length_is_told(make, server: ModelServer) -> None:
    server.behave(Behaviour(finish="length"))
    assert (await collect(make(server), ASK))[-1].finish == "length"


@MAKERS
async def test_a_model_that_does_not_heed_the_limit_is_stopped(make, server: ModelServer) -> None:
    server.behave(Behaviour(text="and then " * 100_000))
    request = replace(ASK, max_tokens=10)
    deltas = await collect(make(server), request)
    assert deltas[-1].finish == "length"
    assert len("".join(delta.text for delta in deltas)) < 1_000


async def test_openai_request_carries_messages_limits_and_key(server: ModelServer) -> None:
    await collect(_http(server, api_key="secret"), ASK)
    (request,) = server.requests
    assert request.headers["authorization"] == "Bearer secret"
    assert [m["role"] for m in request.body["messages"]] == ["system", "user"]
    assert request.body["model"] == "small"
    assert request.body["temperature"] == ASK.temperature
    assert ASK.max_tokens in (
        request.body.get("max_tokens"),
        request.body.get("max_completion_tokens"),
    )


async def test_anthropic_request_carries_a_cacheable_system_prompt(server: ModelServer) -> None:
    await collect(_anthropic(server), ASK)
    (request,) = server.requests
    assert "secret" in (request.headers.get("x-api-key"), request.headers["authorization"][7:])
    assert request.body["max_tokens"] == ASK.max_tokens
    assert ASK.messages[0].content in json.dumps(request.body["system"])
    assert "cache_control" in json.dumps(request.body["system"])


@MAKERS
async def test_conversation_keeps_its_order(make, server: ModelServer) -> None:
    thread = (
        Message("system", "S"),
        Message("user", "first"),
        Message("assistant", "second"),
        Message("user", "third"),
    )
    await collect(make(server), ChatRequest(thread))
    sent = json.dumps(server.requests[0].body["messages"])
    assert sent.index("first") < sent.index("second") < sent.index("third")


async def test_schema_is_sent_natively(server: ModelServer) -> None:
    server.behave(Behaviour(text=JSON))
    await collect(_http(server), ChatRequest(ASK.messages, schema=SCHEMA))
    sent = server.requests[0].body["response_format"]
    assert sent["type"] == "json_schema"
    assert set(sent["json_schema"]["schema"]["properties"]) == {"animal"}


@pytest.mark.parametrize("spec", ["anthropic:claude-3-haiku-20240307", "groq:llama-3"])
async def test_model_without_schemas_is_asked_in_words(spec: str, server: ModelServer) -> None:
    server.behave(Behaviour(text=f"Here it is:\n```json\n{JSON}\n```"))
    url = server.url if spec.startswith("anthropic") else server.openai_url
    model = _made(spec, {"url": url, "api_key": "secret"})
    deltas = await collect(model, ChatRequest(ASK.messages, schema=SCHEMA))
    assert "".join(delta.text for delta in deltas) == JSON
    assert "animal" in json.dumps({**server.requests[0].body, "response_format": ""})


async def test_model_without_schemas_that_answers_in_prose_is_an_error(
    server: ModelServer,
) -> None:
    model = _made("anthropic:claude-3-haiku-20240307", {"url": server.url, "api_key": "secret"})
    with pytest.raises(ModelUnavailable, match="the form that was asked for"):
        await collect(model, ChatRequest(ASK.messages, schema=SCHEMA))


@MAKERS
@pytest.mark.parametrize(
    ("behaviour", "status", "words"),
    [
        (UNAUTHORISED, 401, "refused the access (401): the key is not valid"),
        (LIMITED, 429, "ask again in 20 s"),
        (Behaviour(status=402), 402, "add credit"),
        (Behaviour(status=413), 413, "too long"),
        (FAILS, 500, "failed on its side (500): something broke"),
        (Behaviour(status=404), 404, "does not know this model"),
        (Behaviour(status=400), 400, "refused the request"),
        (EMPTY, 0, "wrote nothing"),
        (SILENT, 0, "wrote nothing"),
        (CUT, 0, "broke off in the middle"),
        (UNFINISHED, 0, "broke off in the middle"),
        (Behaviour(finish="content_filter"), 0, "declined to write"),
        (Behaviour(text="", finish="length"), 0, "used up the length"),
    ],
)
async def test_failure_is_an_error_with_its_reason(
    make, server: ModelServer, behaviour: Behaviour, status: int, words: str
) -> None:
    server.behave(behaviour)
    with pytest.raises(ModelUnavailable) as caught:
        await collect(make(server), ASK)
    assert words in str(caught.value)
    assert caught.value.status == status


@MAKERS
async def test_limit_tells_when_to_ask_again(make, server: ModelServer) -> None:
    server.behave(LIMITED)
    with pytest.raises(ModelUnavailable) as caught:
        await collect(make(server), ASK)
    assert caught.value.retry_after == 20.0
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("make", "variable"),
    [(_http, "SALON_BACKENDS_HTTP_API_KEY"), (_anthropic, "ANTHROPIC_API_KEY")],
)
async def test_refused_key_names_its_variable(make, variable: str, server: ModelServer) -> None:
    server.behave(UNAUTHORISED)
    with pytest.raises(ModelUnavailable, match=variable):
        await collect(make(server), ASK)


@MAKERS
async def test_silent_server_is_an_error(make, server: ModelServer) -> None:
    server.behave(HANGS)
    with pytest.raises(ModelUnavailable, match="sent nothing"):
        await collect(make(server, timeout="0.3"), ASK)


@MAKERS
async def test_server_that_falls_silent_in_the_middle_is_an_error(
    make, server: ModelServer
) -> None:
    server.behave(Behaviour(end="hang"))
    with pytest.raises(ModelUnavailable, match="sent nothing"):
        await collect(make(server, timeout="0.3"), ASK)


@MAKERS
async def test_passing_failure_is_tried_once_more(make, server: ModelServer) -> None:
    server.behave(FAILS, Behaviour())
    deltas = await collect(make(server), ASK)
    assert "".join(delta.text for delta in deltas) == TEXT
    assert len(server.requests) == 2


async def test_reply_that_began_is_not_tried_again(server: ModelServer) -> None:
    server.behave(CUT, Behaviour())
    with pytest.raises(ModelUnavailable, match="broke off"):
        await collect(_http(server), ASK)
    assert len(server.requests) == 1


async def test_absent_server_names_address_and_cure() -> None:
    model = _made("ollama:llama3.2", {"url": "http://127.0.0.1:1/v1"})
    with pytest.raises(ModelUnavailable) as caught:
        await collect(model, ASK)
    assert "cannot be reached at http://127.0.0.1:1/v1" in str(caught.value)
    assert "ollama serve" in str(caught.value)


@pytest.mark.parametrize("vendor", [v for v in VENDORS if v.needs_key], ids=lambda v: v.kind)
async def test_missing_key_names_its_variable(vendor) -> None:
    with pytest.raises(ModelUnavailable, match=vendor.key_variable):
        await collect(_made(f"{vendor.kind}:some-model", {}), ASK)


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda v: v.kind)
def test_cards_leave_room_for_prompt_and_answer(vendor) -> None:
    card = _made(f"{vendor.kind}:some-model", {"url": "http://127.0.0.1:1"}).card
    assert card.name == f"{vendor.kind}:some-model"
    assert card.evidence_tokens < card.context_tokens / 2


@pytest.mark.parametrize(
    ("spec", "options", "words"),
    [
        ("http:m", {}, "backends.http.url"),
        ("http", {"url": "http://127.0.0.1:1"}, "http:MODEL"),
        ("ollama", {}, "ollama:MODEL"),
        ("openai", {"evidence_tokens": "lots"}, "backends.openai.evidence_tokens"),
    ],
)
def test_wrong_options_are_named(spec: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        _made(spec, options)


@MAKERS
async def test_closing_the_reply_closes_the_connection(make, server: ModelServer) -> None:
    server.behave(SLOW)
    async with aclosing(make(server).stream(ASK)) as deltas:
        async for _ in deltas:
            break
    closed = time.monotonic()
    await _until(lambda: server.disconnects)
    assert server.disconnects[0] - closed < 1.0


@MAKERS
async def test_cancelling_the_task_closes_the_connection(make, server: ModelServer) -> None:
    server.behave(SLOW)
    began = asyncio.Event()

    async def read() -> None:
        async for _ in make(server).stream(ASK):
            began.set()

    task = asyncio.create_task(read())
    await began.wait()
    task.cancel()
    cancelled = time.monotonic()
    await _until(lambda: server.disconnects)
    assert server.disconnects[0] - cancelled < 1.0
    assert task.cancelled() or task.done()


@MAKERS
async def test_cancelling_before_the_first_word_closes_the_connection(
    make, server: ModelServer
) -> None:
    server.behave(HANGS)
    task = asyncio.create_task(collect(make(server), ASK))
    await _until(lambda: server.requests)
    task.cancel()
    await _until(lambda: server.disconnects)


@MAKERS
def test_model_outlives_its_event_loop(make, server: ModelServer) -> None:
    model = make(server)
    for _ in range(2):
        assert asyncio.run(collect(model, ASK))[-1].finish == "stop"


async def _until(condition) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 -- another thread makes it true
            await asyncio.sleep(0.01)
