"""A roundtable: a plan of turns, each taken once, however often it is begun again."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from salon.errors import InputError, ModelUnavailable
from salon.room.chain import cut_at_word
from salon.room.turn import Asked, take_turn
from salon.types import Posted, RoomEvent, RoomMessage, Speaker, TurnEnded

if TYPE_CHECKING:
    from salon.room.live import LiveRoom
    from salon.room.subscribers import Subscription

Part = Literal["topic", "opening", "turn", "closing"]

_SALON = Speaker("system", "salon", "Salon")

_ASKS = {
    "en": {
        "topic": "Roundtable: {topic}",
        "opening": "On “{topic}”: say in a few sentences what you hold.",
        "turn": "On “{topic}”, {nick} said: “{text}” Answer that point, naming {nick}: "
        "where do you differ, and why?",
        "closing": "On “{topic}”: close in two sentences with what you still hold.",
    },
    "fr": {
        "topic": "Table ronde : {topic}",
        "opening": "Sur « {topic} » : dites en quelques phrases ce que vous pensez.",
        "turn": "Sur « {topic} », {nick} a dit : « {text} » Répondez à ce point en nommant {nick} "
        ": en quoi différez-vous, et pourquoi ?",
        "closing": "Sur « {topic} » : concluez en deux phrases sur ce que vous maintenez.",
    },
}


@dataclass(frozen=True, slots=True)
class Plan:
    """`turns` counts those of the discussion; `moderator`, a persona's id or "", opens and closes.

    `run` tells one holding of the same plan from another.
    """

    topic: str
    personas: tuple[str, ...]
    turns: int = 8
    moderator: str = ""
    opening: bool = True
    closing: bool = True
    language: str = "en"
    run: str = "1"

    @property
    def id(self) -> str:
        return "rt-" + hashlib.sha256(repr(asdict(self)).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of a plan. `number` is its place; its turn id is made of the plan's and this."""

    number: int
    part: Part
    persona: str = ""


def checked(plan: Plan) -> Plan:
    """Raises InputError for a plan that cannot be held."""
    if len(set(plan.personas)) < 2:
        raise InputError("a roundtable needs at least two personas", cure="name another")
    if not 1 <= plan.turns <= 200:
        raise InputError(f"{plan.turns} turns", expected="1 to 200")
    if not plan.topic.strip() or len(plan.topic) > 500:
        raise InputError("the topic is empty or too long", expected="1 to 500 characters")
    return plan


def steps(plan: Plan) -> list[Step]:
    """The topic, opening statements, the discussion in turn, closing statements."""
    found: list[tuple[Part, str]] = [("topic", "")]
    everybody = ([plan.moderator] if plan.moderator else []) + list(plan.personas)
    if plan.opening:
        found += [("opening", persona) for persona in everybody]
    found += [("turn", plan.personas[n % len(plan.personas)]) for n in range(plan.turns)]
    if plan.closing:
        found += [("closing", persona) for persona in [*plan.personas, *everybody[:1]]]
        if not plan.moderator:
            found.pop()
    return [Step(number, part, persona) for number, (part, persona) in enumerate(found)]


def turn_id(plan: Plan, step: Step) -> str:
    return f"{plan.id}-{step.number}"


async def hold(live: LiveRoom, plan: Plan) -> AsyncGenerator[RoomEvent, None]:
    """Takes every turn of the plan that is not in the room yet, and gives what happens.

    Closing it stops the turn under way, which is taken anew next time. Raises the error of a turn
    that failed: nothing is skipped, and holding the plan again goes on there.
    """
    checked(plan)
    await live.let_in()
    for step in steps(plan):
        done = {message.turn_id: message for message in await held(live, plan)}
        if turn_id(plan, step) in done:
            continue
        last = max(done.values(), key=lambda message: message.seq, default=None)
        subscription = live.watch()
        try:
            async for event in _take(live, plan, step, last, subscription):
                yield event
                if isinstance(event, TurnEnded) and event.status == "failed":
                    raise ModelUnavailable(
                        f"turn {step.number} failed: {event.problem}",
                        cure="hold the roundtable again: it goes on where it stopped",
                    )
        finally:
            live.unwatch(subscription)


async def held(live: LiveRoom, plan: Plan) -> list[RoomMessage]:
    """The turns of the plan that were taken, in order."""
    messages = await live.store.messages(live.room.id)
    wanted = {turn_id(plan, step) for step in steps(plan)}
    return [message for message in messages if message.turn_id in wanted and not message.stopped]


async def _take(
    live: LiveRoom, plan: Plan, step: Step, last: RoomMessage | None, subscription: Subscription
) -> AsyncGenerator[RoomEvent, None]:
    asks = _ASKS.get(plan.language.partition("-")[0], _ASKS["en"])
    identifier = turn_id(plan, step)
    if step.part == "topic" or last is None:
        text = asks["topic"].format(topic=plan.topic)
        message = RoomMessage(live.room.id, 0, _SALON, text, 0, turn_id=identifier)
        yield Posted(await live.post(message))
        return
    part = step.part if last.speaker.kind == "persona" or step.part != "turn" else "opening"
    text = asks[part].format(
        topic=plan.topic, nick=last.speaker.nick, text=cut_at_word(last.text, 500)
    )
    task = asyncio.create_task(
        take_turn(live, step.persona, Asked(last, text, last.speaker.nick), 0, identifier)
    )
    task.add_done_callback(lambda _: subscription.finish())
    try:
        while (shared := await subscription.next()) is not None:
            yield shared.event
        await task
    finally:
        task.cancel()
        await asyncio.wait({task})
