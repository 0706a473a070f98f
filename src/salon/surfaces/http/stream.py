"""Server-sent events, and the rule that a client who leaves stops the work behind the answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

KEEP_ALIVE_SECONDS = 15.0
_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}

T = TypeVar("T")


class ClientGone(Exception):
    """The client closed the connection; nobody waits for the answer any more."""


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def while_connected(receive: Receive, work: Awaitable[T]) -> T:
    """The result of `work`; cancels it, and waits for its end, when the client leaves first.

    Raises ClientGone then.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGone
        return task.result()
    finally:
        for pending in (task, gone):
            pending.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


def event(name: str, data: Mapping[str, Any]) -> bytes:
    """One server-sent event; its data is JSON in ASCII, so no client sees a line break in it."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode("ascii")


class EventStream(Response):
    """Sends the events that `produce` yields, with comments while it is silent.

    `produce` is a generator of finished events; it is closed when the client leaves.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        produce: Callable[[], AsyncGenerator[bytes, None]],
        keep_alive: float = KEEP_ALIVE_SECONDS,
    ) -> None:
        self.status_code = 200
        self.background = None
        self.body = b""
        self.init_headers(_HEADERS)
        del self.headers["content-length"]
        self._produce = produce
        self._keep_alive = keep_alive

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        with contextlib.suppress(ClientGone):
            await while_connected(receive, self._write(send))

    async def _write(self, send: Send) -> None:
        lock = asyncio.Lock()
        waking = asyncio.ensure_future(self._wake(send, lock))
        try:
            async with contextlib.aclosing(self._produce()) as events:
                async for chunk in events:
                    async with lock:
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        finally:
            waking.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _wake(self, send: Send, lock: asyncio.Lock) -> None:
        while True:
            await asyncio.sleep(self._keep_alive)
            async with lock:
                await send(
                    {"type": "http.response.body", "body": b": waiting\n\n", "more_body": True}
                )
