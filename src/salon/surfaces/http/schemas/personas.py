"""Personas and rooms as JSON."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from salon.surfaces.http.schemas.base import Body
from salon.types import PersonaCard, Room


class PersonaBody(Body):
    id: str
    name: str
    nick: str
    language: str
    colour: str
    domain: str
    sources: int = Field(description="Files that it answers from.")


class RoomBody(Body):
    """`id` is the name folded; `last_seq` numbers its last message, 0 for none."""

    id: str
    name: str
    topic: str
    strategy: str
    responders: int
    last_seq: int
    created: int = Field(description="Milliseconds since 1970, UTC.")


class RoomsBody(Body):
    rooms: list[RoomBody]


class RoomMessagesBody(Body):
    """Messages ascending, each with the fields of the web socket's `message` frame."""

    room: str
    last_seq: int
    messages: list[dict[str, Any]]


class PersonasBody(Body):
    personas: list[PersonaBody]


def persona_body(card: PersonaCard, sources: int) -> PersonaBody:
    return PersonaBody(
        id=card.id,
        name=card.name,
        nick=card.nick,
        language=card.language,
        colour=card.colour,
        domain=card.domain,
        sources=sources,
    )


def room_body(room: Room) -> RoomBody:
    return RoomBody(
        id=room.id,
        name=room.name,
        topic=room.options.topic,
        strategy=room.options.strategy,
        responders=room.options.responders,
        last_seq=room.last_seq,
        created=room.created,
    )
