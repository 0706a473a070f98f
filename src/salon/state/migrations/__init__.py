"""Alembic's folder: one file a version; docs/architecture/rooms.md says how to add one."""
