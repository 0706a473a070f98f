"""Server-sent events: comments while nothing happens, and an end when the client leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from salon.surfaces.http.stream import ClientGone, EventStream, event, while_connected


class Client:
    """The other end of a response: keeps what it was sent, and leaves when told to."""

    def __init__(self) -> None:
        self.body = b""
        self.ended = False
        self.left = asyncio.Event()
        self.news = asyncio.Condition()

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        async with self.news:
            self.body += message.get("body", b"")
            self.ended = message["type"] == "http.response.body" and not message["more_body"]
            self.news.notify_all()

    async def until(self, wanted: bytes) -> None:
        async with self.news:
            await self.news.wait_for(lambda: wanted in self.body)


async def test_comments_are_sent_while_nothing_happens() -> None:
    client, go_on = Client(), asyncio.Event()

    async def produce() -> AsyncGenerator[bytes, None]:
        yield event("found", {})
        await go_on.wait()
        yield event("answer", {"answer": "nine days"})

    response = EventStream(produce, keep_alive=0.01)
    sending = asyncio.create_task(response({"type": "http"}, client.receive, client.send))
    await client.until(b": waiting\n\n")
    go_on.set()
    await sending
    assert client.ended
    assert client.body.startswith(b"event: found\n")
    assert client.body.rstrip().endswith(b'data: {"answer": "nine days"}')


async def test_a_client_that_leaves_closes_the_events() -> None:
    client, closed = Client(), asyncio.Event()

    async def produce() -> AsyncGenerator[bytes, None]:
        try:
            yield event("token", {"text": "and"})
            await asyncio.Event().wait()
        finally:
            closed.set()

    response = EventStream(produce)
    sending = asyncio.create_task(response({"type": "http"}, client.receive, client.send))
    await client.until(b"and")
    client.left.set()
    await sending
    assert closed.is_set()
    assert not client.ended


async def test_work_is_cancelled_and_has_ended_when_the_client_leaves() -> None:
    client, steps = Client(), []

    async def work() -> None:
        try:
            client.left.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            steps.append("tidied")

    with pytest.raises(ClientGone):
        await while_connected(client.receive, work())
    assert steps == ["tidied"]


async def test_the_result_of_work_and_its_error_pass_through() -> None:
    client = Client()

    async def work(fails: bool) -> int:
        if fails:
            raise LookupError
        return 7

    assert await while_connected(client.receive, work(False)) == 7
    with pytest.raises(LookupError):
        await while_connected(client.receive, work(True))


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\u2028b", "a\x85b", "孔子", "\ud800"])
def test_an_event_is_two_lines_whatever_it_carries(text: str) -> None:
    lines = event("token", {"text": text}).decode().splitlines()
    assert len(lines) == 3
    assert lines[0] == "event: token"
    assert lines[2] == ""
