"""What questions that have nothing to do with a corpus score against it."""

from __future__ import annotations

import numpy as np

from salon.ports import Embedder, VectorStore
from salon.types import Background, SparseVector, Vector

EVERYDAY = (
    "How do I reset the password of my router?",
    "Which bus goes to the airport on Sundays?",
    "What is a good recipe for pancakes without eggs?",
    "Who won the football match last night?",
    "How much does a haircut for a child cost here?",
    "Can you recommend a phone with a large battery?",
    "Why does my dishwasher leave white spots on the glasses?",
    "When does the supermarket close on a holiday?",
    "How do I file my tax return online?",
    "What is the boiling point of ethanol in kelvin?",
    "Which seats in the plane have more room for the legs?",
    "How can I stop my neighbour's dog from barking?",
    "What does the red light on the printer mean?",
    "Where can I rent a bicycle for the weekend?",
    "How do I sort a list in Python by two keys?",
    "Which vaccine do I need before a trip to the tropics?",
)
"""Questions of everyday life, which few persons' writings answer."""


_LEAST_DEVIATION = 0.04
"""Sixteen questions may agree by chance more than questions do."""

_NO_WORDS = SparseVector((), ())


def measure(store: VectorStore, embedder: Embedder) -> Background:
    """Median of the best cosines of the everyday questions, and their spread.

    The spread is the interquartile range over 1.349, which is a normal distribution's standard
    deviation, so that one question that the corpus does answer changes little. Blocking: one call
    of the embedder and a search for each question.
    """
    best = [_best(store, vector) for vector in embedder.embed(EVERYDAY, "query")]
    low, middle, high = np.percentile(best, (25, 50, 75))
    return Background(float(middle), max(_LEAST_DEVIATION, float(high - low) / 1.349))


def _best(store: VectorStore, vector: Vector) -> float:
    arms = store.search(vector, _NO_WORDS, 1).dense.values()
    return max((score for arm in arms for _, score in arm), default=0.0)
