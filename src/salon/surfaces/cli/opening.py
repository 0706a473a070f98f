"""Opens the house that a command works in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from salon.errors import SalonError
from salon.surfaces.cli.place import Place
from salon.surfaces.terminal import Watch, note

if TYPE_CHECKING:
    from salon.house import House
    from salon.surfaces.logs import silence

    silence()


@dataclass(frozen=True)
class Opened:
    """A house in use; `watch` shows what it is busy with."""

    house: House
    watch: Watch
    command: str
    """How this program is called again for this house."""


def opened(context: typer.Context) -> AbstractContextManager[Opened]:
    """The house of this run."""
    place: Place = context.obj
    return open_house(place)


@contextmanager
def open_house(place: Place) -> Iterator[Opened]:
    """A house, closed when the block ends; says which one, unless it was named."""
    from salon.house import House
    from salon.surfaces.logs import silence

    silence()
    if not place.named:
        note(f"House: {place.folder}")
    watch = Watch()
    with (
        _cures_for(place),
        House.open(place.folder, place.settings(), progress=watch) as house,
    ):
        yield Opened(house, watch, place.command)


@contextmanager
def _cures_for(place: Place) -> Iterator[None]:
    """Commands that errors name are those for this house, so that they can be copied."""
    try:
        yield
    except SalonError as error:
        error.cure = error.cure.replace("`salon ", f"`{place.command} ")
        raise
