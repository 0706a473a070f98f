"""Runs the application: one socket, one event loop, a clean end."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING

from salon.errors import ConfigError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

GRACE_SECONDS = 5


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
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        lifespan="on",
    )
    uvicorn.Server(config).run(sockets=[opened])
