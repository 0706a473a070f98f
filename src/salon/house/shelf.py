"""The indexes that a house has open, each with what answering needs beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from salon.errors import ModelUnavailable, RetrievalUnavailable
from salon.house.backends import Backends
from salon.house.background import measure
from salon.house.corpus import GenerationCorpus
from salon.house.others import Others
from salon.house.rating import Rating
from salon.index.generation import Generation, Index
from salon.ports import Embedder
from salon.types import Background, PersonaCard


@contextmanager
def embedder_needed() -> Iterator[None]:
    """Without its embedder a search cannot run: ModelUnavailable becomes RetrievalUnavailable."""
    try:
        yield
    except ModelUnavailable as error:
        raise RetrievalUnavailable(
            f"the embedder does not work: {error.problem}",
            expected=error.expected,
            cure=error.cure,
        ) from error


@dataclass(frozen=True, slots=True)
class Taken:
    """A persona's index for the length of one question. Holding it holds the generation open.

    `background` is measured at its first call.
    """

    corpus: GenerationCorpus
    embedder: Embedder
    rating: Rating
    background: Callable[[], Background]

    @property
    def generation(self) -> Generation:
        return self.corpus.generation


@dataclass(slots=True)
class _Place:
    embedder: Embedder
    index: Index
    rating: Rating
    taken: Taken | None = None


class Shelf:
    """Thread-safe; `take` blocks while an index is opened."""

    def __init__(self, root: Path, backends: Backends) -> None:
        self._root = root
        self._backends = backends
        self._lock = threading.Lock()
        self._places: dict[str, _Place] = {}

    def take(self, card: PersonaCard) -> Taken:
        """The persona's current generation.

        Raises as `salon.index.generation.open_current`, and RetrievalUnavailable when the embedder
        does not work.
        """
        embedder = self._backends.embedder(card.embedder)
        place = self._place(card.id, embedder)
        with embedder_needed():
            generation = place.index.current()
        with self._lock:
            if place.taken is None or place.taken.generation is not generation:
                place.taken = Taken(
                    GenerationCorpus(
                        self._root / card.id / generation.manifest.generation,
                        generation,
                        Others(self._root, card.id),
                    ),
                    embedder,
                    place.rating,
                    cache(partial(measure, generation.store, embedder)),
                )
            return place.taken

    def _place(self, persona_id: str, embedder: Embedder) -> _Place:
        open_store, context = self._backends.store()
        with self._lock:
            place = self._places.get(persona_id)
            if place is None or place.embedder is not embedder:
                index = Index(self._root / persona_id, embedder, open_store, context)
                place = self._places[persona_id] = _Place(embedder, index, Rating(embedder))
            return place

    def close(self) -> None:
        """Lets go of every index; questions under way finish with theirs."""
        with self._lock:
            places, self._places = self._places, {}
        for place in places.values():
            place.index.close()
