"""What a running server offers: the house, the personas it serves, and answers within limits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from salon.errors import InputError, ModelUnavailable, NotFoundError, SalonError
from salon.surfaces.http.errors import BusyError, UnexpectedError, error_body
from salon.surfaces.http.schemas import PersonaBody, answer_body, hit_body, persona_body
from salon.surfaces.http.stream import EventStream, event, while_connected
from salon.types import Answer, Answered, AnswerEvent, Found, PersonaCard, Token, Turn

if TYPE_CHECKING:
    from starlette.types import Receive

    from salon.house import House
    from salon.house.rooms import Rooms
    from salon.settings import LimitsSettings


@dataclass(frozen=True)
class Question:
    """One request, checked for its shape; the house checks the rest."""

    card: PersonaCard
    text: str
    thread: Sequence[Turn]
    correlation_id: str


class Served:
    """The personas of one house that this process serves; no ids: all there are, now and later."""

    def __init__(self, house: House, personas: tuple[str, ...], limits: LimitsSettings) -> None:
        self.house = house
        self._personas = personas
        self._limits = limits
        self._active = 0
        self._rooms: Rooms | None = None
        self._opening = asyncio.Lock()

    async def rooms(self) -> Rooms:
        """The house's rooms, opened at the first use. Raises StateError."""
        from salon.house.rooms import start_rooms

        async with self._opening:
            if self._rooms is None:
                self._rooms = await start_rooms(self.house)
            return self._rooms

    def ids(self) -> tuple[str, ...]:
        return self._personas or tuple(card.id for card in self.house.personas())

    def cards(self) -> list[PersonaCard]:
        return [self.house.persona(identifier) for identifier in self.ids()]

    async def persona_bodies(self) -> list[PersonaBody]:
        """Who is served, each with the number of its sources."""

        def count() -> list[PersonaBody]:
            return [persona_body(card, self._sources(card)) for card in self.cards()]

        return await asyncio.to_thread(count)

    def _sources(self, card: PersonaCard) -> int:
        folder = self.house.folder(card.id) / "sources"
        return sum(
            file.is_file() and file.name != "sources.yaml" and not file.name.startswith(".")
            for file in folder.rglob("*")
        )

    def card(self, name: str | None) -> PersonaCard:
        """The persona that is meant.

        Raises InputError when it must be named, NotFoundError when it is not served.
        """
        ids = self.ids()
        if not ids:
            raise self._nobody()
        known = f"one of {', '.join(ids)}"
        if not name and len(ids) == 1:
            return self.house.persona(ids[0])
        if not name:
            raise InputError(
                "the field 'persona' is missing, and more than one persona is served",
                expected=known,
                cure='add it to the request: {"persona": "...", "question": "..."}',
            )
        if not self._personas:
            return self.house.persona(name)
        with contextlib.suppress(NotFoundError):
            card = self.house.persona(name)
            if card.id in ids:
                return card
        shown = name if len(name) <= 80 else f"{name[:80]}..."
        problem = f"the persona {shown!r} is not served here"
        raise NotFoundError(problem, known=ids, expected=known)

    def _nobody(self) -> SalonError:
        """Why no persona answers: the first folder's own error, or that there is no folder."""
        for problem in self.house.problems:
            return problem.error
        return NotFoundError(
            f"there is no persona in {self.house.path}",
            expected="a folder in personas/ for each",
            cure="make one: salon new NAME --from FOLDER",
        )

    async def reasons(self) -> dict[str, str]:
        """Why search cannot run, by persona; empty when it can for all that are served."""
        found = {status.persona_id: status.error for status in await self.house.ready()}
        served = self._personas or tuple(found)
        if not served:
            return {"": str(self._nobody())}
        gone = NotFoundError("its folder is not there any more", cure="put it back")
        errors = {name: found.get(name, gone) for name in served}
        return {name: str(error) for name, error in errors.items() if error is not None}

    async def close(self) -> None:
        if self._rooms is not None:
            await self._rooms.aclose()
        await self.house.aclose()

    async def answer(self, question: Question) -> Answer:
        """The finished answer. Raises what the house raises, and BusyError."""
        async with contextlib.aclosing(self.events(question)) as events:
            async for happened in events:
                if isinstance(happened, Answered):
                    return happened.answer
        raise AssertionError("the house ended an answer without its last event")

    async def events(self, question: Question) -> AsyncGenerator[AnswerEvent, None]:
        """The house's events for one question, within the limits of the server.

        Must be run by one task from its start to its end: a time limit belongs to a task.
        """
        with self._place():
            limit = asyncio.timeout(self._limits.answer_seconds)
            try:
                async with limit:
                    asked = self.house.ask(
                        question.card.id,
                        question.text,
                        question.thread,
                        correlation_id=question.correlation_id,
                    )
                    async with contextlib.aclosing(asked) as events:
                        async for happened in events:
                            yield happened
            except TimeoutError as error:
                if not limit.expired():
                    raise
                raise ModelUnavailable(
                    f"the answer was not finished in {self._limits.answer_seconds:g} seconds",
                    cure="ask again, choose a faster model, or raise limits.answer_seconds",
                ) from error

    @contextlib.contextmanager
    def _place(self) -> Iterator[None]:
        if self._active >= self._limits.active_answers:
            raise BusyError(
                f"{self._active} answers are being written, as many as this server may at a time",
                cure="ask again in a few seconds, or raise limits.active_answers",
            )
        self._active += 1
        try:
            yield
        finally:
            self._active -= 1


