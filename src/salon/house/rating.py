"""How near in meaning sentences are to a question, by the persona's own embedder."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from salon.ports import Embedder
from salon.types import Vector

_KEPT = 8192
"""Sentence vectors that are remembered; those of 384 dimensions take 12 MB."""

_MARGIN = 2
"""A text that was cut may count a piece or two more than it did in one piece."""


class Rating:
    """Callable as `rate(question, texts)`: cosines in the order of the texts.

    Thread-safe; blocking. A sentence longer than the embedder's window is rated by its beginning.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        asked = self._embedder.embed([self._fitting(question)], "query")[0]
        nearness: list[float] = (self._rows(texts) @ asked).tolist()
        return nearness

    def _rows(self, texts: Sequence[str]) -> Vector:
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            rows = self._embedder.embed([self._fitting(text) for text in new], "passage")
            known.update(zip(new, rows, strict=True))
        with self._lock:
            for text in dict.fromkeys(texts):
                self._vectors[text] = known[text]
                self._vectors.move_to_end(text)
            while len(self._vectors) > _KEPT:
                self._vectors.popitem(last=False)
        return np.stack([known[text] for text in texts])

    def _fitting(self, text: str) -> str:
        room = self._embedder.id.window - _MARGIN
        pieces = self._embedder.pieces(text)
        return text if len(pieces) <= room else text[: pieces[room - 1][1]]
