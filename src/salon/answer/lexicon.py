"""Which strings are words: lists made from proofread books in English, French, German and Spanish.

`bench/lexicon.py` makes it and says from what. Words are folded, so accents are off.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files

LANGUAGES = frozenset({"en", "fr", "de", "es"})
"""Of which there is a list; of other languages the corpus itself is all that is known."""


@cache
def lexicon(code: str) -> frozenset[str]:
    """The words of a language, empty for one without a list; 20 ms at the first call."""
    if code not in LANGUAGES:
        return frozenset()
    data = files("salon.answer").joinpath("lexicon", f"{code}.txt.gz").read_bytes()
    return frozenset(gzip.decompress(data).decode("utf-8").split("\n"))
