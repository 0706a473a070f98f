"""Rooms, messages, presence and summaries in the database."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any

from sqlalchemy import RowMapping, insert, select, update
from sqlalchemy.exc import IntegrityError

from salon.room.names import room_id
from salon.state.database import Database
from salon.state.tables import MESSAGES, PRESENCE, ROOMS, SUMMARIES
from salon.types import Room, RoomMessage, RoomOptions, Speaker, Summary


def now() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


class RoomStore:
    """Every method is one transaction: done when it returns."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def room(self, name: str, options: RoomOptions | None = None) -> Room:
        """The room of this name, made with `options` when there is none. Raises InputError."""
        identifier = room_id(name)
        if (found := await self.find(identifier)) is not None:
            return found
        values = {
            "id": identifier,
            "name": name.lstrip("#").strip() or identifier,
            "options": asdict(options or RoomOptions()),
            "last_seq": 0,
            "created": now(),
        }
        try:
            async with self.database.write() as connection:
                await connection.execute(insert(ROOMS).values(**values))
        except IntegrityError:  # somebody was faster
            pass
        found = await self.find(identifier)
        assert found is not None
        return found

    async def find(self, identifier: str) -> Room | None:
        async with self.database.read() as connection:
            row = (
                (await connection.execute(select(ROOMS).where(ROOMS.c.id == identifier)))
                .mappings()
                .first()
            )
        return _room(row) if row is not None else None

    async def rooms(self) -> list[Room]:
        """All rooms, by id."""
        async with self.database.read() as connection:
            rows = (await connection.execute(select(ROOMS).order_by(ROOMS.c.id))).mappings().all()
        return [_room(row) for row in rows]

    async def set_options(self, identifier: str, options: RoomOptions) -> None:
        async with self.database.write() as connection:
            await connection.execute(
                update(ROOMS).where(ROOMS.c.id == identifier).values(options=asdict(options))
            )

    async def post(self, message: RoomMessage) -> tuple[RoomMessage, bool]:
        """Numbers and keeps the message; `message.seq` and `at` are ignored.

        The second value is false when the same sender sent it before (or the turn was posted): then
        the first is the message that is there.
        """
        try:
            async with self.database.write() as connection:
                counted = await connection.execute(
                    update(ROOMS)
                    .where(ROOMS.c.id == message.room)
                    .values(last_seq=ROOMS.c.last_seq + 1)
                    .returning(ROOMS.c.last_seq)
                )
                numbered = replace(message, seq=counted.scalar_one(), at=now())
                await connection.execute(insert(MESSAGES).values(**_values(numbered)))
        except IntegrityError:
            return await self._sent_before(message), False
        return numbered, True

    async def _sent_before(self, message: RoomMessage) -> RoomMessage:
        same = MESSAGES.c.room_id == message.room
        if message.turn_id is not None:
            same &= MESSAGES.c.turn_id == message.turn_id
        else:
            same &= (MESSAGES.c.author_id == message.speaker.id) & (
                MESSAGES.c.client_id == message.client_id
            )
        async with self.database.read() as connection:
            row = (await connection.execute(select(MESSAGES).where(same))).mappings().one()
        return _message(row)

    async def messages(
        self, room: str, *, after: int = 0, before: int | None = None, limit: int | None = None
    ) -> list[RoomMessage]:
        """Those with after < seq < before, ascending. With `limit` the oldest of them, or, when
        only `before` bounds them, the newest."""
        asked = select(MESSAGES).where(MESSAGES.c.room_id == room, MESSAGES.c.seq > after)
        if before is not None:
            asked = asked.where(MESSAGES.c.seq < before)
        newest = limit is not None and after == 0 and before is not None
        asked = asked.order_by(MESSAGES.c.seq.desc() if newest else MESSAGES.c.seq)
        if limit is not None:
            asked = asked.limit(limit)
        async with self.database.read() as connection:
            rows = (await connection.execute(asked)).mappings().all()
        found = [_message(row) for row in rows]
        return found[::-1] if newest else found

    async def newest(self, room: str, limit: int) -> list[RoomMessage]:
        """The last messages, ascending."""
        return await self.messages(room, before=2**62, limit=limit)

    async def arrive(self, room: str, persona: str, seq: int) -> None:
        """The persona hears what comes after message `seq`. Once is enough."""
        async with self.database.write() as connection:
            there = await connection.execute(
                select(PRESENCE.c.since_seq).where(
                    PRESENCE.c.room_id == room,
                    PRESENCE.c.persona_id == persona,
                    PRESENCE.c.until_seq.is_(None),
                )
            )
            if there.first() is None:
                values = {"room_id": room, "persona_id": persona, "since_seq": seq}
                await connection.execute(insert(PRESENCE).values(**values))

    async def leave(self, room: str, persona: str, seq: int) -> None:
        """The persona hears nothing after message `seq`."""
        async with self.database.write() as connection:
            await connection.execute(
                update(PRESENCE)
                .where(
                    PRESENCE.c.room_id == room,
                    PRESENCE.c.persona_id == persona,
                    PRESENCE.c.until_seq.is_(None),
                )
                .values(until_seq=seq)
            )

    async def presence(self, room: str) -> dict[str, list[tuple[int, int | None]]]:
        """Persona id to the stretches (after, up to) that it was there for."""
        asked = select(PRESENCE).where(PRESENCE.c.room_id == room).order_by(PRESENCE.c.since_seq)
        async with self.database.read() as connection:
            rows = (await connection.execute(asked)).mappings().all()
        found: dict[str, list[tuple[int, int | None]]] = {}
        for row in rows:
            found.setdefault(row["persona_id"], []).append((row["since_seq"], row["until_seq"]))
        return found

    async def summaries(self, room: str) -> list[Summary]:
        """The room's summaries, oldest first."""
        asked = select(SUMMARIES).where(SUMMARIES.c.room_id == room).order_by(SUMMARIES.c.to_seq)
        async with self.database.read() as connection:
            rows = (await connection.execute(asked)).mappings().all()
        return [
            Summary(row["room_id"], row["from_seq"], row["to_seq"], row["text"], row["model"])
            for row in rows
        ]

    async def add_summary(self, summary: Summary) -> None:
        values = {
            "room_id": summary.room,
            "from_seq": summary.from_seq,
            "to_seq": summary.to_seq,
            "text": summary.text,
            "model": summary.model,
            "at": now(),
        }
        async with self.database.write() as connection:
            await connection.execute(insert(SUMMARIES).values(**values))


