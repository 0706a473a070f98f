"""Brings a database up to the tables that this version of Salon uses."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from salon.errors import ConfigError


def script() -> ScriptDirectory:
    """The versions there are."""
    return ScriptDirectory.from_config(_config())


def upgrade(connection: Connection) -> None:
    """Runs what is missing, within the connection's transaction.

    Raises ConfigError for a database that a newer Salon has changed.
    """
    versions = script()
    found = MigrationContext.configure(connection).get_current_revision()
    if found == versions.get_current_head():
        return
    config = _config()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise ConfigError(
            f"the house's database has version {found}, which this Salon does not know",
            expected=f"a version up to {versions.get_current_head()}",
            cure="use the Salon that made it, or a newer one",
        ) from error


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    return config
