"""The lexical arm: text to BM25 term weights that a store only has to multiply by IDF.

A passage's weight of a term is tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)), with
k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
Beyond", 2009, section 3.4). A question's weight is 1 for each of its terms. The store multiplies by
IDF, ln(1 + (N - n + 0.5) / (n + 0.5)), so that it follows what is added and deleted.
"""

from __future__ import annotations

import hashlib
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import cast

from salon.index.stopwords import stop_words
from salon.types import SparseVector

_K1 = 1.2
_B = 0.75
_VOCABULARY = 200_000

# Scripts written without spaces; terms of a run of their characters are pairs of neighbours.
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Vowel signs of the Indic scripts belong to words, though Python's \w does not have them; the two
# dandas in the middle of the block are full stops.
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])(?:[^\W_]|[{_INDIC}]))+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
# Only the accents of alphabets: the marks of other scripts carry the vowels.
_ACCENTS = re.compile("[\u0300-\u036f]+")

_SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

_stemmers = threading.local()


def sparse(text: str, language: str = "en", average: float = 300.0) -> SparseVector:
    """Term weights of a passage; `average` is the mean of `length` over the collection."""
    counts = Counter(_terms(text, language, talk=False))
    norm = _K1 * (1 - _B + _B * counts.total() / average)
    return _vector({term: n * (_K1 + 1) / (n + norm) for term, n in counts.items()})


def sparse_query(text: str, language: str = "en") -> SparseVector:
    """Term weights of a question, without the words by which people ask; may be empty."""
    return _vector(dict.fromkeys(_terms(text, language, talk=True), 1.0))


def length(text: str, language: str = "en") -> int:
    """How many terms a passage has, as BM25 counts its length."""
    return len(_terms(text, language, talk=False))


def terms(text: str, language: str = "en") -> list[str]:
    """The stems of a question's content words, in order; for showing what a search looked for."""
    stop = stop_words(language)
    words = _words(text)
    return [_stem(w, language) for w in words if w not in stop.grammar and w not in stop.talk]


def _terms(text: str, language: str, *, talk: bool) -> list[int]:
    numbers = [_term(word, language, talk) for word in _words(text)]
    return [number for number in numbers if number is not None]


def _words(text: str) -> list[str]:
    """Words in lower case without accents; runs of unspaced scripts as pairs of characters."""
    folded = text.casefold()
    if folded.isascii():
        return _TOKEN.findall(folded)
    folded = unicodedata.normalize("NFKD", folded)
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", folded))
    words: list[str] = []
    for token in _TOKEN.findall(folded):
        if len(token) > 1 and _IS_UNSPACED.match(token):
            words += (token[at : at + 2] for at in range(len(token) - 1))
        else:
            words.append(token)
    return words


@lru_cache(maxsize=_VOCABULARY)
def _term(word: str, language: str, talk: bool) -> int | None:
    """A stable 32-bit number of the word's stem; None for a stop word.

    Two different stems have the same number once in 4 thousand million pairs.
    """
    stop = stop_words(language)
    if word in stop.grammar or (talk and word in stop.talk):
        return None
    digest = hashlib.blake2b(_stem(word, language).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little")


def _stem(word: str, language: str) -> str:
    algorithm = _SNOWBALL.get(language[:2].lower())
    return _stemmer(algorithm)(word) if algorithm else word


def _stemmer(algorithm: str) -> Callable[[str], str]:
    """Snowball's stemmer. It works on its own attributes, so each thread has its own."""
    ready: dict[str, Callable[[str], str]] = _stemmers.__dict__
    if algorithm not in ready:
        import snowballstemmer

        stemmer = snowballstemmer.stemmer(algorithm)
        ready[algorithm] = cast("Callable[[str], str]", stemmer.stemWord)
    return ready[algorithm]


def _vector(weights: dict[int, float]) -> SparseVector:
    indices = tuple(sorted(weights))
    return SparseVector(indices, tuple(weights[index] for index in indices))
