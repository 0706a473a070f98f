"""Which strings are words: lists made from proofread books in English, French, German and Spanish.

`bench/lexicon.py` makes it and says from what. Words are folded, so accents are off.
"""

from __future__ import annotations

import gzip
from collections import Counter
from functools import cache
from importlib.resources import files

LANGUAGES = frozenset({"en", "fr", "de", "es"})
"""Of which there is a list; of other languages the corpus itself is all that is known."""


_SOME = 6


@cache
def shapes(code: str) -> frozenset[str]:
    """Runs of three letters that some words of a language have, their edges as spaces."""
    counts = Counter(run for word in lexicon(code) for run in _runs(word))
    return frozenset(run for run, count in counts.items() if count >= _SOME)


def looks_like_word(word: str, code: str) -> bool:
    """Whether all its runs of three letters are those of words: "cottager", but not "wintcr"."""
    known = shapes(code)
    return not known or all(run in known for run in _runs(word))


def _runs(word: str) -> list[str]:
    padded = f" {word} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)]


@cache
def lexicon(code: str) -> frozenset[str]:
    """The words of a language, empty for one without a list; 20 ms at the first call."""
    if code not in LANGUAGES:
        return frozenset()
    data = files("salon.answer").joinpath("lexicon", f"{code}.txt.gz").read_bytes()
    return frozenset(gzip.decompress(data).decode("utf-8").split("\n"))
