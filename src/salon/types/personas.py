"""A persona as its folder describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from salon.types.corpus import CutterConfig


@dataclass(frozen=True, slots=True)
class ModelsConfig:
    chat: str = "auto"
    small: str = "auto"
    max_tokens: int = 700


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    pattern: Literal["auto", "direct", "survey", "agentic", "verbatim"] = "auto"
    passages: int = 6
    digests: int = 3
    primary: int = 3
    hyde: bool = False
    headers: Literal["auto", "on", "off"] = "auto"
    when_down: Literal["refuse", "answer"] = "refuse"


@dataclass(frozen=True, slots=True)
class GroundingConfig:
    quotes: Literal["report", "strict"] = "report"
    below: float = 0.5
    repair: bool = False
    score: Literal["trained", "seed"] = "trained"


@dataclass(frozen=True, slots=True)
class Worldview:
    """The person's views as written by a person. `beliefs` maps a topic to (stance, view)."""

    display_name: str
    rhetorical_style: str = ""
    core_principles: tuple[str, ...] = ()
    beliefs: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PersonaCard:
    """A persona as its folder describes it. `id` is the folder's name."""

    id: str
    name: str
    nick: str
    language: str
    colour: str
    prefix: str
    prompt: str
    models: ModelsConfig
    cutter: CutterConfig
    retrieval: RetrievalConfig
    grounding: GroundingConfig
    worldview: Worldview | None = None
    domain: str = ""
    portrait: str = ""
    embedder: str = "auto"
    notices: tuple[str, ...] = ()
