"""One house of one process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from salon.errors import ConfigError
from salon.house.backends import Backends
from salon.house.indexing import build_index
from salon.persona.create import Created, create_persona
from salon.persona.folders import PersonaFolders, Problem
from salon.ports import Progress, no_progress
from salon.settings import FILE_NAME, Settings, load
from salon.types import PersonaCard

if TYPE_CHECKING:
    from salon.index.build import BuildReport

PERSONAS_FOLDER = "personas"
INDEX_FOLDER = "index"


class House:
    """One house of one process. Everything heavy is opened at its first use; `close` it at the end.

    `personas`, `persona`, `create` and `index` block; `ask`, `passage`, `source`, `ready` do not.
    """

    def __init__(self, path: Path, settings: Settings, progress: Progress) -> None:
        self.path = path
        self.settings = settings
        self._progress = progress
        self.backends = Backends(settings, progress)
        self._folders = PersonaFolders(path / PERSONAS_FOLDER)

    @classmethod
    def open(
        cls, path: Path, settings: Settings | None = None, *, progress: Progress = no_progress
    ) -> House:
        """The house in the folder `path`, which need not exist yet.

        Without `settings` they are read from its salon.toml and the environment. Raises ConfigError
        for bad settings and for a path that is no folder.
        """
        if path.exists() and not path.is_dir():
            raise ConfigError(
                "a house is a folder", file=str(path), cure="name the folder with --house"
            )
        return cls(path, settings or load(path / FILE_NAME), progress)

    def __enter__(self) -> House:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def personas(self) -> tuple[PersonaCard, ...]:
        """The personas that load, by id."""
        return self._folders.cards()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The persona folders that do not load, each with its error."""
        return self._folders.problems()

    def persona(self, name: str) -> PersonaCard:
        """The persona with this id, nick or name; NotFoundError suggests the nearest."""
        return self._folders.find(name)

    def folder(self, persona_id: str) -> Path:
        """The persona's folder."""
        return self._folders.root / persona_id

    def create(
        self,
        name: str,
        paths: Sequence[Path],
        *,
        display_name: str | None = None,
        language: str | None = None,
        colour: str | None = None,
        copy: bool = True,
        progress: Progress = no_progress,
    ) -> Created:
        """Makes a persona folder from files; see `salon.persona.create`."""
        return create_persona(
            self._folders.root,
            name,
            paths,
            display_name=display_name,
            language=language,
            colour=colour,
            copy=copy,
            progress=progress,
        )

    def index(
        self,
        persona_id: str,
        *,
        rebuild: bool = False,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> BuildReport:
        """Brings the persona's index up to its sources; see `salon.index.build`."""
        card = self.persona(persona_id)
        return build_index(
            card,
            self.folder(card.id),
            self.path / INDEX_FOLDER / card.id,
            self.settings,
            self.backends,
            rebuild=rebuild,
            progress=progress or self._progress,
            stop=stop,
        )

    def close(self) -> None:
        """Gives back what was opened."""
