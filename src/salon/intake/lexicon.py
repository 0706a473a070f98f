"""What a language's words look like: which are known, which are common, which letters follow.

A lexicon file holds no text: words stand in it as 30-bit hashes, and letters as the negative
logarithms of how often each follows the two before it. `tools/build_lexicons.py` makes the files
and names their sources.
"""

from __future__ import annotations

import functools
import re
import unicodedata
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

FOLDER = Path(__file__).parent / "lexicons"
HASH_BITS = 30
"""Of a word that is in no lexicon, about one in 5,000 is taken for known."""

BITS_A_STEP = 16
"""Steps of a bit in which surprise is kept."""

_UNSEEN = 14.0
_SHORTEST_PART = 4
_COMPOUNDING = frozenset({"de", "nl"})
_UNACCENTED = frozenset({"en", "la"})
_ACCENTED = {"a": "àáâãä", "e": "èéêë", "i": "íîï", "o": "óòôõö", "u": "úùûü", "c": "ç", "n": "ñ"}
_FOREIGN_LETTERS = 3
_ENCLITICS = re.compile(r"(?:que|ne|ue)$")


def word_hash(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass")) >> (32 - HASH_BITS)


def fold(word: str, language: str) -> str:
    """The form that a lexicon knows: lower case, long s as s, typeset ligatures as letters.

    In Latin u and v, i and j are one letter, and accents and digraphs are undone.
    """
    word = word.lower().replace("ſ", "s")
    for ligature, letters in (("ﬁ", "fi"), ("ﬂ", "fl"), ("ﬀ", "ff"), ("ﬃ", "ffi"), ("ﬄ", "ffl")):
        word = word.replace(ligature, letters)
    if language == "la":
        word = word.translate(_LATIN).replace("æ", "ae").replace("œ", "oe")
    return word


_LATIN = str.maketrans("vjàâáèêéëìîíòôóùûúāēīōūăĕĭŏŭ", "uiaaaeeeeiiiooouuuaeiouaeiou")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """One language. `surprise` has shape (letters, letters, letters), index 0 the word's edge."""

    language: str
    known: npt.NDArray[np.uint32]
    common: npt.NDArray[np.uint32]
    letters: dict[str, int]
    surprise: npt.NDArray[np.uint8]

    def knows(self, word: str) -> bool:
        """Whether a folded word is known, as such or made of known parts."""
        if _has(self.known, word):
            return True
        if self.language in _COMPOUNDING:
            return self._compound(word)
        if self.language == "la" and (end := _ENCLITICS.search(word)):
            return _has(self.known, word[: end.start()])
        return False

    def knows_unaccented(self, word: str) -> bool:
        """Whether it is known but for accents, where the language writes them: spelling varies."""
        if self.language in _UNACCENTED:
            return False
        plain = unaccented(word)
        if _has(self.known, plain):
            return True
        return plain == word and any(
            _has(self.known, word[:at] + accented + word[at + 1 :])
            for at, char in enumerate(word)
            for accented in _ACCENTED.get(char, "")
        )

    def is_common(self, word: str) -> bool:
        """Whether a folded word is among the language's most frequent."""
        return _has(self.common, word)

    def halves(self, word: str) -> bool:
        """Whether a folded word is two common ones written together."""
        cuts = range(3, len(word) - 2)
        return any(self.is_common(word[:at]) and self.is_common(word[at:]) for at in cuts)

    def strangeness(self, word: str) -> float:
        """Mean surprise of a folded word's letters, in bits; 2 to 4 for words of the language."""
        places = [0, 0, *(self.letters.get(char, -1) for char in word), 0]
        total = 0.0
        for at in range(2, len(places)):
            one, two, three = places[at - 2 : at + 1]
            unseen = min(one, two, three) < 0
            total += _UNSEEN if unseen else int(self.surprise[one, two, three]) / BITS_A_STEP
        return total / (len(places) - 2)

    def _compound(self, word: str) -> bool:
        for at in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            if _has(self.known, word[at:]):
                first = word[:at]
                if _has(self.known, first) or _has(self.known, first.removesuffix("s")):
                    return True
        return False


@functools.cache
def languages() -> tuple[str, ...]:
    """Codes of the languages that there are lexicons for."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.npz")))


@functools.cache
def lexicon(language: str) -> Lexicon | None:
    """The lexicon of a language ("en", "de-AT"), or None where there is none."""
    code = language[:2].lower() if re.match(r"[A-Za-z]{2}(?:$|[-_])", language) else ""
    path = FOLDER / f"{code}.npz"
    if not code or not path.is_file():
        return None
    with np.load(path) as data:
        letters = bytes(data["letters"]).decode("utf-8")
        return Lexicon(
            language=code,
            known=unpack(data["known"]),
            common=unpack(data["common"]),
            letters={char: number for number, char in enumerate(letters, 1)},
            surprise=data["surprise"],
        )


def unaccented(word: str) -> str:
    """The letters without their accents."""
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


def is_foreign(word: str, language: str) -> bool:
    """Whether a folded word is a common one of another language: quotations are no damage."""
    if len(word) < _FOREIGN_LETTERS:
        return False
    others = (lexicon(code) for code in languages() if code != language)
    return any(other.is_common(word) for other in others if other)


def pack(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """Ascending hashes as differences, seven bits a byte, the high bit on all but the last."""
    out = bytearray()
    before = 0
    for value in hashes.tolist():
        gap, before = value - before, value
        while gap >= 0x80:
            out.append(0x80 | (gap & 0x7F))
            gap >>= 7
        out.append(gap)
    return np.frombuffer(bytes(out), np.uint8)


def unpack(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    last = packed < 0x80
    ends = np.flatnonzero(last)
    starts = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    gaps: Any = np.zeros(len(ends), np.uint64)
    for digit in range(int((ends - starts).max(initial=0)) + 1):
        place = starts + digit
        inside = place <= ends
        part = packed[np.minimum(place, ends)].astype(np.uint64) & np.uint64(0x7F)
        gaps += np.where(inside, part << np.uint64(7 * digit), np.uint64(0))
    hashes: npt.NDArray[np.uint32] = np.cumsum(gaps).astype(np.uint32)
    return hashes


def _has(hashes: npt.NDArray[np.uint32], word: str) -> bool:
    value = word_hash(word)
    at = int(hashes.searchsorted(np.uint32(value)))
    return at < len(hashes) and int(hashes[at]) == value
