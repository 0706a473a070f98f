"""What a chat model is asked and says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """`schema` (JSON schema) asks for JSON that satisfies it. Lengths in the model's tokens."""

    messages: tuple[Message, ...]
    max_tokens: int = 700
    temperature: float = 0.2
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChatDelta:
    """A piece of a reply. The last one carries `finish` and, where the model tells, `usage`.

    `restart`: all text before this piece was no part of the reply and is void.
    """

    text: str = ""
    finish: Literal["", "stop", "length"] = ""
    usage: Usage | None = None
    restart: bool = False


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What the answering code must know of a chat model.

    `evidence_tokens` is the budget for passages in a prompt: small on a model that reads slowly.
    `form` is how it is asked to cite: "marks" writes prose with [n]; "quotes" fills the
    quote-first JSON schema, which small models follow far better.
    """

    name: str
    context_tokens: int
    evidence_tokens: int
    form: Literal["marks", "quotes"] = "marks"
