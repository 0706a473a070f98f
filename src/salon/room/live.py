"""A room in use: what is said in it, who answers, and who watches."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection
from dataclasses import dataclass, field, replace

from salon.errors import InputError, SalonError
from salon.ports import Answerer, Guide, Remember, ReplyRules, Wording
from salon.room.exchange import Exchange, responders
from salon.room.heard import to_summarise
from salon.room.mentions import Directory
from salon.room.routes import RouteTable
from salon.room.store import RoomStore
from salon.room.subscribers import Shared, Subscription
from salon.room.turn import Asked
from salon.rooms_settings import RoomsSettings
from salon.types import (
    Participant,
    Posted,
    PresenceChanged,
    Room,
    RoomChanged,
    RoomEvent,
    RoomMessage,
    RoomOptions,
    Speaker,
    Summary,
    TurnStarted,
)


@dataclass(frozen=True, slots=True)
class RoomParts:
    """What a room is given by the house. What is None is not there, and changes nothing else."""

    store: RoomStore
    answerer: Answerer
    participants: Callable[[], tuple[Participant, ...]]
    routes: Callable[[], RouteTable]
    settings: RoomsSettings = field(default_factory=RoomsSettings)
    guide: Guide | None = None
    rules: ReplyRules | None = None
    remember: Remember | None = None
    wording: Wording | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A message that is in the database. `fresh` is false when it had been sent before.

    `unknown`: names it mentions that nobody has.
    """

    message: RoomMessage
    fresh: bool
    unknown: tuple[str, ...] = ()
    exchange: Exchange | None = None


