"""Content words with stems and places: what two texts are compared by when no model is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from salon.index.lexical import terms
from salon.types import Span

UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""A character of a script that is written without spaces between words."""

_WORD = re.compile(r"[^\W_]+")
_VOCABULARY = 65536


@dataclass(frozen=True, slots=True)
class Word:
    """A content word: its stem, and where it stands in its text."""

    stem: str
    span: Span


@lru_cache(maxsize=_VOCABULARY)
def stem(word: str, code: str) -> str:
    """The stem of one word, "" for a word that carries no content in this language."""
    if len(word) < 2 and not word.isdigit() and not UNSPACED.match(word):
        return ""
    return next(iter(terms(word, code)), "")


def words(text: str, code: str) -> list[Word]:
    """The content words of `text` in order; unspaced scripts give pairs of characters."""
    found = []
    for match in _WORD.finditer(text):
        word, start = match.group(), match.start()
        if UNSPACED.search(word):
            pairs = range(max(1, len(word) - 1))
            found += [
                Word(word[i : i + 2], Span(start + i, start + min(i + 2, len(word)))) for i in pairs
            ]
        elif stemmed := stem(word, code):
            found.append(Word(stemmed, Span(start, match.end())))
    return found


def stems(text: str, code: str) -> frozenset[str]:
    return frozenset(word.stem for word in words(text, code))


def fold_key(text: str) -> str:
    """Lower-case words with a space around each, for whole-word look-ups."""
    return " " + " ".join(_WORD.findall(text.casefold())) + " "
