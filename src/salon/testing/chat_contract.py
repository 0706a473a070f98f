"""What every ChatModel promises, as tests to inherit.

class TestMine(ChatModelContract):
    @pytest.fixture
    def model(self): ...
"""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing

import jsonschema
import pytest

from salon.ports import ChatModel
from salon.types import ChatDelta, ChatRequest, Message

ASK = ChatRequest(
    messages=(
        Message("system", "You answer in one short sentence."),
        Message("user", "Name an animal that lives in the sea."),
    ),
    max_tokens=40,
)
LONG = ChatRequest(
    messages=(Message("user", "Tell me a very long story about the sea."),), max_tokens=400
)
SCHEMA = {
    "type": "object",
    "properties": {"animal": {"type": "string", "maxLength": 30}},
    "required": ["animal"],
    "additionalProperties": False,
}


async def collect(model: ChatModel, request: ChatRequest) -> list[ChatDelta]:
    """The whole of a reply."""
    return [delta async for delta in model.stream(request)]


class ChatModelContract:
    """Inherit, and give the fixture `model`: one that answers ASK with some text."""

    supports_schema = True

    @pytest.fixture
    def model(self) -> ChatModel:
        raise NotImplementedError

    async def test_card_has_room_for_evidence_and_an_answer(self, model: ChatModel) -> None:
        assert model.card.name
        assert 0 < model.card.evidence_tokens < model.card.context_tokens

    async def test_last_delta_and_only_it_has_the_finish(self, model: ChatModel) -> None:
        deltas = await collect(model, ASK)
        assert deltas[-1].finish in ("stop", "length")
        assert all(not delta.finish for delta in deltas[:-1])
        assert "".join(delta.text for delta in deltas).strip()

    async def test_usage_counts_what_was_read_and_written(self, model: ChatModel) -> None:
        usage = (await collect(model, ASK))[-1].usage
        assert usage is not None
        assert usage.input_tokens > 0
        assert usage.output_tokens > 0

    async def test_can_be_asked_again_after_being_closed_early(self, model: ChatModel) -> None:
        async with aclosing(model.stream(LONG)) as deltas:  # type: ignore[type-var]
            async for _ in deltas:
                break
        assert (await collect(model, ASK))[-1].finish

    async def test_can_be_asked_again_after_being_cancelled(self, model: ChatModel) -> None:
        began = asyncio.Event()

        async def read() -> None:
            async for _ in model.stream(LONG):
                began.set()

        task = asyncio.create_task(read())
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await collect(model, ASK))[-1].finish

    async def test_requests_at_the_same_time_each_get_a_whole_reply(self, model: ChatModel) -> None:
        replies = await asyncio.gather(collect(model, ASK), collect(model, ASK))
        for deltas in replies:
            assert deltas[-1].finish
            assert "".join(delta.text for delta in deltas).strip()

    async def test_schema_gives_json_that_satisfies_it(self, model: ChatModel) -> None:
        if not self.supports_schema:
            pytest.skip("this model's replies are fixed")
        request = ChatRequest(messages=ASK.messages, max_tokens=80, schema=SCHEMA)
        text = "".join(delta.text for delta in await collect(model, request))
        jsonschema.validate(json.loads(text), SCHEMA)

    async def test_closing_twice_is_no_error(self, model: ChatModel) -> None:
        await model.close()
        await model.close()
