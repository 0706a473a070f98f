"""Every frame of the web socket: the schemas of what comes in and goes out, and events as frames.

`docs/schema/asyncapi.yaml` is made from these by `python -m salon.surfaces.ws.asyncapi FILE`.
"""

from __future__ import annotations

import json
from typing import Any

from salon.types import (
    Posted,
    PresenceChanged,
    Room,
    RoomChanged,
    RoomEvent,
    RoomMessage,
    Speaker,
    ToolUsed,
    TurnEnded,
    TurnRestarted,
    TurnStarted,
    TurnThinking,
    TurnToken,
)

PROTOCOL = 1
Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "integer", "minimum": 0}
_ROOM: Schema = {"type": "string", "minLength": 1, "maxLength": 64}
_SPEAKER: Schema = {
    "type": "object",
    "required": ["kind", "id", "nick"],
    "properties": {
        "kind": {"enum": ["person", "persona", "system"]},
        "id": _TEXT,
        "nick": _TEXT,
    },
}


def _frame(name: str, about: str, required: str = "", /, **fields: Schema) -> Schema:
    return {
        "type": "object",
        "description": about,
        "required": ["type", *required.split()],
        "additionalProperties": False,
        "properties": {"type": {"const": name}, **fields},
    }


_SHORT: Schema = {"type": "string", "maxLength": 200}
_OPTIONAL_SHORT: Schema = {"type": ["string", "null"], "maxLength": 200}

INBOUND: dict[str, Schema] = {
    "hello": _frame(
        "hello",
        "Who comes. `token` is that of an earlier welcome; without `nick` a guest, who may read.",
        nick=_OPTIONAL_SHORT,
        token=_OPTIONAL_SHORT,
        secret=_OPTIONAL_SHORT,
        admin=_OPTIONAL_SHORT,
        language={"type": "string", "maxLength": 35},
        bot={"type": "boolean"},
    ),
    "join": _frame(
        "join",
        "Enter a room. `after`: the last seq that the client has; 0 for the newest 50.",
        "room",
        room=_ROOM,
        after=_NUMBER,
    ),
    "leave": _frame("leave", "Leave a room.", "room", room=_ROOM),
    "message": _frame(
        "message",
        "Say something. `id` is the client's own: the same one is posted once.",
        "room text id",
        room=_ROOM,
        text={"type": "string", "minLength": 1},
        id={"type": "string", "minLength": 1, "maxLength": 100},
    ),
    "command": _frame(
        "command", "A command, as /help.", "text", room=_ROOM, text={"type": "string"}
    ),
    "stop": _frame("stop", "Stop every reply under way in a room.", "room", room=_ROOM),
    "history": _frame(
        "history",
        "Messages before a seq, at most `limit` (100).",
        "room before",
        room=_ROOM,
        before=_NUMBER,
        limit={"type": "integer", "minimum": 1, "maximum": 100},
    ),
    "ping": _frame("ping", "Answered with pong."),
}

MESSAGE_FIELDS: dict[str, Schema] = {
    "room": _ROOM,
    "seq": {"type": "integer", "minimum": 1},
    "speaker": _SPEAKER,
    "text": _TEXT,
    "at": {"type": "integer", "description": "Milliseconds since 1970, UTC."},
    "id": {"type": ["string", "null"]},
    "reply_to": {"type": ["integer", "null"]},
    "turn": {"type": ["string", "null"]},
    "depth": _NUMBER,
    "stopped": {"type": "boolean"},
    "answer": {"type": ["object", "null"], "description": "Citations, score and reasons."},
}

