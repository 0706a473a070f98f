"""Rooms over scripted personas, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from salon.errors import SalonError
from salon.room.live import LiveRoom, RoomParts
from salon.room.routes import RouteTable
from salon.room.store import RoomStore
from salon.rooms_settings import RoomsSettings
from salon.state.database import open_database
from salon.types import (
    Answer,
    Answered,
    AnswerEvent,
    Grounding,
    Participant,
    RoomOptions,
    Routes,
    Scene,
    Speaker,
    Token,
    Turn,
    Usage,
)

ANA = Speaker("person", "v-ana", "Ana")
BEN = Speaker("person", "v-ben", "Ben")
FAST = RoomsSettings(chain_delay_ms=0)

Reply = str | SalonError | Callable[[str, Scene], str]


class Script:
    """Answers as `House.ask` does, with what each persona was handed; the last one repeats."""

    def __init__(self, replies: Mapping[str, Reply | Sequence[Reply]], delay: float = 0.0) -> None:
        self._replies = {
            name: list(given) if isinstance(given, list | tuple) else [given]
            for name, given in replies.items()
        }
        self.delay = delay
        self.asked: list[tuple[str, str, Scene]] = []
        self.stopped: list[str] = []

    async def ask(
        self,
        persona_id: str,
        question: str,
        thread: Sequence[Turn] = (),
        *,
        correlation_id: str | None = None,
        model: str | None = None,
        scene: Scene | None = None,
        told: Callable[[str, int], None] | None = None,
    ) -> AsyncGenerator[AnswerEvent, None]:
        assert scene is not None
        self.asked.append((persona_id, question, scene))
        left = self._replies[persona_id]
        reply: Any = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(reply, SalonError):
            raise reply
        text = reply(question, scene) if callable(reply) else reply
        done = False
        try:
            for word in text.split(" "):
                await asyncio.sleep(self.delay)
                yield Token(word + " ")
            done = True
        finally:
            if not done:
                self.stopped.append(persona_id)
        yield Answered(
            Answer(
                *("id-1", persona_id, question, question, text, (), ()),
                grounding=Grounding(0.9, True, ()),
                declined=False,
                model="scripted",
                via=(),
                warnings=(),
                usage=Usage(1, len(text.split())),
                elapsed_ms=1,
            )
        )


@asynccontextmanager
async def a_room(
    folder: Path,
    script: Script,
    pool: Sequence[Participant],
    *,
    options: RoomOptions | None = None,
    routes: Routes | None = None,
    settings: RoomsSettings = FAST,
    **parts: Any,
) -> AsyncIterator[LiveRoom]:
    database = await open_database("", folder)
    store = RoomStore(database)
    members, table = tuple(pool), RouteTable(routes or Routes())
    made = RoomParts(store, script.ask, lambda: members, lambda: table, settings, **parts)
    live = LiveRoom(await store.room("#salon", options), made)
    try:
        yield live
    finally:
        await live.close()
        await database.close()


async def said(live: LiveRoom) -> list[tuple[str, str]]:
    """(nick, text) of everything in the room."""
    await live.idle()
    return [(m.speaker.nick, m.text) for m in await live.store.messages(live.room.id)]
