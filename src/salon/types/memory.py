"""What a persona remembers: the memories of its ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Memory:
    """One entry of the ledger. `id` is the SHA-256 of its canonical form, 64 hex digits.

    `created` carries a time zone. `confidence` lies in [0, 1]. `redacted` entries are
    tombstones: their text is empty, their id is that of the text that went, and `created` is when
    it went. `about` is the person it concerns, "" for nobody in particular; `replaces` is the id of
    the memory that this one corrects.
    """

    id: str
    text: str
    kind: str
    created: datetime
    author: str = ""
    room: str = ""
    source_message: str = ""
    confidence: float = 1.0
    tags: tuple[str, ...] = ()
    redacted: bool = False
    about: str = ""
    replaces: str = ""
