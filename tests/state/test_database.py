"""The database: made, brought up to date, durable, honest about what is wrong."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, insert, select

from salon.errors import ConfigError, StateError
from salon.state.database import FILE_NAME, address, open_database
from salon.state.migrate import script
from salon.state.tables import METADATA, ROOMS

ROW = {"id": "general", "name": "General", "options": {"a": 1}, "last_seq": 0, "created": 1}


async def test_a_new_database_has_the_tables_of_the_code(tmp_path: Path) -> None:
    database = await open_database("", tmp_path)

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), METADATA))

    async with database.read() as connection:
        assert await connection.run_sync(differences) == []
    await database.close()


def test_the_versions_form_one_line() -> None:
    assert len(script().get_heads()) == 1


async def test_what_was_written_is_there_after_reopening(tmp_path: Path) -> None:
    database = await open_database("", tmp_path)
    async with database.write() as connection:
        await connection.execute(insert(ROOMS).values(**ROW))
    await database.close()
    again = await open_database("", tmp_path)
    async with again.read() as connection:
        rows = (await connection.execute(select(ROOMS.c.id, ROOMS.c.options))).all()
    await again.close()
    assert rows == [("general", {"a": 1})]


async def test_a_block_that_raises_leaves_nothing(tmp_path: Path) -> None:
    database = await open_database("", tmp_path)
    with pytest.raises(RuntimeError, match="stop"):
        async with database.write() as connection:
            await connection.execute(insert(ROOMS).values(**ROW))
            raise RuntimeError("stop")
    async with database.read() as connection:
        assert (await connection.execute(select(ROOMS.c.id))).all() == []
    await database.close()


async def test_several_may_open_a_new_database_at_once(tmp_path: Path) -> None:
    opened = await asyncio.gather(*(open_database("", tmp_path) for _ in range(4)))
    for number, database in enumerate(opened):
        async with database.write() as connection:
            await connection.execute(insert(ROOMS).values({**ROW, "id": f"r{number}"}))
    async with opened[0].read() as connection:
        assert len((await connection.execute(select(ROOMS.c.id))).all()) == 4
    for database in opened:
        await database.close()


async def test_a_database_of_a_newer_salon_is_refused(tmp_path: Path) -> None:
    await (await open_database("", tmp_path)).close()
    with sqlite3.connect(tmp_path / FILE_NAME) as file:
        file.execute("UPDATE alembic_version SET version_num = 'later'")
    with pytest.raises(ConfigError, match="version later"):
        await open_database("", tmp_path)


async def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database, but long enough to be looked at" * 99)
    with pytest.raises(StateError, match="not a database"):
        await open_database("", tmp_path)


@pytest.mark.parametrize(
    ("url", "driver"),
    [
        ("postgres://u:p@h/n", "postgresql+asyncpg"),
        ("postgresql://u:p@h/n", "postgresql+asyncpg"),
        ("postgresql+psycopg2://u:p@h/n", "postgresql+asyncpg"),
        ("sqlite:////tmp/x.db", "sqlite+aiosqlite"),
    ],
)
def test_the_driver_is_the_asynchronous_one(url: str, driver: str, tmp_path: Path) -> None:
    assert address(url, tmp_path).drivername == driver


@pytest.mark.parametrize("url", ["mysql://u:p@h/n", "where", "://"])
def test_an_address_of_no_known_database_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="database"):
        address(url, tmp_path)