class LiveRoom:
    """One room of one process. Everything runs on one event loop."""

    def __init__(self, room: Room, parts: RoomParts) -> None:
        self.room = room
        self.parts = parts
        self.store = parts.store
        self.settings = parts.settings
        self.turns: dict[str, Callable[[], TurnStarted]] = {}
        self.people: dict[str, Speaker] = {}
        self.models: dict[str, str] = {}
        self._subscribers: set[Subscription] = set()
        self._exchanges: dict[asyncio.Task[None], Exchange] = {}
        self._order = asyncio.Lock()
        self._known: tuple[Participant, ...] | None = None
        self._directory = Directory(())
        self._pool: tuple[Participant, ...] = ()
        self._pool_of: tuple[object, object] = (None, None)
        self._present: set[str] | None = None
        self._summarising = False

    # --- who is here --------------------------------------------------------------------------

    def pool(self) -> tuple[Participant, ...]:
        """The personas that may answer here, in the house's order."""
        options, everybody = self.room.options, self.parts.participants()
        if self._pool_of[0] is not everybody or self._pool_of[1] is not options:
            self._pool = tuple(
                member
                for member in everybody
                if (not options.personas or member.id in options.personas)
                and member.id not in options.disabled
            )
            self._pool_of = (everybody, options)
        return self._pool

    def member(self, persona: str) -> Participant | None:
        return next((member for member in self.pool() if member.id == persona), None)

    def there(self, but: str = "") -> Collection[str]:
        """The ids of the pool, without one."""
        return {member.id for member in self.pool()} - {but}

    def directory(self) -> Directory:
        """The names of the pool; built again only when the pool changed."""
        pool = self.pool()
        if pool is not self._known:
            self._known, self._directory = pool, Directory(pool)
        return self._directory

    def names(self, but: str) -> tuple[str, ...]:
        """The nicks of everybody else here: a reply never speaks for them."""
        personas = [member.nick for member in self.pool() if member.id != but]
        return (*personas, *dict.fromkeys(person.nick for person in self.people.values()))

    def routes(self) -> RouteTable:
        return self.parts.routes()

    def specialist(self, text: str) -> str:
        """The nick to hand a text over to: by its topic, else the first who is no orchestrator."""
        orchestrator = self.routes().routes.orchestrator
        others = [member for member in self.pool() if member.id != orchestrator]
        nicks = {member.id: member.nick for member in others}
        found = self.routes().match(text, nicks.keys())
        return nicks[found[0]] if found else next(iter(nicks.values()), "")

    def model_of(self, persona: str) -> str | None:
        """The model that an admin chose for a persona here; None for the persona's own."""
        return self.models.get(persona)

    def enter(self, person: Speaker) -> None:
        self.people[person.id] = person
        self.publish(PresenceChanged(self.room.id, person, True))

    def exit(self, person: Speaker) -> None:
        if self.people.pop(person.id, None) is not None:
            self.publish(PresenceChanged(self.room.id, person, False))

    # --- what is said -------------------------------------------------------------------------

    async def say(self, speaker: Speaker, text: str, client_id: str | None = None) -> Said:
        """Posts a message and lets who is meant answer; it is durable when this returns.

        The same `client_id` of the same speaker is posted and answered once. Raises InputError for
        an empty or too long text, StateError when it could not be kept.
        """
        message = RoomMessage(self.room.id, 0, speaker, self._checked(text), 0, client_id=client_id)
        await self.let_in()
        async with self._order:
            posted, fresh = await self.store.post(message)
            posted = replace(posted, speaker=speaker)
            if fresh:
                self.publish(Posted(posted))
        if not fresh:
            return Said(posted, False)
        chosen = await responders(self, posted)
        exchange = Exchange(self, posted, chosen)
        if chosen.personas:
            task = asyncio.create_task(exchange.run())
            self._exchanges[task] = exchange
            task.add_done_callback(self._ended)
        return Said(posted, True, chosen.unknown, exchange)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._exchanges.pop(task, None)

    async def post(self, message: RoomMessage) -> RoomMessage:
        """Posts a message as it is, and nobody answers."""
        async with self._order:
            posted, fresh = await self.store.post(message)
            if fresh:
                self.publish(Posted(posted))
        return posted

    async def converse(
        self, speaker: Speaker, text: str, client_id: str | None = None
    ) -> AsyncGenerator[RoomEvent, None]:
        """Says something and gives everything that happens until the last reply to it has ended.

        Closing it stops the replies.
        """
        subscription = self.watch()
        said = None
        try:
            said = await self.say(speaker, text, client_id)
            working = [t for t, e in self._exchanges.items() if e is said.exchange]
            ending = asyncio.gather(*working, return_exceptions=True)
            ending.add_done_callback(lambda _: subscription.finish())
            while (shared := await subscription.next()) is not None:
                yield shared.event
        finally:
            self.unwatch(subscription)
            if said is not None and said.exchange is not None:
                await said.exchange.stop()

    async def stop(self) -> int:
        """Stops every reply under way; how many messages' replies were stopped."""
        running = list(self._exchanges.values())
        for exchange in running:
            await exchange.stop()
        return len(running)

    async def idle(self) -> None:
        """Waits until no reply is under way."""
        while self._exchanges:
            await asyncio.wait(set(self._exchanges))

    async def exchanged(self, asked: Asked, reply: RoomMessage) -> None:
        """After a reply: memory is told, and a long history is summed up."""
        person = asked.person or asked.message.speaker
        if self.parts.remember is not None and person.kind == "person":
            await self.parts.remember(reply.speaker.id, person.id, asked.message, reply)
        await self._sum_up()

    def _checked(self, text: str) -> str:
        clean = text.replace("\0", "").strip()
        most = self.settings.text_characters
        if not clean:
            raise InputError("the message is empty", expected="a message in words")
        if len(clean) > most:
            raise InputError(
                f"the message has {len(clean):,} characters",
                expected=f"at most {most:,}",
                cure="send it in parts",
            )
        try:
            clean.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InputError("the message has half a character", expected="Unicode text") from error
        return clean

    async def let_in(self) -> None:
        """Personas that are new in the house hear what is said from now on."""
        if self._present is None:
            self._present = set(await self.store.presence(self.room.id))
        for member in self.pool():
            if member.id not in self._present:
                newest = await self.store.newest(self.room.id, 1)
                await self.store.arrive(self.room.id, member.id, newest[0].seq if newest else 0)
                self._present.add(member.id)

    async def _sum_up(self) -> None:
        """Adds a summary when there is much that none holds. Failing leaves everything as it is."""
        if self.parts.wording is None or self._summarising:
            return
        self._summarising = True
        try:
            summaries = await self.store.summaries(self.room.id)
            done = max((summary.to_seq for summary in summaries), default=0)
            fresh = await self.store.messages(self.room.id, after=done)
            part = to_summarise(fresh, summaries, self.settings.compact_characters)
            if not part:
                return
            before = f"So far: {summaries[-1].text}\n" if summaries else ""
            lines = "\n".join(f"{m.speaker.nick}: {m.text}" for m in part)
            text = (await self.parts.wording("summarise", before + lines)).strip()
            if text:
                await self.store.add_summary(Summary(self.room.id, done + 1, part[-1].seq, text))
        finally:
            self._summarising = False

    # --- who watches --------------------------------------------------------------------------

    def watch(self) -> Subscription:
        subscription = Subscription(self.settings.queue)
        self._subscribers.add(subscription)
        return subscription

    def unwatch(self, subscription: Subscription) -> None:
        self._subscribers.discard(subscription)
        subscription.close()

    def publish(self, event: RoomEvent) -> None:
        """To everybody who watches; never waits."""
        shared = Shared(event)
        for subscription in self._subscribers:
            subscription.put(shared)

    async def join(
        self, after: int, limit: int
    ) -> tuple[Subscription, list[RoomMessage], list[TurnStarted]]:
        """Begins to watch: what was said after `after` (the newest `limit` for 0), the turns under
        way, and a subscription to all that follows. Between them nothing is missed or doubled."""
        async with self._order:
            subscription = self.watch()
            turns = [state() for state in self.turns.values()]
            try:
                missed = (
                    await self.store.messages(self.room.id, after=after)
                    if after
                    else await self.store.newest(self.room.id, limit)
                )
            except SalonError:
                self.unwatch(subscription)
                raise
        return subscription, missed, turns

    async def change(self, options: RoomOptions, by: str) -> None:
        """Other options, kept, from now on."""
        await self.store.set_options(self.room.id, options)
        self.room = replace(self.room, options=options)
        self.publish(RoomChanged(self.room, by))

    async def close(self) -> None:
        await self.stop()
        for subscription in list(self._subscribers):
            self.unwatch(subscription)
