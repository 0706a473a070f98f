"""Chat services as a table: adding one that speaks like OpenAI is adding a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_LARGE = (128_000, 9_000)
_SMALL = (4_096, 1_800)  # what Ollama gives a model unless told otherwise


@dataclass(frozen=True, slots=True)
class Vendor:
    """A service by its facts. `room` is its context and evidence in tokens.

    Where `model` is "" the user must name one. `schemas` says that every model there keeps to a
    JSON schema; `start` is what to do when nothing answers.
    """

    kind: str
    wire: Literal["openai", "anthropic"]
    summary: str
    url: str = ""
    model: str = ""
    needs_key: bool = True
    schemas: bool = True
    room: tuple[int, int] = _LARGE
    start: str = ""

    @property
    def key_variable(self) -> str:
        """The environment variable that holds the key."""
        if self.kind in ("anthropic", "openai"):
            return f"{self.kind.upper()}_API_KEY"
        return f"SALON_BACKENDS_{self.kind.upper()}_API_KEY"

    @property
    def offer(self) -> str:
        """The summary, with the one command or variable that this service needs."""
        return f"{self.summary}: {f'set {self.key_variable}' if self.needs_key else self.start}"


VENDORS = (
    Vendor(
        "anthropic",
        "anthropic",
        "Claude by Anthropic's API",
        url="https://api.anthropic.com",
        model="claude-sonnet-5-5",
        room=(200_000, 9_000),
    ),
    Vendor(
        "openai",
        "openai",
        "models of OpenAI",
        url="https://api.openai.com/v1",
        model="gpt-5.6-luna",
    ),
    Vendor(
        "mistral",
        "openai",
        "models of Mistral",
        url="https://api.mistral.ai/v1",
        model="mistral-small-latest",
    ),
    Vendor(
        "groq", "openai", "open models at Groq", url="https://api.groq.com/openai/v1", schemas=False
    ),
    Vendor(
        "openrouter",
        "openai",
        "many models by OpenRouter",
        url="https://openrouter.ai/api/v1",
        schemas=False,
    ),
    Vendor(
        "ollama",
        "openai",
        "models of an Ollama server",
        url="http://127.0.0.1:11434/v1",
        needs_key=False,
        room=_SMALL,
        start="start it with `ollama serve`",
    ),
    Vendor(
        "http",
        "openai",
        "any server with /v1/chat/completions",
        needs_key=False,
        room=(8_192, 4_000),
        start="set SALON_BACKENDS_HTTP_URL to its address",
    ),
)
