"""What a persona remembers: memories of the ledger, and the graph drawn from them."""

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


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """One belief. `id` is kebab-case; `sources` are ids of memories, never empty.

    `confidence` and `activation` lie in [0, 1]; a time that is not known is None.
    """

    id: str
    type: str
    text: str
    sources: tuple[str, ...]
    confidence: float = 1.0
    activation: float = 1.0
    pinned: bool = False
    status: str = "active"
    created: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class MemoryEdge:
    """A directed edge between two nodes, with the memories that it came from."""

    source: str
    type: str
    target: str
    sources: tuple[str, ...] = ()
    created: datetime | None = None


@dataclass(frozen=True, slots=True)
class GraphChange:
    """What one generation does to the one before it; `archived` nodes are kept, not deleted."""

    generation: int
    ledger_root: str
    nodes: tuple[MemoryNode, ...] = ()
    edges: tuple[MemoryEdge, ...] = ()
    archived: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """A node that recall found; `path` leads from the node that matched to this one."""

    node: MemoryNode
    score: float
    path: tuple[MemoryEdge, ...] = ()
