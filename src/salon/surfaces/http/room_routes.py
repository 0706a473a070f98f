"""Rooms over HTTP, for a page that shows them: what there is, and what was said."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import PlainTextResponse

from salon.errors import NotFoundError
from salon.house.rooms import Rooms
from salon.room.names import room_id
from salon.surfaces.http.routes import Here, bearer, failures, unknown
from salon.surfaces.http.schemas import RoomMessagesBody, RoomsBody, room_body
from salon.surfaces.ws.frames import message
from salon.types import Room

MOST = 200

rooms = APIRouter(prefix="/api", responses=failures, dependencies=[Depends(bearer)])


async def _find(opened: Rooms, name: str) -> Room:
    found = await opened.store.find(room_id(name))
    if found is None:
        raise NotFoundError(f"there is no room {name!r}", cure="see /api/rooms")
    return found


@rooms.get("/rooms")
async def list_rooms(served: Here) -> RoomsBody:
    """The rooms of this house. What happens in one is told over the web socket /ws."""
    opened = await served.rooms()
    return RoomsBody(rooms=[room_body(room) for room in await opened.store.rooms()])


@rooms.get("/rooms/{name}/messages", responses=unknown)
async def room_messages(
    name: str,
    served: Here,
    after: Annotated[int, Query(ge=0, description="Only those after this seq.")] = 0,
    before: Annotated[
        int | None, Query(ge=1, description="Only those before this seq; the newest of them.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 50,
) -> RoomMessagesBody:
    """A stretch of a room. Without bounds the newest messages."""
    opened = await served.rooms()
    room = await _find(opened, name)
    if not after and before is None:
        found = await opened.store.newest(room.id, limit)
    else:
        found = await opened.store.messages(room.id, after=after, before=before, limit=limit)
    return RoomMessagesBody(
        room=room.id, last_seq=room.last_seq, messages=[message(said) for said in found]
    )


@rooms.get("/rooms/{name}/export", responses=unknown, response_class=PlainTextResponse)
async def export_room(name: str, served: Here) -> PlainTextResponse:
    """The whole room as markdown, with its citations."""
    from salon.room.transcript import markdown

    opened = await served.rooms()
    room = await _find(opened, name)
    text = markdown(room.name, await opened.store.messages(room.id))
    return PlainTextResponse(text, media_type="text/markdown; charset=utf-8")
