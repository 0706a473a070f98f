"""Letters that a scanner mistakes for each other, so that a quotation meets its damaged source.

A quotation whose letters differ from the source's only by such confusions, and in few places, is
the source's: the citation shows the words as the source has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

_LETTERS_AN_ERROR = 24
"""One confusion is forgiven for so many letters, and three in all."""

_MOST_ERRORS = 3
_PAIRS = {"rn": "m", "vv": "w", "cl": "d", "ii": "u", "li": "h"}
_SINGLES = str.maketrans("01i5fcb", "ollssεh") | {ord("e"): "ε", ord("n"): "u"}
_PAIR = re.compile("|".join(_PAIRS))


def forgiven(needle: str) -> int:
    """How many confusions a folded quotation may have; short ones none."""
    return min(_MOST_ERRORS, len(needle) // _LETTERS_AN_ERROR)


def seeds(needle: str) -> Iterator[tuple[int, str]]:
    """Pieces of which one must stand undamaged when there are no more confusions than forgiven."""
    count = forgiven(needle) + 1
    size = len(needle) // count
    for i in range(count):
        end = len(needle) if i == count - 1 else (i + 1) * size
        yield i * size, needle[i * size : end]


def locate(needle: str, region: str) -> tuple[int, int] | None:
    """Where `region` has the needle but for confusions: first and last letter, both included."""
    shape, places = _shape(region)
    wanted, _ = _shape(needle)
    at = shape.find(wanted)
    if at < 0:
        return None
    first, last = places[at][0], places[at + len(wanted) - 1][1]
    matcher = SequenceMatcher(None, needle, region[first : last + 1], autojunk=False)
    errors = sum(tag != "equal" for tag, *_ in matcher.get_opcodes())
    return (first, last) if errors <= forgiven(needle) else None


def _shape(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with confusable letters as one, and each shape's first and last place."""
    shapes: list[str] = []
    places: list[tuple[int, int]] = []
    at = 0
    while at < len(text):
        pair = _PAIR.match(text, at)
        width = 2 if pair else 1
        shapes.append((_PAIRS[pair[0]] if pair else text[at]).translate(_SINGLES))
        places.append((at, at + width - 1))
        at += width
    return "".join(shapes), places
