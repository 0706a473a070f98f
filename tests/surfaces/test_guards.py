"""What is turned away before a route sees it, where a real client could only wait."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from salon.surfaces.http.guards import Guards, Rules


async def test_a_body_that_never_ends_is_given_up() -> None:
    sent: list[dict[str, Any]] = []
    parts = [{"type": "http.request", "body": b"{", "more_body": True}]

    async def receive() -> dict[str, Any]:
        if parts:
            return parts.pop()
        await asyncio.Event().wait()  # the rest never comes
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    async def unreachable(*_: Any) -> None:
        raise AssertionError("a request without its body was passed on")

    guards = Guards(unreachable, Rules(frozenset(), "", body_bytes=100, body_seconds=0.0))
    scope = {"type": "http", "method": "POST", "path": "/api/query", "headers": []}
    await guards(scope, receive, send)
    assert sent[0]["status"] == 408
    error = json.loads(sent[1]["body"])["error"]
    assert error["code"] == "too_slow"
    assert error["expected"]
    assert error["cure"]
