"""One reply: what the persona heard, the answer while it is written, rules, and the message."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from salon.errors import SalonError
from salon.ports import TurnContext
from salon.room import intents, orchestrator
from salon.room.heard import heard
from salon.room.record import record
from salon.types import (
    Answer,
    Answered,
    Breach,
    RoomMessage,
    Scene,
    Speaker,
    Token,
    Turn,
    TurnEnded,
    TurnRestarted,
    TurnStarted,
    TurnStatus,
    TurnThinking,
    TurnToken,
)

if TYPE_CHECKING:
    from salon.room.live import LiveRoom

_THINKING_STEP = 200
"""Characters of thinking between two events."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a turn answers: the message, the words of it that are asked, and who asks.

    `person` is who began the exchange, when another than the message's speaker.
    """

    message: RoomMessage
    text: str
    nick: str
    person: Speaker | None = None


@dataclass(frozen=True, slots=True)
class Turned:
    message: RoomMessage
    tokens: int


class _Writing:
    """A turn under way: what was shown of it, and the events that show it."""

    def __init__(self, room: LiveRoom, persona: Speaker, asked: Asked, depth: int) -> None:
        self.room = room
        self.persona = persona
        self.asked = asked
        self.depth = depth
        self.id = f"t-{secrets.token_hex(6)}"
        self.text = ""
        self._thinking = 0

    def started(self) -> TurnStarted:
        """The turn as somebody who comes now sees it."""
        return TurnStarted(
            self.room.room.id, self.id, self.persona, self.asked.message.seq, self.depth, self.text
        )

    def token(self, text: str) -> None:
        event = TurnToken(self.room.room.id, self.id, len(self.text), text)
        self.text += text
        self.room.publish(event)

    def told(self, what: str, characters: int) -> None:
        if what == "restart":
            self.restart("thinking")
        elif characters - self._thinking >= _THINKING_STEP or not self._thinking:
            self._thinking = characters
            self.room.publish(TurnThinking(self.room.room.id, self.id, characters))

    def restart(self, rule: str) -> None:
        if self.text:
            self.text = ""
            self.room.publish(TurnRestarted(self.room.room.id, self.id, rule))

    def end(
        self, status: TurnStatus, seq: int | None = None, error: SalonError | None = None
    ) -> None:
        self.room.publish(
            TurnEnded(
                self.room.room.id,
                self.id,
                status,
                seq,
                error.code if error else "",
                error.problem if error else "",
                error.cure if error else "",
            )
        )


async def take_turn(
    room: LiveRoom, persona_id: str, asked: Asked, depth: int, turn_id: str = ""
) -> Turned | None:
    """The persona's reply, posted; None when there is none: it failed, or was stopped.

    A `turn_id` of the caller's own is posted once; stopped, such a turn leaves nothing, for it is
    taken again.
    """
    member = room.member(persona_id)
    if member is None:
        return None
    writing = _Writing(room, Speaker("persona", member.id, member.nick), asked, depth)
    writing.id = turn_id or writing.id
    room.turns[writing.id] = writing.started
    room.publish(writing.started())
    try:
        answer = await _answer(writing)
        posted = await room.post(_message(writing, answer.text, answer))
        writing.end("done", posted.seq)
    except SalonError as error:
        writing.end("failed", error=error)
        return None
    except asyncio.CancelledError:
        if turn_id:
            writing.end("stopped")
        else:
            await asyncio.shield(_keep_what_was_written(writing))
        raise
    except Exception:
        writing.end("failed", error=SalonError("the reply failed in a way it should not"))
        raise
    finally:
        room.turns.pop(writing.id, None)
    await room.exchanged(asked, posted)
    return Turned(posted, answer.usage.output_tokens or len(answer.text) // 4)


async def _keep_what_was_written(writing: _Writing) -> None:
    text = writing.text.strip()
    if not text:
        writing.end("stopped")
        return
    message = replace(_message(writing, text, None), stopped=True)
    posted = await writing.room.post(message)
    writing.end("stopped", posted.seq)


def _message(writing: _Writing, text: str, answer: Answer | None) -> RoomMessage:
    return RoomMessage(
        room=writing.room.room.id,
        seq=0,
        speaker=writing.persona,
        text=text,
        at=0,
        reply_to=writing.asked.message.seq,
        turn_id=writing.id,
        depth=writing.depth,
        answer=record(answer) if answer is not None else None,
    )


async def _answer(writing: _Writing) -> Answer:
    """The answer, within the room's rules. A breach is named to the model once, then trimmed."""
    room, persona = writing.room, writing.persona.id
    scene = await _scene(writing)
    turn = TurnContext(persona, room.room, writing.asked.text, scene, writing.depth)
    if room.parts.guide is not None:
        scene = replace(scene, guidance=await room.parts.guide(turn))
        turn = replace(turn, scene=scene)
    answer = await _write(writing, scene)
    breaches = _breaches(writing, turn, answer.text)
    if breaches:
        advice = "\n".join(f"- {breach.advice}" for breach in breaches)
        again = f"{scene.guidance}\nYour last attempt broke these rules; keep them:\n{advice}"
        writing.restart(breaches[0].rule)
        answer = await _write(writing, replace(scene, guidance=again.strip()))
        if left := _breaches(writing, turn, answer.text):
            answer = _mended(writing, turn, answer, left)
    return answer


