"""One client of the web socket, from its coming to its going."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import structlog

from salon.errors import InputError, SalonError
from salon.room.commands.parse import parse
from salon.room.commands.run import run
from salon.room.commands.table import Role
from salon.room.names import room_id
from salon.room.people import Visitor
from salon.surfaces.ws import frames
from salon.types import Speaker

if TYPE_CHECKING:
    from starlette.types import Receive, Send

    from salon.room.live import LiveRoom
    from salon.room.subscribers import Subscription
    from salon.surfaces.ws.door import Door

HISTORY = 50
_AFTER_WARNING_SECONDS = 300.0
_CLOSING_SECONDS = 5.0


class Closing(Exception):
    """The connection ends with `code`; see `frames.CLOSE_CODES`."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(frames.CLOSE_CODES[code])


class Session:
    """Reads frames one after the other; replies are written by tasks of the rooms, never here."""

    def __init__(self, door: Door, receive: Receive, send: Send, may_enter: bool) -> None:
        self.door = door
        self.visitor: Visitor | None = None
        self.language = "en"
        self._receive = receive
        self._send = send
        self._may_enter = may_enter
        self._admin = False
        self._bot = False
        self._rooms: dict[str, tuple[LiveRoom, Subscription, asyncio.Task[None]]] = {}
        self._sending = asyncio.Lock()
        self._sent: deque[float] = deque()
        self._slow = asyncio.Event()

    @property
    def speaker(self) -> Speaker:
        assert self.visitor is not None
        nick = self.visitor.nick or f"guest_{self.visitor.id[-4:]}"
        return Speaker("person", self.visitor.id, nick, self._bot)

    def is_in(self, room: str, visitor: str) -> bool:
        return self.visitor is not None and self.visitor.id == visitor and room in self._rooms

    # --- in and out ---------------------------------------------------------------------------

    async def run(self, first: dict[str, Any] | None) -> None:
        """Until the client leaves or is closed. `first` are frames that its address implies."""
        slow = asyncio.create_task(self._slow.wait())
        reading = asyncio.create_task(self._read(first))
        code: int | None = None
        try:
            await asyncio.wait({slow, reading}, return_when=asyncio.FIRST_COMPLETED)
            if slow.done():
                code = 4008
            elif (error := reading.exception()) is not None:
                if not isinstance(error, Closing):
                    raise error
                code = error.code
        finally:
            for task in (slow, reading):
                task.cancel()
            await asyncio.wait({slow, reading})
            await self._go()
        if code is not None:
            reason = frames.CLOSE_CODES[code]
            with contextlib.suppress(TimeoutError, OSError):
                async with asyncio.timeout(_CLOSING_SECONDS):
                    await self._send({"type": "websocket.close", "code": code, "reason": reason})

    async def _read(self, first: dict[str, Any] | None) -> None:
        if first is not None:
            await self._take(first)
        idle = self.door.settings.idle_minutes * 60
        warned = False
        while True:
            try:
                async with asyncio.timeout(_AFTER_WARNING_SECONDS if warned else idle):
                    got = await self._receive()
            except TimeoutError:
                if warned:
                    raise Closing(4009) from None
                warned = True
                await self.tell("system", text="you have been silent for long", code="idle")
                continue
            if got["type"] == "websocket.disconnect":
                return
            warned = False
            await self._take(_decoded(got))

    async def _take(self, given: Any) -> None:
        """One frame: carried out, or answered with `error`."""
        identifier = given.get("id") if isinstance(given, dict) else None
        try:
            self.door.check(given)
            await self._do(given)
        except SalonError as error:
            await self.tell(
                "error",
                code=error.code,
                message=error.problem,
                expected=error.expected,
                cure=error.cure,
                id=identifier if isinstance(identifier, str) else None,
            )
            if error.code == "nick" and "banned" in error.problem:
                raise Closing(4003) from error
        except Closing:
            raise
        except Exception:
            structlog.get_logger("salon.ws").exception("failed", frame=str(given)[:200])
            await self.tell(
                "error",
                code="unexpected",
                message="the server failed in a way it should not",
                expected="",
                cure="see the server's log",
                id=None,
            )

    async def tell(self, kind: str, **fields: Any) -> None:
        """A frame for this client alone."""
        await self._write(frames.encode({"type": kind, **fields}))

    async def _write(self, text: str) -> None:
        async with self._sending:
            await self._send({"type": "websocket.send", "text": text})

    # --- what a client may ask ------------------------------------------------------------------

    async def _do(self, given: dict[str, Any]) -> None:
        kind = given["type"]
        if kind == "ping":
            await self.tell("pong")
            return
        if kind == "hello":
            await self._hello(given)
            return
        if self.visitor is None:
            raise InputError("say hello first", expected='{"type": "hello", "nick": "..."}')
        if kind == "join":
            await self._join(given["room"], given.get("after", 0))
        elif kind == "leave":
            await self._leave(room_id(given["room"]))
        elif kind in ("message", "command"):
            await self._typed(given)
        elif kind == "stop":
            self._needs(Role.MEMBER)
            await self._here(given["room"]).stop()
        elif kind == "history":
            room = self._here(given["room"])
            found = await room.store.messages(
                room.room.id, before=given["before"], limit=given.get("limit", HISTORY)
            )
            messages = [frames.message(message) for message in found]
            await self.tell("history", room=room.room.id, messages=messages)

    async def _hello(self, given: dict[str, Any]) -> None:
        secret = self.door.secret
        if not self._may_enter and not _same(given.get("secret"), secret):
            raise Closing(1008)
        self._may_enter = True
        rooms = await self.door.rooms()
        self.language = given.get("language") or "en"
        self._bot = given.get("bot", False)
        self._admin = self.door.is_admin(given.get("admin"))
        if self.visitor is None:
            self.visitor = await rooms.people.visitor(given.get("token"))
            self.door.here(self.visitor.id, +1)
        visitor = self.visitor
        problem: SalonError | None = None
        if wanted := given.get("nick") or visitor.nick:
            try:
                await self._nick(wanted)
            except SalonError as error:
                problem = error
        await self.tell(
            "welcome",
            protocol=frames.PROTOCOL,
            you=frames.speaker(self.speaker),
            token=visitor.token,
            role=visitor.role.name.lower(),
            motd=self.door.motd,
        )
        await self.tell("personas", personas=self.door.personas())
        if problem is not None:
            raise problem

    async def _nick(self, wanted: str) -> None:
        assert self.visitor is not None
        rooms = await self.door.rooms()
        before = self.speaker
        here = self.door.present() - {self.visitor.id}
        await rooms.people.take_nick(self.visitor, wanted, rooms.participants(), here)
        self.visitor.role = Role.ADMIN if self._admin else Role.MEMBER
        for live, _, _ in self._rooms.values():
            live.exit(before)
            live.enter(self.speaker)

    async def _join(self, name: str, after: int) -> None:
        rooms = await self.door.rooms()
        identifier = room_id(name)
        if await rooms.store.find(identifier) is None:
            self._needs(Role.MEMBER)
        live = await rooms.room(name)
        if identifier in self._rooms:
            await self._leave(identifier)
        live.enter(self.speaker)
        subscription, missed, turns = await live.join(after, HISTORY)
        subscription.on_drop = self._slow.set
        people = [frames.speaker(person) for person in live.people.values()]
        personas = [
            {"kind": "persona", "id": member.id, "nick": member.nick} for member in live.pool()
        ]
        try:
            await self.tell(
                "joined",
                room=identifier,
                name=live.room.name,
                options=frames.options(live.room),
                present=[*people, *personas],
                last_seq=missed[-1].seq if missed else after,
            )
            for message in missed:
                await self._write(frames.encode(frames.message(message)))
            for turn in turns:
                await self._write(frames.encode(frames.frame(turn)))
        except BaseException:
            live.unwatch(subscription)
            raise
        task = asyncio.create_task(self._pump(subscription))
        self._rooms[identifier] = (live, subscription, task)

    async def _pump(self, subscription: Subscription) -> None:
        """A room's events to the client; each is encoded once for everybody."""
        while (shared := await subscription.next()) is not None:
            if shared.wire is None:
                shared.wire = frames.encode(frames.frame(shared.event))
            try:
                await self._write(shared.wire)
            except (OSError, RuntimeError):  # the client is gone; reading will say so
                return

    async def _leave(self, identifier: str) -> None:
        found = self._rooms.pop(identifier, None)
        if found is None:
            return
        live, subscription, task = found
        task.cancel()
        live.unwatch(subscription)
        if not self.door.elsewhere(self, identifier):
            live.exit(self.speaker)

    async def _typed(self, given: dict[str, Any]) -> None:
        """A message, or a command that was typed as one."""
        self._count()
        typed = parse(given["text"])
        if typed is None and given["type"] == "command":
            raise InputError("not a command", expected="a command such as /help")
        if typed is not None:
            name = room_id(given["room"]) if given.get("room") else ""
            live = self._rooms[name][0] if name in self._rooms else None
            assert self.visitor is not None
            around = await self.door.around()
            outcome = await run(typed, live, self.visitor, around, self.language)
            if outcome.nick:
                await self._nick(outcome.nick)
                role = self.visitor.role.name.lower()
                await self.tell("you", you=frames.speaker(self.speaker), role=role)
            if outcome.join:
                await self._join(outcome.join, 0)
            if outcome.clear:
                await self.tell("clear", room=name)
            if outcome.text:
                await self.tell("system", text=outcome.text, code=typed.name)
            return
        self._needs(Role.MEMBER)
        said = await self._here(given["room"]).say(self.speaker, given["text"], given["id"])
        await self.tell(
            "ack",
            id=given["id"],
            room=said.message.room,
            seq=said.message.seq,
            unknown=list(said.unknown),
        )

    def _here(self, name: str) -> LiveRoom:
        identifier = room_id(name)
        if identifier not in self._rooms:
            raise InputError(f"you are not in #{identifier}", cure="join it first")
        return self._rooms[identifier][0]

    def _needs(self, role: Role) -> None:
        assert self.visitor is not None
        if self.visitor.role < role:
            raise InputError("guests only read", cure="take a name: /nick NAME")

    def _count(self) -> None:
        """Raises InputError for more messages than one client may send in a while."""
        settings, now = self.door.settings, time.monotonic()
        while self._sent and now - self._sent[0] > settings.message_seconds:
            self._sent.popleft()
        if len(self._sent) >= settings.messages:
            raise InputError(
                "too many messages",
                expected=f"at most {settings.messages} in {settings.message_seconds:g} seconds",
                cure="wait a little",
            )
        self._sent.append(now)

    async def _go(self) -> None:
        for identifier in list(self._rooms):
            await self._leave(identifier)
        if self.visitor is not None:
            self.door.here(self.visitor.id, -1)


def _same(given: Any, secret: str) -> bool:
    return isinstance(given, str) and hmac.compare_digest(given.encode(), secret.encode())


def _decoded(got: Any) -> Any:
    text = got.get("text")
    try:
        return json.loads(text if text is not None else got.get("bytes") or b"")
    except (ValueError, RecursionError):
        return None
