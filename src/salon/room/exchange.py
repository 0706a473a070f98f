"""One message and every reply that comes of it: parallel responders, and the chains they start."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from salon.room import chain
from salon.room.speakers import STRATEGIES, Choosing, Chosen, choose
from salon.room.turn import Asked, Turned, take_turn
from salon.types import Participant, RoomMessage

if TYPE_CHECKING:
    from salon.room.live import LiveRoom


@dataclass(eq=False)
class Exchange:
    """Runs as a task; `stop` ends it, down to the models. `tokens` counts what was written."""

    room: LiveRoom
    message: RoomMessage
    chosen: Chosen
    tokens: int = 0
    stopped: bool = False
    turns: set[asyncio.Task[None]] = field(default_factory=set)

    async def run(self) -> None:
        """Until no turn is left. Every turn tells of its own failure."""
        for persona in self.chosen.personas:
            asked = Asked(self.message, self.message.text, self.message.speaker.nick)
            self._start(self._chain(persona, asked))
        while self.turns:
            await asyncio.wait(self.turns)

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(work)
        self.turns.add(task)
        task.add_done_callback(self.turns.discard)

    async def stop(self) -> None:
        """Ends every turn; what was written of each is kept, marked as stopped."""
        self.stopped = True
        waiting = set(self.turns)
        for task in waiting:
            task.cancel()
        if waiting:
            await asyncio.wait(waiting)

    async def _chain(self, persona: str, asked: Asked) -> None:
        """One responder and those that it calls, one after the other."""
        speakers: list[str] = []
        depth = 0
        settings = self.room.settings
        while True:
            turned = await take_turn(self.room, persona, asked, depth)
            if turned is None:
                return
            self.tokens += turned.tokens
            speakers.append(persona)
            following = self._following(turned, persona)
            if following is None:
                return
            most, budget = settings.chain_depth, settings.chain_tokens
            if chain.ending(depth, most, speakers, following.id, self.tokens, budget):
                return
            await asyncio.sleep(settings.chain_delay_ms / 1000)
            if self.stopped:
                return
            asked = self._relay(turned, following)
            persona, depth = following.id, depth + 1

    def _following(self, turned: Turned, persona: str) -> Participant | None:
        pool = {member.id: member for member in self.room.pool()}
        found = chain.next_speaker(turned.message.text, persona, self.room.directory(), pool)
        return pool[found] if found is not None else None

    def _relay(self, turned: Turned, following: Participant) -> Asked:
        nick = turned.message.speaker.nick
        text = chain.relay_text(
            turned.message.text,
            nick,
            following.nick,
            following.language,
            self.room.settings.chain_characters,
        )
        return Asked(turned.message, text, nick, self.message.speaker)


async def responders(room: LiveRoom, message: RoomMessage) -> Chosen:
    """Who answers a message that somebody posted."""
    options = room.room.options
    if options.paused or (message.speaker.bot and not options.answer_bots):
        return Chosen(())
    spoken = [m.speaker for m in await room.store.newest(room.room.id, 50)]
    since: list[str] = []
    for speaker in reversed(spoken[:-1]):
        if speaker.kind == "person":
            break
        since.append(speaker.id)
    pool = room.pool()
    choosing = Choosing(
        message.text,
        pool,
        room.routes(),
        options,
        tuple(speaker.id for speaker in spoken if speaker.kind == "persona"),
        tuple(since),
        tuple(random.random() for _ in pool),
    )
    directory = room.directory()
    if STRATEGIES[options.strategy].asks_model and not directory.scan(message.text).personas:
        named = await _moderator(room, message, pool)
        choosing = replace(choosing, named=named)
    return choose(choosing, directory, room.settings.mentions)


async def _moderator(room: LiveRoom, message: RoomMessage, pool: tuple[Participant, ...]) -> str:
    """The id that the model names; "" when it names nobody that is here."""
    who = "\n".join(f"- {member.nick}: {member.domain or member.name}" for member in pool)
    asked = (
        f"Somebody says in a conversation: {message.text[:1000]}\n\nWho should answer? One name of "
        f"this list and nothing else.\n{who}"
    )
    said = await room.parts.wording("moderate", asked) if room.parts.wording else ""
    first = next(iter(said.strip().splitlines()), "").strip(" .!\"'*@-")
    return room.directory().find(first) or ""
