"""Opens the database, brings it up to date, and hands out transactions."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from salon.errors import ConfigError, StateError

FILE_NAME = "salon.db"

_BUSY_MS = 30_000
_ADVISORY_LOCK = 0x5A10_0001
_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
}


class Database:
    """An open database. It belongs to the event loop that opened it; `close` gives it back."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @property
    def kind(self) -> str:
        """sqlite or postgresql."""
        return self._engine.dialect.name

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: durable when the block has ended, undone when it raises.

        Raises StateError when the database cannot be used; IntegrityError passes, so that a caller
        can tell a duplicate.
        """
        async with _told(), self._engine.begin() as connection:
            yield connection

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that only reads; it waits for no writer."""
        reading = self._engine.execution_options(salon_reads=True)
        async with _told(), reading.connect() as connection:
            yield connection

    async def close(self) -> None:
        await self._engine.dispose()


async def open_database(url: str, folder: Path) -> Database:
    """The database at `url`, or `salon.db` in `folder` for "". Creates and migrates it.

    Raises ConfigError for an address that is none and for a database of a newer version, StateError
    when it cannot be opened.
    """
    from salon.state.migrate import upgrade

    engine = _engine(address(url, folder))
    database = Database(engine)
    try:
        async with database.write() as connection:
            if database.kind == "postgresql":
                statement = f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"
                await connection.exec_driver_sql(statement)
            await connection.run_sync(upgrade)
    except BaseException:
        await engine.dispose()
        raise
    return database


def address(url: str, folder: Path) -> URL:
    """The address with its asynchronous driver: `postgres://` and the like are understood."""
    if not url:
        folder.mkdir(parents=True, exist_ok=True)
        return URL.create("sqlite+aiosqlite", database=str(folder / FILE_NAME))
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise _not_an_address() from error
    kind = parsed.drivername.partition("+")[0]
    if kind not in _DRIVERS:
        raise _not_an_address(kind)
    return parsed.set(drivername=_DRIVERS[kind])


def _not_an_address(kind: str = "") -> ConfigError:
    found = f"{kind!r} is not a database that Salon knows" if kind else "not a database's address"
    return ConfigError(
        found,
        key="database_url",
        expected="sqlite:////path/to/file.db or postgresql://user:password@host/name",
        cure="correct DATABASE_URL, or unset it to use salon.db in the house",
    )


def _engine(url: URL) -> AsyncEngine:
    try:
        engine = create_async_engine(url, pool_pre_ping=url.drivername.startswith("postgresql"))
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"the database needs the package {error.name!r}",
            cure="install it: pip install 'salon[workers]'",
        ) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: Any) -> None:
    """Readers beside one writer; a commit is on the disk when it returns."""
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout={_BUSY_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes its lock at once: one that took it late could find it gone and fail."""
    reads = connection.get_execution_options().get("salon_reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


@asynccontextmanager
async def _told() -> AsyncIterator[None]:
    """Turns what the driver raises into StateError."""
    try:
        yield
    except IntegrityError:
        raise
    except (SQLAlchemyError, OSError) as error:
        raise _state_error(error) from error


def _state_error(error: Exception) -> StateError:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    said = re.sub(r"\s+", " ", str(cause)).strip() or type(cause).__name__
    return StateError(
        f"the house's database cannot be used: {said}",
        expected="a database that can be read and written, on a disk with room",
        cure="check the file salon.db in the house and its folder, or the server that "
        "DATABASE_URL names",
    )
