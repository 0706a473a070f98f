"""From a model's states to token vectors: content words only, in few dimensions, as bytes.

A question's words meet a passage's one by one (late interaction, as in ColBERT: Khattab and
Zaharia 2020). States are projected onto the directions in which content words differ most and made
unit vectors: 32 dimensions found as much as 384 over the books of `bench/recall.py`.
`bench/projection.py` writes the projection.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from salon.types import TokenVectors

TOKEN_DIMENSIONS = 32
SCALE = 127
NO_TOKENS: TokenVectors = np.empty((0, TOKEN_DIMENSIONS), np.int8)

_PROJECTION = "minilm_projection.npy"
_GRAMMAR = """
a an the of to in on at by for from with into upon about as and or but nor if than then that this
these those it its is are was were be been being am do does did done have has had having will would
shall should can could may might must not no so such very i me my mine you your yours he him his she
her hers we us our ours they them their theirs who whom whose which what when where why how there
here said say says tell told think thought some any all one also more most other
"""
_GRAMMAR_WORDS = frozenset(_GRAMMAR.split())


class ContentWords:
    """Which pieces of a vocabulary are content words, and their vectors."""

    def __init__(self, tokenizer: Any) -> None:
        size = tokenizer.get_vocab_size()
        names = [tokenizer.id_to_token(number) or "" for number in range(size)]
        self._content = np.array([_is_content(name) for name in names])
        with resources.files("salon.backends").joinpath(_PROJECTION).open("rb") as file:
            self._projection: npt.NDArray[np.float32] = np.load(file).astype(np.float32)

    def chosen(self, ids: Sequence[int]) -> npt.NDArray[np.bool_]:
        """For each piece, whether it belongs to a content word."""
        found: npt.NDArray[np.bool_] = self._content[np.asarray(ids)]
        return found

    def vectors(self, states: npt.NDArray[np.float32], ids: Sequence[int]) -> TokenVectors:
        """Token vectors of a text's states, shape (pieces, dimensions) with special pieces."""
        projected = states[self.chosen(ids)] @ self._projection
        norms = np.linalg.norm(projected, axis=1, keepdims=True)
        found: TokenVectors = np.rint(projected / np.maximum(norms, 1e-9) * SCALE).astype(np.int8)
        return found


def _is_content(piece: str) -> bool:
    """Special pieces stand in square brackets; a word's later pieces begin with ##."""
    word = piece.removeprefix("##")
    return (
        not piece.startswith("[")
        and word not in _GRAMMAR_WORDS
        and bool(re.search(r"[^\W_]", word))
    )
