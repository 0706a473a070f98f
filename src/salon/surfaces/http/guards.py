"""What every request passes before a route sees it: correlation id, host, secret, size.

Plain ASGI, so that streams and disconnects go through untouched.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import structlog

from salon.errors import ConfigError
from salon.surfaces.http.errors import CORRELATION_HEADER, RefusedError, error_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from salon.settings import Settings

BODY_SECONDS = 30.0
"""Longer than any question takes to be sent; who keeps a connection open with less is let go."""

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


def new_correlation_id(prefix: str) -> str:
    """`prefix` and six hexadecimal digits, as `fran-8f3a1c`."""
    return f"{prefix}-{secrets.token_hex(3)}"


def is_loopback(host: str) -> bool:
    """Whether an address to listen on can be reached from this machine alone."""
    import ipaddress

    if host in LOOPBACK_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Rules:
    """`hosts`: names that a Host header may carry; empty admits any. `secret`: "" asks for none.

    A body of at most `body_bytes` must be here within `body_seconds`.
    """

    hosts: frozenset[str]
    secret: str
    body_bytes: int
    body_seconds: float = BODY_SECONDS


def rules_for(host: str, settings: Settings) -> Rules:
    """The rules of a server that listens on `host`.

    Raises ConfigError for an address beyond loopback without a secret: anybody could ask then.
    """
    secret = settings.server.secret
    local = is_loopback(host)
    if not local and not secret:
        raise ConfigError(
            f"{host} can be reached from other machines, and no secret guards the server",
            expected="an address of this machine alone, such as 127.0.0.1, or a secret",
            cure="set the variable SALON_SERVER_SECRET, which clients then send as "
            "'Authorization: Bearer SECRET'",
        )
    hosts = LOOPBACK_NAMES | {host.lower()} if local else frozenset()
    return Rules(hosts=hosts, secret=secret, body_bytes=settings.limits.body_bytes)


class Guards:
    """Checks a request against the rules and logs it when it ends."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self.app = app
        self.rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["correlation_id"] = new_correlation_id("salon")
        exchange = _Exchange(scope, send)
        try:
            self._check_host(scope)
            self._check_secret(scope)
            body = await _read_in_time(scope, receive, self.rules)
        except RefusedError as refusal:
            response = error_response(refusal, state["correlation_id"])
            await response(scope, receive, exchange.send)
        except _Gone:
            exchange.status = 499
        else:
            await self._pass_on(scope, _replay(body, receive), exchange)
        finally:
            exchange.log()

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A web socket passes the same check of names; its secret may come in its first frame."""
        try:
            self._check_host(scope)
        except RefusedError as refusal:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.problem[:100]})
        else:
            await self.app(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, exchange: _Exchange) -> None:
        """A fault of ours was answered as one; here it is only written down, with its request."""
        try:
            await self.app(scope, receive, exchange.send)
        except Exception:
            if exchange.status == 0:
                raise
            logger = structlog.get_logger("salon.http")
            logger.exception("failed", correlation_id=exchange.correlation_id)

    def _check_host(self, scope: Scope) -> None:
        """A stranger's page can reach loopback through the reader's browser; its name tells."""
        if not self.rules.hosts:
            return
        expected = f"one of {', '.join(sorted(self.rules.hosts))}"
        host = _header(scope, b"host")
        if _name(f"//{host}") not in self.rules.hosts:
            problem = f"the Host header names {host!r}, which is not this server"
            raise RefusedError(403, "host", problem, expected=expected)
        origin = _header(scope, b"origin")
        if origin and _name(origin) not in self.rules.hosts:
            problem = f"the request comes from a page of {origin!r}"
            raise RefusedError(403, "origin", problem, expected=f"a page of {expected}")

    def _check_secret(self, scope: Scope) -> None:
        if not self.rules.secret or not scope["path"].startswith("/api"):
            return
        kind, _, token = _header(scope, b"authorization").partition(" ")
        given = token.strip().encode("utf-8", "surrogateescape")
        right = hmac.compare_digest(given, self.rules.secret.encode("utf-8"))
        if kind.lower() != "bearer" or not right:
            raise RefusedError(
                401,
                "unauthorized",
                "the secret is missing or wrong",
                expected="the header 'Authorization: Bearer SECRET'",
                cure="send the secret that the server was started with (SALON_SERVER_SECRET)",
            )


class _Exchange:
    """One request's way out: adds the correlation id to the answer, and writes the log line."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.status = 0
        self._send = send
        self._began = time.perf_counter()

    @property
    def correlation_id(self) -> str:
        return str(self.scope["state"]["correlation_id"])

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            name = CORRELATION_HEADER.lower().encode()
            headers = [pair for pair in message.get("headers", ()) if pair[0] != name]
            headers.append((name, self.correlation_id.encode()))
            headers.append((b"x-content-type-options", b"nosniff"))
            message = {**message, "headers": headers}
        await self._send(message)

    def log(self) -> None:
        probe = self.scope["path"] in ("/healthz", "/readyz") and self.status == 200
        structlog.get_logger("salon.http").log(
            logging.DEBUG if probe else logging.INFO,
            "request",
            method=self.scope["method"],
            path=self.scope["path"],
            status=self.status,
            ms=round(1000 * (time.perf_counter() - self._began)),
            correlation_id=self.correlation_id,
        )


class _Gone(Exception):
    """The client went away before its request was complete."""


async def _read_in_time(scope: Scope, receive: Receive, rules: Rules) -> bytes:
    """The whole body. Raises RefusedError (408) when it does not come to its end in time."""
    try:
        async with asyncio.timeout(rules.body_seconds):
            return await _read_body(scope, receive, rules.body_bytes)
    except TimeoutError:
        raise RefusedError(
            408,
            "too_slow",
            "The request's body did not come to its end.",
            expected=f"the whole body within {rules.body_seconds:g} seconds",
            cure="send it again, as long as Content-Length says",
        ) from None


async def _read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The whole body. Raises RefusedError (413) as soon as it is known to be over `limit`."""
    declared = _header(scope, b"content-length")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        body += message.get("body", b"")
        if len(body) > limit:
            raise _too_large(limit)
        if not message.get("more_body", False):
            return bytes(body)


def _too_large(limit: int) -> RefusedError:
    return RefusedError(
        413,
        "too_large",
        "the request's body is too large",
        expected=f"at most {limit:,} bytes",
        cure="shorten it, or raise limits.body_bytes in salon.toml",
    )


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands the body over once and then speaks for the connection."""
    handed = False

    async def next_message() -> Message:
        nonlocal handed
        if handed:
            return await receive()
        handed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


def _header(scope: Scope, name: bytes) -> str:
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def _name(address: str) -> str:
    """The host's name in an address, lower case; "" when there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
