"""The hashes by which a corpus knows where some words may stand.

Every run of eight folded letters has a row of 2**14; in scripts without spaces, whose words are
short, every run of three has one too. The same letters have the same row on every machine.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from salon.answer.fold import Codes

ROWS_LOG = 14
ROWS = 1 << ROWS_LOG
RUN = 8
UNSPACED_RUN = 3

_BASE = np.uint32(0x01000193)
# A run of two letters from letters, of four from runs of two, of eight from runs of four.
_DOUBLINGS = tuple((w, np.uint32(pow(0x01000193, w, 1 << 32))) for w in (1, 2, 4))
_MIX = np.uint32(0x9E3779B1)
_SALT = np.uint32(0x5BD1E995)
_UNSPACED = ((0x0E00, 0x0EFF), (0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF),
             (0x20000, 0x3FFFF))  # fmt: skip

Rows = npt.NDArray[np.uint32]
Places = npt.NDArray[np.int64]


def runs(codes: Codes) -> Rows:
    """The row of the run of eight letters that begins at each place, shape (len(codes) - 7,)."""
    if len(codes) < RUN:
        return np.zeros(0, dtype=np.uint32)
    hashed = codes
    for width, base in _DOUBLINGS:
        hashed = hashed[:-width] * base + hashed[width:]
    return _row(hashed)


def unspaced_runs(codes: Codes) -> tuple[Places, Rows]:
    """Where runs of three letters without spaces begin, and their rows."""
    unspaced = np.zeros(len(codes), dtype=np.bool_)
    for low, high in _UNSPACED:
        unspaced |= (codes >= low) & (codes <= high)
    if len(codes) < UNSPACED_RUN or not unspaced.any():
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
    whole = unspaced[:-2] & unspaced[1:-1] & unspaced[2:]
    at = np.flatnonzero(whole)
    hashed = (codes[at] * _BASE + codes[at + 1]) * _BASE + codes[at + 2] + _SALT
    return at, _row(hashed.astype(np.uint32))


def rows_of(codes: Codes) -> Rows:
    """The rows of a whole needle, in the order of its letters; empty when it is too short."""
    long = runs(codes)
    return long if len(long) else unspaced_runs(codes)[1]


def _row(hashed: npt.NDArray[np.uint32]) -> Rows:
    mixed = hashed * _MIX
    mixed ^= mixed >> np.uint32(15)
    mixed *= _SALT
    return (mixed >> np.uint32(32 - ROWS_LOG)).astype(np.uint32)
