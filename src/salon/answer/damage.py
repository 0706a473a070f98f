"""How far two words are apart when a scanner may have misread one of them.

A letter-wise edit distance in which what scanners mistake for each other costs little. Whether a
difference is a scanner's is decided where it is also known which of the two are words.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

MISREAD = 0.25
"""What a known confusion costs; any other letter costs 1."""

_GROUPS = (
    "ceo", "il1jtf", "hbk", "un", "nrmv", "sf5", "aou", "yv", "gq9", "b6", "g6", "o0dq", "z2",
    "s8b", "a4", "ftr", "wv", "hn", "rn", "st", "ae",
)  # fmt: skip
_PAIRS = {
    ("rn", "m"), ("m", "in"), ("m", "ni"), ("m", "iii"), ("vv", "w"), ("cl", "d"), ("ii", "u"),
    ("li", "h"), ("ri", "n"), ("il", "u"), ("lc", "k"), ("tl", "d"), ("nn", "m"), ("fi", "n"),
    ("ti", "n"), ("lh", "m"), ("ll", "u"), ("ti", "u"), ("fl", "n"), ("ln", "m"), ("th", "m"),
    ("oe", "ce"), ("ct", "d"), ("ol", "d"), ("lr", "h"), ("lt", "h"), ("le", "k"), ("tt", "u"),
}  # fmt: skip
_ALIKE = frozenset(
    pair for group in _GROUPS for pair in product(group, repeat=2) if pair[0] != pair[1]
)
_WIDE = frozenset(_PAIRS | {(one, other) for other, one in _PAIRS})
_LONGEST = 400


@lru_cache(maxsize=8192)
def distance(one: str, other: str) -> float:
    """What it costs to read one folded word as the other; a dropped or added letter costs 1.

    Strings beyond 400 letters are as far apart as they are long.
    """
    if one == other:
        return 0.0
    if max(len(one), len(other)) > _LONGEST:
        return float(max(len(one), len(other)))
    rows = [[float(j) for j in range(len(other) + 1)]]
    for i, letter in enumerate(one, 1):
        row = [float(i)]
        for j, wanted in enumerate(other, 1):
            same = 0.0 if letter == wanted else MISREAD if (letter, wanted) in _ALIKE else 1.0
            best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + same)
            if same:
                best = min(best, _wide(rows, one, other, i, j))
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def _wide(rows: list[list[float]], one: str, other: str, i: int, j: int) -> float:
    """The cost where two letters were read as one, or one as two."""
    best = float("inf")
    for left, right in ((2, 1), (1, 2), (2, 2)):
        if i >= left and j >= right and (one[i - left : i], other[j - right : j]) in _WIDE:
            best = min(best, rows[i - left][j - right] + MISREAD)
    return best
