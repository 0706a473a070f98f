"""The ledgers of a house's personas, and what goes of them into a prompt."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from salon.persona.folders import PersonaFolders

if TYPE_CHECKING:
    from salon.memory.ledger import Ledger
    from salon.types import Scene

MEMORY_FOLDER = "memory"

_BUDGET = 600
"""Tokens of a prompt that memory may take."""


class Ledgers:
    """One ledger a persona, kept open so that a file is read again only when it changed."""

    def __init__(self, personas: PersonaFolders) -> None:
        self._personas = personas
        self._lock = threading.Lock()
        self._open: dict[str, Ledger] = {}

    def of(self, name: str) -> Ledger:
        """The ledger of the persona with this id, nick or name; nothing is made on the disk."""
        from salon.memory.ledger import Ledger

        persona_id = self._personas.find(name).id
        with self._lock:
            if persona_id not in self._open:
                self._open[persona_id] = Ledger(self._personas.root / persona_id / MEMORY_FOLDER)
            return self._open[persona_id]

    def compiled(self, persona_id: str, person: str, scene: Scene | None) -> str:
        """The memory block of a prompt, "" when there is none.

        It is for a talk with `person`, else with who asked in the scene.

        What people said can neither close a fence of the prompt nor speak as a turn of the chat.
        """
        from salon.answer.prompt import fenced
        from salon.memory.compiled import compile_memory

        asker = person or (scene.asked_by if scene else "")
        return fenced(compile_memory(self.of(persona_id), asker, _BUDGET))
