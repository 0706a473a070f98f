"""Every table of the house's database. A change here needs a version in `migrations/versions`.

Times are milliseconds since 1970, UTC. Texts are whole: nothing is cut on its way in.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

ROOMS = Table(
    "rooms",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("options", JSON, nullable=False),
    Column("last_seq", BigInteger, nullable=False),
    Column("created", BigInteger, nullable=False),
)
"""`options` are those of `salon.types.rooms.RoomOptions`; `last_seq` counts the messages."""

MESSAGES = Table(
    "messages",
    METADATA,
    Column("room_id", Text, ForeignKey("rooms.id"), primary_key=True),
    Column("seq", BigInteger, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("author_id", Text, nullable=False),
    Column("nick", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("client_id", Text, nullable=True),
    Column("reply_to", BigInteger, nullable=True),
    Column("turn_id", Text, nullable=True),
    Column("depth", Integer, nullable=False),
    Column("stopped", Boolean, nullable=False),
    Column("answer", JSON, nullable=True),
    Column("extra", JSON, nullable=True),
    UniqueConstraint("room_id", "author_id", "client_id"),
    UniqueConstraint("room_id", "turn_id"),
)
"""What was said. `client_id` is the sender's own id of a message, which makes sending it twice
harmless; `turn_id` does the same for a persona's turn."""

PRESENCE = Table(
    "presence",
    METADATA,
    Column("room_id", Text, ForeignKey("rooms.id"), primary_key=True),
    Column("persona_id", Text, primary_key=True),
    Column("since_seq", BigInteger, primary_key=True),
    Column("until_seq", BigInteger, nullable=True),
)
"""The stretches of a room that a persona was there for; `until_seq` is null while it is."""

SUMMARIES = Table(
    "summaries",
    METADATA,
    Column("room_id", Text, ForeignKey("rooms.id"), primary_key=True),
    Column("from_seq", BigInteger, primary_key=True),
    Column("to_seq", BigInteger, primary_key=True),
    Column("text", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
"""What was said in short. The messages themselves stay."""

VISITORS = Table(
    "visitors",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("nick", Text, nullable=True),
    Column("nick_key", Text, nullable=True, unique=True),
    Column("seen", BigInteger, nullable=False),
)
"""People who came, known by the hash of a token that only they hold."""

BANS = Table(
    "bans",
    METADATA,
    Column("nick_key", Text, primary_key=True),
    Column("nick", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

FEEDBACK = Table(
    "feedback",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("persona_id", Text, nullable=False),
    Column("visitor_id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("response", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index(None, "persona_id"),
)
"""Votes and signals on replies. `kind` is vote or chat_signal."""

ROUNDTABLES = Table(
    "roundtables",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("room_id", Text, ForeignKey("rooms.id"), nullable=False),
    Column("plan", JSON, nullable=False),
    Column("status", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
"""Roundtables, begun or finished; their turns are messages of the room, keyed by turn id."""