def _breaches(writing: _Writing, turn: TurnContext, text: str) -> list[Breach]:
    room, persona = writing.room, writing.persona.id
    found: list[Breach] = []
    if room.parts.rules is not None:
        found += room.parts.rules.check(turn, text)
    if persona == room.routes().routes.orchestrator:
        earlier = next((line.text for line in reversed(turn.scene.heard) if line.own), "")
        there = room.there(but=persona)
        found += orchestrator.check(text, room.directory(), there, earlier)
    return found


def _mended(writing: _Writing, turn: TurnContext, answer: Answer, breaches: list[Breach]) -> Answer:
    """The answer trimmed; citations whose place is gone go with it."""
    room, persona = writing.room, writing.persona.id
    text = answer.text
    if room.parts.rules is not None:
        text = room.parts.rules.trim(turn, text, breaches)
    if persona == room.routes().routes.orchestrator:
        text = orchestrator.mend(
            text,
            room.directory(),
            room.there(but=persona),
            room.specialist(turn.asked),
            _language(room, persona),
        )
    kept = tuple(
        citation
        for citation in answer.citations
        if answer.text[: citation.answer_end] == text[: citation.answer_end]
    )
    return replace(answer, text=text, citations=kept)


def _language(room: LiveRoom, persona: str) -> str:
    member = room.member(persona)
    return room.room.options.language or (member.language if member else "en")


async def _scene(writing: _Writing) -> Scene:
    room, asked, persona = writing.room, writing.asked, writing.persona
    settings = room.settings
    known = await heard(
        room.store, room.room, persona.id, asked.message.seq, settings.context_characters
    )
    if intents.small_talk(asked.text):
        known = type(known)()
    return Scene(
        room=room.room.name,
        nick=persona.nick,
        names=room.names(but=persona.id),
        heard=known.lines,
        summary=known.summary,
        asked_by=asked.nick,
        markdown=room.room.options.markdown,
    )


async def _write(writing: _Writing, scene: Scene) -> Answer:
    room, asked = writing.room, writing.asked
    thread = tuple(
        Turn("persona" if line.own else "user", line.text) for line in scene.heard[-2:] if line.text
    )
    events = room.parts.answerer(
        writing.persona.id,
        asked.text,
        thread if any(turn.role == "persona" for turn in thread) else (),
        model=room.model_of(writing.persona.id),
        scene=scene,
        told=writing.told,
    )
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Token):
                writing.token(event.text)
            elif isinstance(event, Answered):
                return event.answer
    raise AssertionError("an answer ended without its last event")
