"""A table that knows at once, for most words that stand nowhere, that they stand nowhere.

Every run of eight letters of a corpus sets one bit of a hash table with at least eight bits a
letter (a Bloom filter with one hash function). What has an unset run is absent; what has none may
be there.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

_RUN = 8
_BITS_A_LETTER = 8
_LEAST_BITS = 16
_MOST_BITS = 30
_BASE = np.uint64(0x100000001B3)
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Grams:
    """Built from folded texts; `may_hold` is false only for what none of them has."""

    def __init__(self, texts: Iterable[str]) -> None:
        held = list(texts)
        letters = sum(map(len, held))
        bits = min(_MOST_BITS, max(_LEAST_BITS, (letters * _BITS_A_LETTER).bit_length()))
        self._shift = np.uint64(64 - bits)
        table = np.zeros(1 << bits, dtype=np.bool_)
        for text in held:
            table[self._places(text)] = True
        self._table = np.packbits(table)

    def may_hold(self, needle: str) -> bool:
        places = self._places(needle)
        bits = self._table[places >> np.uint64(3)] >> (7 - (places & np.uint64(7))).astype(np.uint8)
        return bool((bits & 1).all())

    def _places(self, text: str) -> npt.NDArray[np.uint64]:
        codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
        count = len(codes) - _RUN + 1
        if count <= 0:
            return np.zeros(0, dtype=np.uint64)
        hashed = np.zeros(count, dtype=np.uint64)
        for k in range(_RUN):
            hashed *= _BASE
            hashed += codes[k : k + count]
        hashed *= _MIX
        return hashed >> self._shift
