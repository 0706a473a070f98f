"""Chat models, embedders and stores of one house, made once and shared by its personas."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from salon.model_files import present
from salon.ports import BackendContext, ChatModel, Embedder, Progress, StoreFactory
from salon.settings import Settings

if TYPE_CHECKING:
    from salon.plugins import Plugins

AUTO = "auto"
NONE = "none"

_LOCAL_FILE = "qwen2.5-coder-1.5b"
"""The embedded chat model that `auto` takes when its weights are already in the cache."""

T = TypeVar("T")


class Backends:
    """Thread-safe. Making a backend may import its vendor's package, so it blocks."""

    def __init__(self, settings: Settings, progress: Progress) -> None:
        self._settings = settings
        self._progress = progress
        self._lock = threading.RLock()
        self._plugins: Plugins | None = None
        self._chats: dict[str, ChatModel] = {}
        self._embedders: dict[str, Embedder] = {}

    @property
    def plugins(self) -> Plugins:
        """The installed backends, looked up at the first use."""
        from salon.plugins import load_plugins

        with self._lock:
            if self._plugins is None:
                plugins = load_plugins()
                plugins.check_options(self._settings.backends)
                self._plugins = plugins
            return self._plugins

    def chat_spec(self, spec: str, *fallback: str) -> str:
        """What `auto` means: the first of `fallback` that is not auto, else what runs here.

        A paid service or a program that happens to be there is used only where it is named, so the
        end of the line is the embedded model if its weights are in the cache, else none.
        """
        for candidate in (spec, *fallback):
            if candidate != AUTO:
                return candidate
        here = present(self._settings.models_dir, _LOCAL_FILE)
        return f"local:{_LOCAL_FILE}" if here else NONE

    def chat(self, spec: str) -> ChatModel | None:
        """The chat model of a spec that is not auto; None for none. Raises NotFoundError."""
        if spec == NONE:
            return None

        def make(kind: str, model: str) -> ChatModel:
            return self.plugins.chat_factory(kind)(model, self.context(kind))

        return self._shared(self._chats, spec, make)

    def embedder(self, spec: str) -> Embedder:
        """The embedder of a spec; auto is the house's. Raises NotFoundError, ModelUnavailable."""

        def make(kind: str, model: str) -> Embedder:
            return self.plugins.embedder_factory(kind)(model, self.context(kind))

        return self._shared(
            self._embedders, self._settings.embedder if spec == AUTO else spec, make
        )

    def store(self) -> tuple[StoreFactory, BackendContext]:
        """How the house's collections are opened."""
        kind = self._settings.store
        return self.plugins.store_factory(kind), self.context(kind)

    def context(self, kind: str) -> BackendContext:
        return BackendContext(
            models_dir=self._settings.models_dir,
            options=self._settings.options(kind),
            progress=self._progress,
            fetch=self._settings.fetch,
            package_index=self._settings.package_index,
        )

    def _shared(self, made: dict[str, T], spec: str, make: Callable[[str, str], T]) -> T:
        from salon.plugins import split_spec

        with self._lock:
            if spec not in made:
                made[spec] = make(*split_spec(spec))
            return made[spec]

    def close_embedders(self) -> None:
        with self._lock:
            embedders, self._embedders = self._embedders, {}
        for embedder in embedders.values():
            embedder.close()

    async def close_chats(self) -> None:
        with self._lock:
            chats, self._chats = self._chats, {}
        for chat in chats.values():
            await chat.close()
