"""Content words with stems: what two texts are compared by when no model is asked.

Latin words are stemmed by the language's Snowball stemmer; scripts without spaces give pairs of
characters, so that Chinese or Japanese text overlaps too.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol

from salon.answer.languages import language
from salon.types import Span

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]")
_STEMMERS = {
    "en": "english",
    "fr": "french",
    "de": "german",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "sv": "swedish",
    "da": "danish",
    "no": "norwegian",
    "fi": "finnish",
    "ru": "russian",
    "hu": "hungarian",
}


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802


@dataclass(frozen=True, slots=True)
class Word:
    """A content word: its stem, and where it stands in its text."""

    stem: str
    span: Span


@cache
def _stemmer(code: str) -> _Stemmer | None:
    if code not in _STEMMERS:
        return None
    import snowballstemmer

    stemmer: _Stemmer = snowballstemmer.stemmer(_STEMMERS[code])
    return stemmer


def fold(word: str) -> str:
    """Case and Latin accents folded: "École" and "ecole" are one word."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    kept = "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", kept)


@lru_cache(maxsize=65536)
def stem(word: str, code: str) -> str:
    """The stem of one word, "" for a word that carries no content in this language."""
    lower = word.casefold()
    if lower in language(code).stop or (len(lower) < 2 and not lower.isdigit()):
        return ""
    stemmer = _stemmer(code)
    return fold(stemmer.stemWord(lower) if stemmer else lower)


def words(text: str, code: str) -> list[Word]:
    """The content words of `text` in order; `code` is a language tag."""
    short = code.split("-")[0].lower()
    found = []
    for match in _WORD.finditer(text):
        word, start = match.group(), match.start()
        if _UNSPACED.search(word):
            for i in range(max(1, len(word) - 1)):
                found.append(Word(word[i : i + 2], Span(start + i, start + min(i + 2, len(word)))))
        elif stemmed := stem(word, short):
            found.append(Word(stemmed, Span(start, match.end())))
    return found


def stems(text: str, code: str) -> frozenset[str]:
    return frozenset(word.stem for word in words(text, code))
