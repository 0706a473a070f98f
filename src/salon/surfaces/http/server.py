"""Runs the application: one socket, one event loop, a clean end."""

from __future__ import annotations

import asyncio
import errno
import socket
from typing import TYPE_CHECKING, Any

from salon.errors import ConfigError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

GRACE_SECONDS = 5
HEADER_SECONDS = 20.0
"""How long a client may take for a request's head; a body has its own limit."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket at the address. Raises ConfigError when it is taken or not ours."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise ConfigError(
            f"{host!r} is not an address of this machine",
            expected="an address such as 127.0.0.1",
            cure="give another --host",
        ) from error
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(128)
    except OSError as error:
        opened.close()
        raise _refused(host, port, error) from error
    return opened


def _refused(host: str, port: int, error: OSError) -> ConfigError:
    if error.errno == errno.EADDRINUSE:
        return ConfigError(
            f"port {port} of {host} is in use: another server, perhaps another Salon, has it",
            cure=f"stop that one, or choose another port: --port {port + 1}",
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return ConfigError(
            f"port {port} may not be opened by this user",
            expected="a port above 1023",
            cure="choose another --port",
        )
    return ConfigError(
        f"{host} port {port} cannot be listened on: {error.strerror}", cure="give another --host"
    )


def address_of(opened: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run_server(application: ASGIApp, opened: socket.socket) -> None:
    """Serves until SIGINT or SIGTERM; answers under way get a few seconds to end."""
    import uvicorn

    config = uvicorn.Config(
        application,
        http=patient_protocol(),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
        ws_per_message_deflate=False,
        ws_max_size=1_000_000,
    )
    uvicorn.Server(config).run(sockets=[opened])


def patient_protocol(seconds: float = HEADER_SECONDS) -> type[asyncio.Protocol]:
    """Uvicorn's HTTP protocol, which closes a connection whose request does not come.

    Uvicorn itself waits for ever for the rest of a head: clients that send a byte a minute would
    take every connection there is.
    """
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Patient(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._arm()

        def data_received(self, data: bytes) -> None:
            before = self.cycle
            super().data_received(data)
            waits = self.cycle is before and (before is None or before.response_complete)
            if not waits:
                self._disarm()
            elif self._deadline is None:
                self._arm()

        def connection_lost(self, exc: Exception | None) -> None:
            self._disarm()
            super().connection_lost(exc)

        def handle_websocket_upgrade(self, event: Any) -> None:
            self._disarm()
            super().handle_websocket_upgrade(event)

        def _arm(self) -> None:
            self._deadline = self.loop.call_later(seconds, self.transport.close)

        def _disarm(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

    return Patient