class LiveAnswer:
    """An answer that one task writes; its events wait here until they are taken."""

    def __init__(self, events: AsyncGenerator[AnswerEvent, None]) -> None:
        self._ready: asyncio.Queue[AnswerEvent | Exception | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._write(events))

    async def _write(self, events: AsyncGenerator[AnswerEvent, None]) -> None:
        try:
            async with contextlib.aclosing(events):
                async for happened in events:
                    self._ready.put_nowait(happened)
        except Exception as error:
            self._ready.put_nowait(error)
        else:
            self._ready.put_nowait(None)

    async def next(self) -> AnswerEvent | None:
        """The next event, None after the last. Raises what the writing raised."""
        happened = await self._ready.get()
        if isinstance(happened, Exception):
            raise happened
        return happened

    async def stop(self) -> None:
        """Ends the writing, down to the model, and waits until it has ended."""
        self._task.cancel()
        await asyncio.wait({self._task})


async def stream_answer(served: Served, question: Question, receive: Receive) -> EventStream:
    """The answer as server-sent events.

    What goes wrong before the first event is raised, so that it has its HTTP status; what goes
    wrong later is the last event, `error`. Raises ClientGone when nobody waits any more.
    """
    live = LiveAnswer(served.events(question))
    try:
        first = await while_connected(receive, live.next())
    except BaseException:
        await live.stop()
        raise
    return EventStream(lambda: _encoded(live, first, question.correlation_id))


async def _encoded(
    live: LiveAnswer, first: AnswerEvent | None, correlation_id: str
) -> AsyncGenerator[bytes, None]:
    happened = first
    try:
        while happened is not None:
            yield _encode(happened)
            happened = await live.next()
    except SalonError as error:
        yield event("error", error_body(error, correlation_id).model_dump())
    except Exception:
        structlog.get_logger("salon.http").exception("failed", correlation_id=correlation_id)
        yield event("error", error_body(UnexpectedError(), correlation_id).model_dump())
    finally:
        await live.stop()


def _encode(happened: AnswerEvent) -> bytes:
    if isinstance(happened, Found):
        passages = [hit_body(hit).model_dump() for hit in happened.retrieved.hits]
        return event("found", {"question": happened.retrieved.question, "passages": passages})
    if isinstance(happened, Token):
        return event("token", {"text": happened.text})
    return event("answer", answer_body(happened.answer).model_dump())
