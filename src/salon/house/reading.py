"""What one question reads: a search, the whole corpus, and the nearness of sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from salon.errors import RetrievalUnavailable
from salon.house.corpus import NoCorpus
from salon.house.shelf import embedder_needed
from salon.retrieval.search import find
from salon.types import Retrieved

if TYPE_CHECKING:
    from salon.answer.quote_index import Corpus
    from salon.answer.support import Rate
    from salon.house.shelf import Taken


@dataclass(frozen=True, slots=True)
class Reading:
    """All of it blocks. `find` raises RetrievalUnavailable when the search cannot run."""

    find: Callable[[str], Retrieved]
    corpus: Corpus
    rate: Rate | None


def read(taken: Taken, passages: int) -> Reading:
    """Searches for that many passages in the persona's index."""

    def search(question: str) -> Retrieved:
        with embedder_needed():
            return find(taken.generation, taken.embedder, question, limit=passages)

    return Reading(search, taken.corpus, taken.rating)


def read_nothing(reason: RetrievalUnavailable) -> Reading:
    """For a persona that answers, with a warning, while its index cannot be opened."""

    def search(question: str) -> Retrieved:
        raise reason

    return Reading(search, NoCorpus(), None)
