"""What a persona knows of a room: what was said while it was there, the newest first to fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from salon.room.store import RoomStore
from salon.types import HeardLine, Room, RoomMessage, Summary

_LOOKED_AT = 100
_LINE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Heard:
    lines: tuple[HeardLine, ...] = ()
    summary: str = ""


async def heard(store: RoomStore, room: Room, persona: str, before: int, characters: int) -> Heard:
    """What `persona` heard before message `before`, within `characters`."""
    messages = await store.messages(room.id, before=before, limit=_LOOKED_AT)
    stretches: Sequence[tuple[int, int | None]] = ((0, None),)
    if room.options.hears == "present":
        stretches = (await store.presence(room.id)).get(persona, ())
    summaries = await store.summaries(room.id)
    return select_heard(messages, summaries, stretches, persona, characters)


def select_heard(
    messages: Sequence[RoomMessage],
    summaries: Sequence[Summary],
    stretches: Sequence[tuple[int, int | None]],
    persona: str,
    characters: int,
) -> Heard:
    """The newest lines that fit, whole, and the newest summary of what came before them.

    A summary counts only when the persona was there for all of it; it gets what the lines leave,
    and at most half.
    """
    known = [m for m in messages if m.speaker.kind != "system" and _within(m.seq, m.seq, stretches)]
    summary = next(
        (s for s in reversed(summaries) if _within(s.from_seq, s.to_seq, stretches)), None
    )
    text = summary.text[: characters // 2] if summary else ""
    left, lines = characters - len(text), []
    for message in reversed(known):
        if summary and message.seq <= summary.to_seq:
            break
        line = HeardLine(
            message.speaker.nick,
            message.text[:_LINE_CHARACTERS],
            message.speaker.kind,
            message.speaker.id == persona,
        )
        left -= len(line.nick) + len(line.text) + 2
        if left < 0:
            break
        lines.append(line)
    return Heard(tuple(reversed(lines)), text)


def _within(first: int, last: int, stretches: Sequence[tuple[int, int | None]]) -> bool:
    return any(since < first and (until is None or last <= until) for since, until in stretches)


def to_summarise(
    messages: Sequence[RoomMessage], summaries: Sequence[Summary], characters: int
) -> Sequence[RoomMessage]:
    """The oldest four fifths of what no summary holds, once it is longer than `characters`."""
    done = max((summary.to_seq for summary in summaries), default=0)
    fresh = [message for message in messages if message.seq > done]
    if sum(len(message.text) for message in fresh) < characters or len(fresh) < 5:
        return ()
    return fresh[: len(fresh) * 4 // 5]
