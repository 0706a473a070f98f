"""Whether two stretches of words are the same words, spelled or read otherwise.

The rule that keeps a lie from passing as a misreading: a difference is forgiven only where one side
is no word, by the list of words and by the corpus. Two words are a change, however alike; so are
two numbers.
"""

from __future__ import annotations

import re
from functools import lru_cache

from salon.answer.damage import distance
from salon.answer.fold import fold, words_of
from salon.answer.lexicon import lexicon, looks_like_word
from salon.answer.quote_index import QuoteIndex
from salon.answer.spelling import same_spelling
from salon.answer.words import UNSPACED
from salon.types import QuoteChange

_RARE = 2
_RARER = 25
_ENOUGH_WORDS = 5000
"""Distinct words of a corpus from which it tells itself what is no word."""

_SHORT = 5
"""Letters below which a word must differ by nothing but known confusions."""

_FAR = 0.34
"""The share of its letters that a misread word may have wrong."""


class Sameness:
    """Judges for one corpus and one language. Thread-safe."""

    def __init__(self, index: QuoteIndex, code: str) -> None:
        self._code = code[:2]
        self._listed = lexicon(self._code)
        self._tells = bool(self._listed) or index.vocabulary >= _ENOUGH_WORDS
        self.count = lru_cache(8192)(index.count)

    def __call__(self, quoted: str, source: str) -> str:
        """ "" for the same words, "spelling", "scan", or "words" for other ones."""
        mine, other = fold(quoted), fold(source)
        if mine == other:
            return ""
        if not mine or not other or UNSPACED.search(mine + other):
            return "words"
        if self._spelled(quoted, source):
            return "spelling"
        return "scan" if self._misread(quoted, source) else "words"

    def looks_misread(self, change: QuoteChange) -> bool:
        """Whether one word turned into another as a scanner turns them ("be" for "he").

        By itself that is a change; among plain misreadings it is one more of them.
        """
        mine, other = fold(change.quoted), fold(change.source)
        single = " " not in change.quoted and " " not in change.source and mine and other
        return bool(single) and (mine + other).isalpha() and 0 < distance(mine, other) < 1

    def _spelled(self, quoted: str, source: str) -> bool:
        mine, other = quoted.casefold(), source.casefold()
        if " " in mine or " " in other:
            return False
        if same_spelling(fold_apostrophes(mine), fold_apostrophes(other), self._code, loose=False):
            return True
        loose = same_spelling(
            fold_apostrophes(mine), fold_apostrophes(other), self._code, loose=True
        )
        return loose and (self._garbled(fold(mine), fold(other)))

    def _misread(self, quoted: str, source: str) -> bool:
        mine, other = fold(quoted), fold(source)
        if mine.isdigit() and other.isdigit():
            return False
        far = distance(mine, other)
        if far > max(0.5, _FAR * max(len(mine), len(other))):
            return False
        if far >= 1 and max(len(mine), len(other)) < _SHORT:
            return False
        numbers = any(c.isdigit() for c in mine) != any(c.isdigit() for c in other)
        sure = far < 1  # nothing but known confusions
        if mine.isdigit() or other.isdigit():
            return sure and len(mine) > 1 and len(other) > 1 and not self._both_words(mine, other)
        if numbers and not sure and any(c.isdigit() for c in mine):
            return False
        if not sure and (_is_name(quoted) or _is_name(source)):
            return False
        return self._any_garbled(quoted, source, sure=sure)

    def _any_garbled(self, quoted: str, source: str, *, sure: bool) -> bool:
        """Whether what differs is no word on one side: some word of either stretch."""
        mine = [word.letters for word in words_of(quoted)]
        other = [word.letters for word in words_of(source)]
        if len(mine) == len(other) == 1:
            return self._garbled(mine[0], other[0], sure=sure) and self._may_be(
                *mine, *other, sure=sure
            )
        odd = [w for w in {*mine} ^ {*other} if not self._known(w)]
        return bool(odd)

    def _garbled(self, one: str, other: str, *, sure: bool = False) -> bool:
        """Whether just one of two words is a word; of two unknown ones, misread for sure."""
        if not self._tells and not any(c.isdigit() for c in one + other):
            return False
        knows = self._knows(one, other), self._knows(other, one)
        if all(knows):
            return False
        return any(knows) or sure

    def _may_be(self, quoted: str, source: str, *, sure: bool) -> bool:
        """Whether the one that is no word may be a misreading: a source's, when it looks like no
        word or the other one stands elsewhere ("verities" may be a word that no list has); a
        quotation's, when it looks like none or differs by nothing but known confusions."""
        odd = source if self._knows(quoted, source) else quoted
        likely = self.count(quoted) > _RARE if odd == source else sure
        return likely or not looks_like_word(odd, self._code)

    def _knows(self, word: str, beside: str) -> bool:
        """Whether a word is one. One that no list has must be no rarity beside the other."""
        if word in self._listed:
            return True
        count = self.count(word)
        return count > _RARE and count * _RARER > self.count(beside)

    def _known(self, word: str) -> bool:
        return word in self._listed or self.count(word) > _RARE

    def _both_words(self, one: str, other: str) -> bool:
        letters = one if other.isdigit() else other
        return self._known(letters)


def fold_apostrophes(word: str) -> str:
    """A word's letters with its apostrophes, which some spellings hang on."""
    return "'".join(fold(part) for part in re.split(r"['’ʼ‘]", word))


def _is_name(text: str) -> bool:
    return text[:1].isupper()
