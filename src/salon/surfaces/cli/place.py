"""Which house a command works in, and how it opens it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from salon.settings import FILE_NAME, Settings, house_folder, load
from salon.surfaces.terminal import own_command

PERSONAS = "personas"


@dataclass(frozen=True)
class Place:
    """A house's folder, and why this one: shown when the reader did not name it."""

    folder: Path
    named: bool

    @property
    def command(self) -> str:
        """How this program is called again for this house."""
        if not self.named or os.environ.get("SALON_HOUSE"):
            return own_command()
        here = Path.cwd()
        folder = self.folder.relative_to(here) if here in self.folder.parents else self.folder
        return f"{own_command()} --house {shlex.quote(str(folder))}"

    def settings(self) -> Settings:
        """The house's settings, with the environment's above them."""
        return load(self.folder / FILE_NAME, os.environ)


def is_house(folder: Path) -> bool:
    return (folder / FILE_NAME).is_file() or (folder / PERSONAS).is_dir()


def find_place(named: Path | None, environ: Mapping[str, str] = os.environ) -> Place:
    """The house that was named, else the nearest one upward from here, else the user's own."""
    if named is not None or environ.get("SALON_HOUSE"):
        return Place(house_folder(named, environ), named=True)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if is_house(folder):
            return Place(folder, named=False)
    return Place(house_folder(None, environ), named=False)
