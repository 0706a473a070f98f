"""Alembic's entry: runs the versions on the connection that `salon.state.migrate` hands over."""

from __future__ import annotations

from alembic import context

from salon.state.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