OUTBOUND: dict[str, Schema] = {
    "welcome": _frame(
        "welcome",
        "The first frame. Keep `token`: it brings the nick back.",
        "protocol you token role",
        protocol={"const": PROTOCOL},
        you=_SPEAKER,
        token=_TEXT,
        role={"enum": ["guest", "member", "admin"]},
        motd=_TEXT,
    ),
    "personas": _frame(
        "personas",
        "Who may answer.",
        "personas",
        personas={"type": "array", "items": {"type": "object"}},
    ),
    "joined": _frame(
        "joined",
        "A room was entered: who is there, and the number of its last message.",
        "room name options present last_seq",
        room=_ROOM,
        name=_TEXT,
        options={"type": "object"},
        present={"type": "array", "items": _SPEAKER},
        last_seq=_NUMBER,
    ),
    "message": _frame(
        "message",
        "Something was said. Numbered without a gap.",
        "room seq speaker text at",
        **MESSAGE_FIELDS,
    ),
    "history": _frame(
        "history",
        "What `history` asked for.",
        "room messages",
        room=_ROOM,
        messages={"type": "array", "items": {"type": "object"}},
    ),
    "turn": _frame(
        "turn",
        "A persona begins to answer; `text` is what it has written so far.",
        "room turn persona reply_to",
        room=_ROOM,
        turn=_TEXT,
        persona=_SPEAKER,
        reply_to=_NUMBER,
        depth=_NUMBER,
        text=_TEXT,
    ),
    "token": _frame(
        "token",
        "More of a reply, from character `offset`.",
        "room turn offset text",
        room=_ROOM,
        turn=_TEXT,
        offset=_NUMBER,
        text=_TEXT,
    ),
    "thinking": _frame(
        "thinking",
        "How much a model has thought, never what.",
        "room turn characters",
        room=_ROOM,
        turn=_TEXT,
        characters=_NUMBER,
    ),
    "restart": _frame(
        "restart",
        "What was shown of the turn is void.",
        "room turn rule",
        room=_ROOM,
        turn=_TEXT,
        rule=_TEXT,
    ),
    "tool": _frame(
        "tool",
        "A persona uses a tool.",
        "room turn tool status",
        room=_ROOM,
        turn=_TEXT,
        tool=_TEXT,
        status=_TEXT,
        detail=_TEXT,
    ),
    "end": _frame(
        "end",
        "A turn is over; its message is `seq`, if it left one.",
        "room turn status",
        room=_ROOM,
        turn=_TEXT,
        status={"enum": ["done", "stopped", "failed"]},
        seq={"type": ["integer", "null"]},
        code=_TEXT,
        problem=_TEXT,
        cure=_TEXT,
    ),
    "presence": _frame(
        "presence",
        "Somebody came or went.",
        "room who present",
        room=_ROOM,
        who=_SPEAKER,
        present={"type": "boolean"},
    ),
    "room": _frame(
        "room",
        "The room's options changed.",
        "room options by",
        room=_ROOM,
        options={"type": "object"},
        by=_TEXT,
    ),
    "left": _frame("left", "A room was left.", "room", room=_ROOM),
    "you": _frame("you", "Your nick or role changed.", "you role", you=_SPEAKER, role=_TEXT),
    "clear": _frame("clear", "Empty the screen; nothing is deleted.", "room", room=_ROOM),
    "ack": _frame(
        "ack",
        "A message is durable.",
        "id room seq",
        id=_TEXT,
        room=_ROOM,
        seq=_NUMBER,
        unknown={"type": "array", "items": _TEXT},
    ),
    "system": _frame("system", "For you alone.", "text", text=_TEXT, code=_TEXT),
    "error": _frame(
        "error",
        "What you sent could not be done.",
        "code message",
        code=_TEXT,
        message=_TEXT,
        expected=_TEXT,
        cure=_TEXT,
        id={"type": ["string", "null"]},
    ),
    "pong": _frame("pong", "The answer to ping."),
}

CLOSE_CODES = {
    1008: "the Host, Origin or secret is not this server's",
    4003: "the nick is banned",
    4008: "the client was too slow: come back with `after`",
    4009: "silent for too long",
    4029: "too many connections from this address",
}


def speaker(who: Speaker) -> dict[str, str]:
    return {"kind": who.kind, "id": who.id, "nick": who.nick}


def message(posted: RoomMessage) -> dict[str, Any]:
    return {
        "type": "message",
        "room": posted.room,
        "seq": posted.seq,
        "speaker": speaker(posted.speaker),
        "text": posted.text,
        "at": posted.at,
        "id": posted.client_id,
        "reply_to": posted.reply_to,
        "turn": posted.turn_id,
        "depth": posted.depth,
        "stopped": posted.stopped,
        "answer": posted.answer,
    }


def options(room: Room) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(room.options)


def frame(event: RoomEvent) -> dict[str, Any]:
    """An event of a room as its frame."""
    match event:
        case Posted(posted):
            return message(posted)
        case TurnToken(room, turn, offset, text):
            return {"type": "token", "room": room, "turn": turn, "offset": offset, "text": text}
        case TurnStarted(room, turn, persona, reply_to, depth, text):
            return {
                **{"type": "turn", "room": room, "turn": turn, "persona": speaker(persona)},
                **{"reply_to": reply_to, "depth": depth, "text": text},
            }
        case TurnThinking(room, turn, characters):
            return {"type": "thinking", "room": room, "turn": turn, "characters": characters}
        case TurnRestarted(room, turn, rule):
            return {"type": "restart", "room": room, "turn": turn, "rule": rule}
        case ToolUsed(room, turn, tool, status, detail):
            return {
                **{"type": "tool", "room": room, "turn": turn, "tool": tool},
                **{"status": status, "detail": detail},
            }
        case TurnEnded(room, turn, status, seq, code, problem, cure):
            return {
                **{"type": "end", "room": room, "turn": turn, "status": status, "seq": seq},
                **{"code": code, "problem": problem, "cure": cure},
            }
        case PresenceChanged(room, who, present):
            return {"type": "presence", "room": room, "who": speaker(who), "present": present}
        case RoomChanged(changed, by):
            return {"type": "room", "room": changed.id, "options": options(changed), "by": by}


def encode(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
