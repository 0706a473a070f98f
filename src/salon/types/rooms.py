"""Rooms: who is in them, what is said, and what happens while it is said.

`seq` numbers a room's messages from 1 without a gap; times are milliseconds since 1970, UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SpeakerKind = Literal["person", "persona", "system"]
Strategy = Literal["routed", "natural", "list", "pooled", "manual", "moderated"]
Hears = Literal["present", "all"]
TurnStatus = Literal["done", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Participant:
    """A persona as routing sees it. `talkativeness` in 0..1."""

    id: str
    nick: str
    name: str = ""
    domain: str = ""
    talkativeness: float = 0.5
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who says something. `bot`: a program, which nobody answers unless the room says so."""

    kind: SpeakerKind
    id: str
    nick: str
    bot: bool = False


@dataclass(frozen=True, slots=True)
class Route:
    """Words of a topic, and the personas that it goes to, in order."""

    topic: str
    words: tuple[str, ...]
    personas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Routes:
    """A house's routes, the first that fits wins. `orchestrator` takes what fits none, "" nobody.

    `relations` maps a persona to those it likes to hand over to.
    """

    orchestrator: str = ""
    routes: tuple[Route, ...] = ()
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RoomOptions:
    """How a room behaves.

    `responders` caps who answers a message without a mention. `mention_only`: without a mention
    nobody answers. `hears`: a persona knows what was said while it was present, or all of it.
    `personas`: who may answer; empty for everybody in the house. `order` is for the list strategy.
    `disabled` personas neither answer nor are called. `markdown`: whether replies may carry it.
    `answer_bots`: whether other programs are answered.
    """

    strategy: Strategy = "routed"
    responders: int = 1
    mention_only: bool = False
    hears: Hears = "present"
    personas: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    topic: str = ""
    language: str = ""
    markdown: bool = True
    answer_bots: bool = False
    paused: bool = False
    disabled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Room:
    """`id` is the name folded, so that #Café and #café are one room."""

    id: str
    name: str
    options: RoomOptions
    last_seq: int
    created: int


@dataclass(frozen=True, slots=True)
class RoomMessage:
    """Something said in a room, as the database keeps it.

    `client_id` is the sender's own id of it. A persona's message has `turn_id`, `depth` in its
    chain (0 answers a person), the message it answers, and `answer`: the body that the HTTP API
    gives for an answer, with citations and score. `stopped`: ended by somebody before its end.
    """

    room: str
    seq: int
    speaker: Speaker
    text: str
    at: int
    client_id: str | None = None
    reply_to: int | None = None
    turn_id: str | None = None
    depth: int = 0
    stopped: bool = False
    answer: Mapping[str, Any] | None = None
    extra: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """What the messages `from_seq` to `to_seq` say in short; they themselves stay."""

    room: str
    from_seq: int
    to_seq: int
    text: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class HeardLine:
    """A line of the room as a persona heard it; `own` when it said it itself."""

    nick: str
    text: str
    kind: SpeakerKind
    own: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """What a reply in a room rests on besides the question and the passages.

    `heard` oldest first, with `summary` for what came before. `names` are all others in the room:
    a reply never speaks for them. `guidance` is what stance and turn rules ask of this one reply.
    `asked_by` is the nick of who is answered.
    """

    room: str
    nick: str
    names: tuple[str, ...] = ()
    heard: tuple[HeardLine, ...] = ()
    summary: str = ""
    guidance: str = ""
    asked_by: str = ""
    markdown: bool = True
    max_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a reply breaks, and what it should do instead, said to the model."""

    rule: str
    advice: str


@dataclass(frozen=True, slots=True)
class Posted:
    """A message is in the database. The only event that has a number and is sent again."""

    message: RoomMessage


@dataclass(frozen=True, slots=True)
class TurnStarted:
    room: str
    turn_id: str
    persona: Speaker
    reply_to: int
    depth: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class TurnToken:
    """More of a reply: `offset` is where `text` begins in it, in characters."""

    room: str
    turn_id: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class TurnThinking:
    """The model thinks; how much, never what."""

    room: str
    turn_id: str
    characters: int


@dataclass(frozen=True, slots=True)
class TurnRestarted:
    """What was shown of a reply is taken back: it broke `rule` and is written once more."""

    room: str
    turn_id: str
    rule: str


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A persona calls a tool. `status`: started, done, failed."""

    room: str
    turn_id: str
    tool: str
    status: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn is over. `seq` is that of its message, None when it left none.

    `code` and `problem` say why it failed.
    """

    room: str
    turn_id: str
    status: TurnStatus
    seq: int | None = None
    code: str = ""
    problem: str = ""
    cure: str = ""


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    room: str
    speaker: Speaker
    present: bool


@dataclass(frozen=True, slots=True)
class RoomChanged:
    """The room's options are others now; `by` is the nick of who changed them."""

    room: Room
    by: str


RoomEvent = (
    Posted
    | TurnStarted
    | TurnToken
    | TurnThinking
    | TurnRestarted
    | ToolUsed
    | TurnEnded
    | PresenceChanged
    | RoomChanged
)
