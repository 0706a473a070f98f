"""What one question reads: a search, the whole corpus, and the nearness of sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from salon.errors import RetrievalUnavailable
from salon.house.corpus import NoCorpus
from salon.house.shelf import embedder_needed
from salon.retrieval.search import find
from salon.types import Background, Retrieved

if TYPE_CHECKING:
    from salon.answer.quote_index import Corpus
    from salon.answer.support import Rate
    from salon.house.shelf import Taken


_UNMEASURED = Background(mean=0.0, deviation=1.0)
"""Where nothing can be searched there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is called blocks. `find` raises RetrievalUnavailable when the search cannot run."""

    find: Callable[[str], Retrieved]
    corpus: Corpus
    rate: Rate | None
    background: Background


def read(taken: Taken, passages: int) -> Reading:
    """Searches for that many passages in the persona's index.

    Blocking; raises RetrievalUnavailable when the embedder does not work.
    """
    with embedder_needed():
        background = taken.background()
    return Reading(partial(search, taken, passages), taken.corpus, taken.rating, background)


def search(taken: Taken, passages: int, question: str) -> Retrieved:
    """The hits for a question that stands alone; blocking."""
    with embedder_needed():
        return find(taken.generation, taken.embedder, question, limit=passages)


def read_nothing(reason: RetrievalUnavailable) -> Reading:
    """For a persona that answers, with a warning, while its search cannot run."""

    def refuse(question: str) -> Retrieved:
        raise reason

    return Reading(refuse, NoCorpus(), None, _UNMEASURED)
