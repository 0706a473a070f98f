"""The figures a score is made of: each says how far something is amiss, 0 when nothing is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from salon.answer.checking import Weighed
from salon.answer.languages import language

NAMES = (
    "weakest",
    "place",
    "passages",
    "order",
    "swapped",
    "wording",
    "new_words",
    "new_word",
    "replaced",
    "names",
    "numbers",
    "elsewhere",
    "denials",
    "opposites",
    "hedges",
    "opinions",
)
"""In the order of a model's weights."""


def features(weighed: Sequence[Weighed], text: str, code: str) -> dict[str, float]:
    """All in 0..1; an answer without content words is wholly amiss in what needs words."""
    sized = [one for one in weighed if one.size]
    size = sum(one.size for one in sized)
    if not size:
        bad = ("weakest", "place", "passages", "order", "wording", "new_words")
        return {name: float(name in bad) for name in NAMES}

    def mean(values: Sequence[float]) -> float:
        return sum(v * one.size for v, one in zip(values, sized, strict=True)) / size

    kinds = [lack.kind for one in sized for lack in one.lacks]
    new = sum(kind in ("word", "name", "number", "date") for kind in kinds)
    return {
        "weakest": 1 - min(one.best for one in sized),
        "place": 1 - mean([one.best for one in sized]),
        "passages": 1 - mean([one.held for one in sized]),
        "order": 1 - mean([one.pairs for one in sized]),
        "swapped": mean([one.swapped for one in sized]),
        "wording": 1 - mean([one.copied for one in sized]),
        "new_words": min(1.0, new / size),
        "new_word": _few(new),
        "replaced": _few(sum(round(one.substituted * one.size) for one in sized)),
        "names": _few(kinds.count("name")),
        "numbers": _few(kinds.count("number") + kinds.count("date") + kinds.count("unit")),
        "elsewhere": _few(sum(one.far for one in sized)),
        "denials": _few(kinds.count("negation")),
        "opposites": _few(kinds.count("opposite")),
        "hedges": _few(len(hedges(text, code))),
        "opinions": sum(one.size for one in sized if one.claim.empty) / size,
    }


def hedges(text: str, code: str) -> list[str]:
    """Phrases of general talk that a text has."""
    flat = " ".join(text.casefold().split())
    return [h for h in language(code).hedges if re.search(rf"(?<!\w){re.escape(h)}(?!\w)", flat)]


def _few(count: int) -> float:
    """0, 1/2, 2/3, 3/4, ...: the first weighs most."""
    return count / (count + 1)