def _room(row: RowMapping) -> Room:
    return Room(row["id"], row["name"], options_of(row["options"]), row["last_seq"], row["created"])


def options_of(values: Mapping[str, Any]) -> RoomOptions:
    """Options as they were kept; names that this version does not know are passed over."""
    known = {field.name for field in fields(RoomOptions)}
    given = {name: value for name, value in values.items() if name in known}
    listed: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in given.items()
    }
    return RoomOptions(**listed)


def _values(message: RoomMessage) -> dict[str, Any]:
    return {
        "room_id": message.room,
        "seq": message.seq,
        "kind": message.speaker.kind,
        "author_id": message.speaker.id,
        "nick": message.speaker.nick,
        "text": message.text,
        "at": message.at,
        "client_id": message.client_id,
        "reply_to": message.reply_to,
        "turn_id": message.turn_id,
        "depth": message.depth,
        "stopped": message.stopped,
        "answer": dict(message.answer) if message.answer is not None else None,
        "extra": dict(message.extra) if message.extra is not None else None,
    }


def _message(row: RowMapping) -> RoomMessage:
    return RoomMessage(
        room=row["room_id"],
        seq=row["seq"],
        speaker=Speaker(row["kind"], row["author_id"], row["nick"]),
        text=row["text"],
        at=row["at"],
        client_id=row["client_id"],
        reply_to=row["reply_to"],
        turn_id=row["turn_id"],
        depth=row["depth"],
        stopped=row["stopped"],
        answer=row["answer"],
        extra=row["extra"],
    )
