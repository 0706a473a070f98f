"""Settings of rooms: defaults, and limits of who comes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RoomsSettings:
    """Defaults of rooms and limits of who comes; `ROOM_ROWS` says what each means."""

    responders: int = 1
    mentions: int = 5
    chain_depth: int = 3
    chain_delay_ms: int = 500
    chain_characters: int = 500
    chain_tokens: int = 4_000
    context_characters: int = 2_000
    compact_characters: int = 200_000
    text_characters: int = 8_192
    messages: int = 15
    message_seconds: float = 10.0
    connections: int = 20
    queue: int = 1_000
    idle_minutes: float = 30.0
    nick_hours: float = 24.0
    banned: str = ""
    admin_secret: str = field(default="", repr=False)


ROOM_ROWS: tuple[tuple[str, str, float | None, float | None], ...] = (
    ("responders", "personas that answer a message without a mention", 1, 5),
    ("mentions", "personas that answer a message with mentions", 1, 33),
    ("chain_depth", "how often a reply may call the next persona", 0, 20),
    ("chain_delay_ms", "pause before the next persona of a chain", 0, 60_000),
    ("chain_characters", "what the next persona is shown of the reply, in characters", 50, 20_000),
    ("chain_tokens", "longest chain after one message, in tokens", 1, None),
    ("context_characters", "what a persona is shown of the room, in characters", 0, 200_000),
    ("compact_characters", "unsummarised text of a room that brings a summary", 1_000, None),
    ("text_characters", "longest message, in characters", 1, 1_000_000),
    ("messages", "messages of one connection within message_seconds", 1, None),
    ("message_seconds", "the time that `messages` counts, in seconds", 0.1, None),
    ("connections", "connections from one address", 1, None),
    ("queue", "events that wait for a slow client before it is dropped", 10, None),
    (
        "idle_minutes",
        "silence after which a client is warned; 5 more close it",
        1,
        None,
    ),
    ("nick_hours", "how long a nick is kept for who used it last", 0, None),
    ("banned", "names that nobody may take, with commas", None, None),
    ("admin_secret", "what makes a visitor an admin", None, None),
)
"""Each setting of `[rooms]`: name, meaning, least, most."""
