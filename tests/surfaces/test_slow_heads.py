"""Clients that never finish a request's head, on a real server with a short patience."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn

from salon.surfaces.http.server import listen, patient_protocol


async def _application(scope, receive, send) -> None:
    if scope["type"] == "lifespan":
        return
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    opened = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        _application, http=patient_protocol(0.5), log_config=None, lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]})
    thread.start()
    yield opened.getsockname()[:2]
    server.should_exit = True
    thread.join()


@pytest.mark.parametrize("start", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow:"])
def test_connection_without_a_whole_head_is_closed(address: tuple[str, int], start: bytes) -> None:
    with socket.create_connection(address, timeout=30) as client:
        client.sendall(start)
        assert client.recv(1000) == b""


def test_second_request_of_a_connection_is_not_waited_for_either(
    address: tuple[str, int],
) -> None:
    with socket.create_connection(address, timeout=30) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
        client.sendall(b"GET / HTTP/1.1\r\nHo")
        while got := client.recv(1000):
            assert b"400" not in got
