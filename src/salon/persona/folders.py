"""All persona folders of a house, read again when somebody edits them."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from salon.errors import ConfigError, InputError, NotFoundError, SalonError
from salon.persona.load import PERSONA_FILE, PROMPT_FILE, WORLDVIEW_FILE, load_persona
from salon.persona.names import persona_id
from salon.types import PersonaCard

_WATCHED = (PERSONA_FILE, PROMPT_FILE, WORLDVIEW_FILE)

_Stamp = tuple[tuple[int, int, int], ...]
"""(modification time in ns, size, inode) of each watched file."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A folder that does not load, and why."""

    folder: Path
    error: SalonError


class PersonaFolders:
    """Thread-safe. Folders whose name begins with '.' are not looked at."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._read: dict[str, tuple[_Stamp, PersonaCard | SalonError]] = {}

    def cards(self) -> tuple[PersonaCard, ...]:
        """The personas that load, by id."""
        found = [self._card(folder) for folder in self._folders()]
        return tuple(card for card in found if isinstance(card, PersonaCard))

    def problems(self) -> tuple[Problem, ...]:
        """The folders that do not load, by name."""
        found = [(folder, self._card(folder)) for folder in self._folders()]
        return tuple(Problem(f, error) for f, error in found if isinstance(error, SalonError))

    def find(self, name: str) -> PersonaCard:
        """The persona with this id, else this nick or full name, whatever the case.

        Raises the folder's own error when it does not load, InputError when two personas share the
        name, NotFoundError with the nearest id otherwise.
        """
        try:
            identifier = persona_id(name)
        except InputError:
            identifier = ""
        with self._looking():
            there = bool(identifier) and (self.root / identifier).is_dir()
        if there:
            found = self._card(self.root / identifier)
            if isinstance(found, SalonError):
                raise found
            return found
        cards = self.cards()
        wanted = name.strip().casefold()
        named = [c for c in cards if wanted in (c.nick.casefold(), c.name.casefold())]
        if len(named) > 1:
            raise InputError(
                f"{name!r} is the name of {len(named)} personas",
                expected=f"one of the ids {', '.join(card.id for card in named)}",
            )
        if named:
            return named[0]
        raise self._unknown(name, cards)

    def _folders(self) -> list[Path]:
        with self._looking():
            if not self.root.is_dir():
                return []
            return sorted(
                entry
                for entry in self.root.iterdir()
                if entry.is_dir() and not entry.name.startswith(".")
            )

    @contextmanager
    def _looking(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ConfigError(
                f"cannot be read: {error.strerror}",
                file=str(error.filename or self.root),
                expected="a folder that this user may read",
                cure="change its permissions, or name another house with --house",
            ) from error

    def _card(self, folder: Path) -> PersonaCard | SalonError:
        stamp = tuple(_stamp(folder / name) for name in _WATCHED)
        with self._lock:
            if folder.name in self._read and self._read[folder.name][0] == stamp:
                return self._read[folder.name][1]
        found: PersonaCard | SalonError
        try:
            found = load_persona(folder)
        except SalonError as error:
            found = error
        with self._lock:
            self._read[folder.name] = (stamp, found)
        return found

    def _unknown(self, name: str, cards: tuple[PersonaCard, ...]) -> NotFoundError:
        known = tuple(card.id for card in cards)
        if not known:
            return NotFoundError(
                f"there is no persona {_shown(name)} in {self.root.parent}: there is none at all",
                cure="make one: salon new NAME --from FOLDER; or name the house with --house",
            )
        words = {word.casefold(): c.id for c in cards for word in (c.id, c.nick, c.name)}
        near = difflib.get_close_matches(name[:100].casefold(), words, 1, 0.6)
        return NotFoundError(
            f"there is no persona {_shown(name)}",
            known=known,
            expected=f"one of {', '.join(known)}",
            cure=f"did you mean '{words[near[0]]}'?" if near else "",
        )


def _stamp(file: Path) -> tuple[int, int, int]:
    try:
        status = file.stat()
    except OSError:
        return (0, 0, 0)
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _shown(name: str) -> str:
    return repr(name if len(name) <= 80 else name[:80] + "...")
