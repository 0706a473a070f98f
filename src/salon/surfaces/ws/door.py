"""The web socket's door: who may come in, how many, and what they share."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from salon.errors import InputError
from salon.room.commands.run import Around
from salon.rooms_settings import RoomsSettings
from salon.surfaces.ws import frames
from salon.surfaces.ws.session import Session

if TYPE_CHECKING:
    from jsonschema.protocols import Validator
    from starlette.types import Receive, Scope, Send

    from salon.house.rooms import Rooms


class Door:
    """An ASGI application for `/ws`. `local`: only this machine can reach the server."""

    motd = "Salon: personas that answer from a person's own writings. /help says what can be typed."

    def __init__(
        self,
        rooms: Callable[[], Awaitable[Rooms]],
        settings: RoomsSettings,
        secret: str,
        local: bool,
    ) -> None:
        self.rooms = rooms
        self.settings = settings
        self.secret = secret
        self._local = local
        self._addresses: Counter[str] = Counter()
        self._here: Counter[str] = Counter()
        self._sessions: set[Session] = set()
        self._opened: Rooms | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        address = (scope.get("client") or ("",))[0]
        self._addresses[address] += 1
        session = Session(self, receive, send, self._bearer(scope))
        self._sessions.add(session)
        try:
            if self._addresses[address] > self.settings.connections:
                reason = frames.CLOSE_CODES[4029]
                await send({"type": "websocket.close", "code": 4029, "reason": reason})
                return
            self._opened = await self.rooms()
            await session.run(_implied(scope))
        finally:
            self._sessions.discard(session)
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    def _bearer(self, scope: Scope) -> bool:
        """Whether the secret came with the request, or none is asked for."""
        given = dict(scope["headers"]).get(b"authorization", b"")
        return not self.secret or hmac.compare_digest(given, b"Bearer " + self.secret.encode())

    def is_admin(self, given: str | None) -> bool:
        """Whoever holds the admin's secret; without one, whoever reaches a local server."""
        wanted = self.settings.admin_secret
        if not wanted:
            return self._local
        return given is not None and hmac.compare_digest(given.encode(), wanted.encode())

    def here(self, visitor: str, change: int) -> None:
        self._here[visitor] += change
        if self._here[visitor] <= 0:
            del self._here[visitor]

    def present(self) -> set[str]:
        """Ids of the visitors that are connected."""
        return set(self._here)

    def elsewhere(self, session: Session, room: str) -> bool:
        """Whether the session's visitor is in the room with another connection."""
        return any(
            other is not session and other.is_in(room, session.speaker.id)
            for other in self._sessions
            if other.visitor is not None
        )

    def personas(self) -> list[dict[str, Any]]:
        assert self._opened is not None
        return [
            {
                **{"id": card.id, "nick": card.nick, "name": card.name, "colour": card.colour},
                **{"domain": card.domain, "language": card.language},
            }
            for card in self._opened.house.personas()
        ]

    async def around(self) -> Around:
        rooms = await self.rooms()
        house = rooms.house

        def models() -> dict[str, str]:
            return {card.id: house.model_name(card.id) for card in house.personas()}

        return Around(rooms.store, rooms.people, models, rooms.services)

    def check(self, given: Any) -> None:
        """Raises InputError for a frame that the protocol does not have."""
        kind = given.get("type") if isinstance(given, dict) else None
        if not isinstance(kind, str) or kind not in frames.INBOUND:
            raise InputError(
                "not a frame of this protocol",
                expected=f"a JSON object whose type is one of {', '.join(frames.INBOUND)}",
            )
        for fault in _validator(kind).iter_errors(given):
            place = ".".join(str(part) for part in fault.absolute_path)
            raise InputError(f"{kind} {place}: {fault.message[:200]}".replace("  ", " "))


@cache
def _validator(kind: str) -> Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(frames.INBOUND[kind])


def _implied(scope: Scope) -> dict[str, Any] | None:
    """The hello that the address itself gives: /ws?nick=Ana."""
    given = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    wanted = {name: given[name][0] for name in ("nick", "token", "language") if name in given}
    return {"type": "hello", **wanted} if wanted else None
