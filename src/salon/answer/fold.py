"""Text as it is compared: letters and digits alone, with the way back, and the words of a text.

Folding is NFKC, lower case, Latin accents and vowel points off, ligatures and the long s resolved,
note numbers and superscripts out, everything that is no letter or digit dropped. So case, spacing,
hyphens at line ends, dashes, punctuation, zero-width characters and the shape of quotation marks
cannot hide a quotation.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

SEPARATOR = "\uffff"
"""Stands between texts: no text has it, and folding keeps it, so nothing is found across it."""

_NOTE = re.compile(r"\[\d{1,3}\]|\{\d{1,4}\}|\[sic\]", re.I)
_SEPARATE = {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ς": "σ", "ı": "i"}
_SUPERSCRIPTS = frozenset("¹²³⁰⁴⁵⁶⁷⁸⁹ªº")
# Accents, vowel points of Hebrew and Arabic, and variation selectors: they tell no words apart
# that folding should. Vowel signs of Indic scripts are marks too, and stay.
_MARKS = (
    (0x0300, 0x036F), (0x0483, 0x0487), (0x0591, 0x05C7), (0x0610, 0x061A), (0x0640, 0x0640),
    (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06ED), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xE0100, 0xE01EF),
)  # fmt: skip
_UNKNOWN = 0xFFFFFFFF
_MANY = 0xFFFFFFFE
_table = np.full(0x110000, _UNKNOWN, dtype=np.uint32)
_JOINERS = "'’ʼ‘`\u00ad\u200b-\u200d\u2060\ufeff\u0300-\u036f\u064b-\u065f\u0591-\u05c7"
_LETTER = r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e])"
_WORD = re.compile(
    rf"{_LETTER}+(?:(?:[{_JOINERS}]+|[-\u00ad\u2010][ \t]*\n[ \t]*(?=[^\W\d_])){_LETTER}+)*"
)
_FAST_WORD = re.compile(rf"\w[\w{_JOINERS}\u0900-\u0dff\u0e31-\u0e4e]*")
_LINE_HYPHEN = re.compile(r"[-\u00ad\u2010][ \t]*\n")
_HALVES = re.compile(r"(\w+)[-\u00ad\u2010][ \t]*\n\s*(\w+)")
_UNSPACED_RUN = re.compile(
    r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)

Codes = npt.NDArray[np.uint32]
Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Folded:
    """`offsets[i]` is the place in the text of the i-th of `letters`."""

    letters: str
    offsets: Offsets


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: its folded letters, and `text[start:end]` as it is written."""

    letters: str
    start: int
    end: int


@lru_cache(maxsize=65536)
def _fold_char(char: str) -> str:
    if char == SEPARATOR:
        return char
    if char in _SUPERSCRIPTS:
        return ""
    wide = unicodedata.normalize("NFKC", char).casefold()
    wide = "".join(_SEPARATE.get(c, c) for c in unicodedata.normalize("NFKD", wide))
    kept = (c for c in wide if not any(low <= ord(c) <= high for low, high in _MARKS))
    folded = unicodedata.normalize("NFC", "".join(kept))
    return "".join(c for c in folded if c.isalnum() or unicodedata.category(c).startswith("M"))


def codes_of(text: str) -> Codes:
    """The code points of a text, shape (len(text),)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def fold(text: str) -> str:
    """The letters and digits of `text` as they are compared."""
    return "".join(map(_fold_char, _NOTE.sub(" ", text)))


def fold_places(text: str) -> Folded:
    """As `fold`, with the place of each letter; a table's look-up and array work."""
    codes = codes_of(text)
    mapped = _table[codes]
    if (mapped == _UNKNOWN).any():
        _learn(codes[mapped == _UNKNOWN])
        mapped = _table[codes]
    for note in _NOTE.finditer(text):
        mapped[note.start() : note.end()] = 0
    offsets: Offsets = np.arange(len(mapped), dtype=np.int64)
    if (mapped == _MANY).any():
        mapped, offsets = _spread(text, mapped)
    kept = mapped != 0
    letters = mapped[kept].tobytes().decode("utf-32-le", "surrogatepass")
    return Folded(letters, offsets[kept])


def _learn(codes: Codes) -> None:
    """Enters characters that were never met; two threads may enter the same one alike."""
    for code in set(codes.tolist()):
        folded = _fold_char(chr(code))
        _table[code] = 0 if not folded else ord(folded) if len(folded) == 1 else _MANY


def _spread(text: str, mapped: Codes) -> tuple[Codes, Offsets]:
    """Characters that fold to several letters (ß, œ, ligatures) take as many places."""
    many = np.flatnonzero(mapped == _MANY)
    folds = [_fold_char(text[at]) for at in many]
    widths = np.ones(len(mapped), dtype=np.int64)
    widths[many] = [len(folded) for folded in folds]
    offsets: Offsets = np.repeat(np.arange(len(mapped), dtype=np.int64), widths)
    spread = mapped[offsets]
    spread[spread == _MANY] = codes_of("".join(folds))
    return spread, offsets


def words_of(text: str) -> list[Word]:
    """The words of a text in order; in scripts without spaces each character is one.

    A word that a hyphen breaks at a line's end is one.
    """
    found = []
    for match in _WORD.finditer(_NOTE.sub(lambda note: " " * len(note.group()), text)):
        start, run = match.start(), match.group()
        if _UNSPACED_RUN.search(run):
            for place, char in enumerate(run, start):
                if folded := _fold_char(char):
                    found.append(Word(folded, place, place + 1))
        elif folded := fold_word(run):
            found.append(Word(folded, start, match.end()))
    return found


@lru_cache(maxsize=65536)
def fold_word(word: str) -> str:
    return "".join(map(_fold_char, word))


def plain_words(text: str) -> list[str]:
    """The words of a text as they are written; one that a line's end breaks, whole and in parts."""
    found = _FAST_WORD.findall(text)
    for hyphen in _LINE_HYPHEN.finditer(text):
        start = max(0, hyphen.start() - 40)
        if halves := _HALVES.search(text, start, hyphen.end() + 80):
            found.append(halves[1] + halves[2])
    return found


def accents(text: str) -> str:
    """The letters of a text with their accents, lower case: what `fold` makes alike."""
    decomposed = unicodedata.normalize("NFKC", _NOTE.sub(" ", text)).casefold()
    return "".join(_SEPARATE.get(c, c) for c in decomposed if c.isalnum())


def same_accents(one: str, other: str) -> bool:
    """Whether texts of the same letters have the same accents, where both are written with any.

    One without any was typed or scanned so; but "wurde" is not "würde".
    """
    return one.isascii() or other.isascii() or accents(one) == accents(other)
