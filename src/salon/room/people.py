"""Visitors: who they are, what they are called, and who may not come."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from salon.errors import InputError
from salon.room.commands.table import Role
from salon.room.names import checked_nick, looks
from salon.room.store import now
from salon.state.database import Database
from salon.state.tables import BANS, VISITORS
from salon.types import Participant

_HOUR_MS = 3_600_000
_RESERVED = ("system", "salon", "admin", "user", "assistant", "everyone", "all", "you", "human")


class NickError(InputError):
    """A nick that this visitor may not have."""

    code = "nick"


@dataclass(slots=True)
class Visitor:
    """Somebody who came. `token` proves it next time; `nick` "" while a guest."""

    id: str
    token: str
    nick: str = ""
    role: Role = Role.GUEST


class People:
    """Visitors and bans in the database. Nicks are compared by what they look like to a reader."""

    def __init__(self, database: Database, banned: Iterable[str], nick_hours: float) -> None:
        self._database = database
        self._banned = {looks(name) for name in banned if name.strip()}
        self._nick_ms = int(nick_hours * _HOUR_MS)

    async def visitor(self, token: str | None) -> Visitor:
        """Who holds this token, or somebody new."""
        if token:
            known = VISITORS.c.token_hash == _hash(token)
            async with self._database.read() as connection:
                row = (await connection.execute(select(VISITORS).where(known))).mappings().first()
            if row is not None:
                return Visitor(row["id"], token, row["nick"] or "")
        made = Visitor(f"v-{secrets.token_hex(8)}", secrets.token_urlsafe(24))
        values = {"id": made.id, "token_hash": _hash(made.token), "seen": now()}
        async with self._database.write() as connection:
            await connection.execute(insert(VISITORS).values(**values))
        return made

    async def take_nick(
        self, visitor: Visitor, text: str, personas: Iterable[Participant], here: Iterable[str]
    ) -> None:
        """Gives the visitor this nick. `here`: ids of visitors that are connected now.

        Raises NickError when it is a persona's, somebody else's or banned, InputError when nobody
        may have it.
        """
        nick = checked_nick(text)
        key = looks(nick)
        taken = {looks(name) for p in personas for name in (p.id, p.nick, p.name) if name}
        if key in taken:
            raise NickError(f"{nick!r} is taken: a persona is called so", cure="choose another")
        if key in _RESERVED or not key:
            raise NickError(f"{nick!r} is taken: it would mislead", cure="choose another")
        if await self.banned(nick):
            raise NickError(f"{nick!r} is banned here", cure="choose another, or ask an admin")
        async with self._database.write() as connection:
            other = (
                await connection.execute(
                    select(VISITORS.c.id, VISITORS.c.seen).where(
                        VISITORS.c.nick_key == key, VISITORS.c.id != visitor.id
                    )
                )
            ).first()
            if other is not None:
                if other.id in set(here) or now() - other.seen < self._nick_ms:
                    raise NickError(f"{nick!r} is taken", cure="choose another")
                await connection.execute(
                    update(VISITORS)
                    .where(VISITORS.c.id == other.id)
                    .values(nick=None, nick_key=None)
                )
            try:
                await connection.execute(
                    update(VISITORS)
                    .where(VISITORS.c.id == visitor.id)
                    .values(nick=nick, nick_key=key, seen=now())
                )
            except IntegrityError as error:
                raise NickError(f"{nick!r} is taken", cure="choose another") from error
        visitor.nick = nick
        visitor.role = max(visitor.role, Role.MEMBER)

    async def seen(self, visitor: Visitor) -> None:
        async with self._database.write() as connection:
            await connection.execute(
                update(VISITORS).where(VISITORS.c.id == visitor.id).values(seen=now())
            )

    async def banned(self, nick: str) -> bool:
        key = looks(nick)
        if key in self._banned:
            return True
        async with self._database.read() as connection:
            found = await connection.execute(select(BANS.c.nick).where(BANS.c.nick_key == key))
            return found.first() is not None

    async def ban(self, nick: str, by: str) -> None:
        """Nobody may be called so any more. Twice is once."""
        await self.unban(nick)
        values = {"nick_key": looks(nick), "nick": nick, "by": by, "at": now()}
        async with self._database.write() as connection:
            await connection.execute(insert(BANS).values(**values))

    async def unban(self, nick: str) -> None:
        async with self._database.write() as connection:
            await connection.execute(delete(BANS).where(BANS.c.nick_key == looks(nick)))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
