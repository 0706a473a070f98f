"""Rooms, messages and what belongs to them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _rooms()
    _people()
    op.create_table(
        "roundtables",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("plan", sa.JSON, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_roundtables"),
        sa.ForeignKeyConstraint(["room_id"], ["rooms.id"], name="fk_roundtables_room_id"),
    )


def _rooms() -> None:
    op.create_table(
        "rooms",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("last_seq", sa.BigInteger, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rooms"),
    )
    op.create_table(
        "messages",
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("author_id", sa.Text, nullable=False),
        sa.Column("nick", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("client_id", sa.Text, nullable=True),
        sa.Column("reply_to", sa.BigInteger, nullable=True),
        sa.Column("turn_id", sa.Text, nullable=True),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("stopped", sa.Boolean, nullable=False),
        sa.Column("answer", sa.JSON, nullable=True),
        sa.Column("extra", sa.JSON, nullable=True),
        sa.PrimaryKeyConstraint("room_id", "seq", name="pk_messages"),
        sa.ForeignKeyConstraint(["room_id"], ["rooms.id"], name="fk_messages_room_id"),
        sa.UniqueConstraint(
            "room_id", "author_id", "client_id", name="uq_messages_room_id_author_id_client_id"
        ),
        sa.UniqueConstraint("room_id", "turn_id", name="uq_messages_room_id_turn_id"),
    )
    op.create_table(
        "presence",
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("persona_id", sa.Text, nullable=False),
        sa.Column("since_seq", sa.BigInteger, nullable=False),
        sa.Column("until_seq", sa.BigInteger, nullable=True),
        sa.PrimaryKeyConstraint("room_id", "persona_id", "since_seq", name="pk_presence"),
        sa.ForeignKeyConstraint(["room_id"], ["rooms.id"], name="fk_presence_room_id"),
    )
    op.create_table(
        "summaries",
        sa.Column("room_id", sa.Text, nullable=False),
        sa.Column("from_seq", sa.BigInteger, nullable=False),
        sa.Column("to_seq", sa.BigInteger, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("room_id", "from_seq", "to_seq", name="pk_summaries"),
        sa.ForeignKeyConstraint(["room_id"], ["rooms.id"], name="fk_summaries_room_id"),
    )


def _people() -> None:
    op.create_table(
        "visitors",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("token_hash", sa.Text, nullable=False),
        sa.Column("nick", sa.Text, nullable=True),
        sa.Column("nick_key", sa.Text, nullable=True),
        sa.Column("seen", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_visitors"),
        sa.UniqueConstraint("token_hash", name="uq_visitors_token_hash"),
        sa.UniqueConstraint("nick_key", name="uq_visitors_nick_key"),
    )
    op.create_table(
        "bans",
        sa.Column("nick_key", sa.Text, nullable=False),
        sa.Column("nick", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("nick_key", name="pk_bans"),
    )
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer, nullable=False, autoincrement=True),
        sa.Column("persona_id", sa.Text, nullable=False),
        sa.Column("visitor_id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("response", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_feedback"),
    )
    op.create_index("ix_feedback_persona_id", "feedback", ["persona_id"])
