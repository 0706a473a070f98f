"""Every source's letters and digits in one searchable string each, with the way back to exact
spans.

Folding keeps letters and digits only: NFKC, lower case, Latin accents off, ligatures and the long s
resolved, bracketed note numbers out. So case, spacing, hyphens at line ends, dashes, punctuation
and the shape of quotation marks cannot hide a quotation, and a search is `str.find`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Protocol

import numpy as np
import numpy.typing as npt

from salon.answer import damage
from salon.answer.grams import Grams
from salon.answer.words import UNSPACED
from salon.types import Passage, SourceInfo, Span

GAP_LIMIT = 800
"""Letters that an ellipsis may leave out, about two paragraphs: beyond that, words are stitched."""

_NOTE = re.compile(r"\[\d{1,3}\]|\{\d{1,4}\}|\[sic\]", re.I)
_CHANGED_LETTERS = re.compile(r"\[(\w{1,2})\](?=\w)")
_ELLIPSIS = re.compile(r"\[[^\[\]\n]{0,60}\]|(?:\.[ \u00a0]?){3,}|…+|\*(?:[ \u00a0]?\*){2,}")
_SEPARATE = {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d"}
_MOST_PLACES = 40
_MOST_SEEDS = 20
_SLACK = 6
_SLICE = 1 << 20
_KEPT_INDEXES = 16


class Corpus(Protocol):
    """A persona's whole corpus as answering reads it. Thread-safe; blocking.

    `fingerprint` is another one when any text is another one. `passage_at` gives a passage that
    holds the span of a cleaned source, None where cutting left none.
    """

    @property
    def fingerprint(self) -> str: ...

    def texts(self) -> Iterable[tuple[SourceInfo, str]]: ...

    def passage_at(self, source_id: str, span: Span) -> Passage | None: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand in the corpus: `span` of the cleaned source, gaps included."""

    source: SourceInfo
    span: Span
    text: str


@lru_cache(maxsize=65536)
def _fold_char(char: str) -> str:
    wide = unicodedata.normalize("NFKC", char).casefold()
    wide = "".join(_SEPARATE.get(c, c) for c in unicodedata.normalize("NFKD", wide))
    kept = (c for c in wide if not "\u0300" <= c <= "\u036f")
    folded = unicodedata.normalize("NFC", "".join(kept))
    return "".join(c for c in folded if c.isalnum() or unicodedata.category(c).startswith("M"))


def fold(text: str) -> str:
    """The letters and digits of `text` as they are compared."""
    return "".join(map(_fold_char, _NOTE.sub(" ", text)))


@dataclass(frozen=True, slots=True)
class _FoldedSource:
    """`offsets[i]` is the place in `text` of the i-th folded character."""

    info: SourceInfo
    text: str
    folded: str
    offsets: npt.NDArray[np.int32]

    def span(self, first: int, last: int) -> Span:
        """The source's span of folded characters first..last, both included."""
        return Span(int(self.offsets[first]), int(self.offsets[last]) + 1)

    def occurrences(self, needle: str, low: int = 0, high: int | None = None) -> Iterator[int]:
        """Places of `needle` that begin and end with a word."""
        for at in self.occurrences_of_letters(needle, low, high):
            if self.whole_words(at, at + len(needle) - 1):
                yield at

    def occurrences_of_letters(
        self, needle: str, low: int = 0, high: int | None = None
    ) -> Iterator[int]:
        high = len(self.folded) if high is None else high
        at = self.folded.find(needle, low, high)
        while at >= 0:
            yield at
            at = self.folded.find(needle, at + 1, high)

    def begins_word(self, beginning: str) -> bool:
        places = self.occurrences_of_letters(beginning)
        return any(not self._inside_word(int(self.offsets[at])) for at in places)

    def whole_words(self, first: int, last: int) -> bool:
        span = self.span(first, last)
        return not (self._inside_word(span.start) or self._inside_word(span.end))

    def _inside_word(self, at: int) -> bool:
        if not 0 < at < len(self.text):
            return False
        before, after = self.text[at - 1], self.text[at]
        joined = before.isalnum() and after.isalnum()
        return joined and not (UNSPACED.match(before) or UNSPACED.match(after))


def _fold_source(info: SourceInfo, text: str) -> _FoldedSource:
    """Folds by table: one look-up a distinct character, then array work, slice by slice."""
    distinct = sorted(set(text))
    alphabet = np.array([ord(char) for char in distinct], dtype=np.uint32)
    folds = [_fold_char(char) for char in distinct]
    table = np.zeros((len(distinct), max(map(len, folds), default=0)), dtype=np.uint32)
    for row, folded in enumerate(folds):
        table[row, : len(folded)] = [ord(char) for char in folded]
    left_out = np.zeros(len(text), dtype=np.bool_)
    for note in _NOTE.finditer(text):
        left_out[note.start() : note.end()] = True
    letters: list[str] = []
    offsets = [np.zeros(0, dtype=np.int32)]
    for start in range(0, len(text), _SLICE):
        part = text[start : start + _SLICE].encode("utf-32-le", "surrogatepass")
        grid = table[np.searchsorted(alphabet, np.frombuffer(part, dtype=np.uint32))]
        grid[left_out[start : start + _SLICE]] = 0
        kept = grid != 0
        letters.append(grid[kept].tobytes().decode("utf-32-le"))
        offsets.append((np.nonzero(kept)[0] + start).astype(np.int32))
    return _FoldedSource(info, text, "".join(letters), np.concatenate(offsets))


class QuoteIndex:
    """Finds the exact place of quoted words. Building is blocking; searching is thread-safe."""

    def __init__(self, texts: Iterable[tuple[SourceInfo, str]]) -> None:
        self._sources = [_fold_source(info, text) for info, text in texts]
        self._grams = Grams(source.folded for source in self._sources)

    def find(self, quotation: str) -> list[Place]:
        """Places that hold these words in this order, in the order of the corpus, at most 40.

        An ellipsis or a bracketed change stands for up to GAP_LIMIT left-out letters; a scanner's
        confusions are forgiven where nothing else is found.
        """
        parts = segments(quotation)
        if not parts:
            return []
        longest = max(range(len(parts)), key=lambda i: len(parts[i]))
        places: list[Place] = []
        known = all(self._grams.may_hold(part) for part in parts)
        for source in self._sources if known else ():
            for at in source.occurrences(parts[longest]):
                ends = _around(source, parts, longest, at)
                if ends:
                    span = source.span(*ends)
                    places.append(Place(source.info, span, source.text[span.start : span.end]))
                if len(places) >= _MOST_PLACES:
                    return places
        return places or (self._damaged(parts[0]) if len(parts) == 1 else [])

    def _damaged(self, needle: str) -> list[Place]:
        """Places that differ from the words by a scanner's confusions only."""
        if not damage.forgiven(needle):
            return []
        places: dict[Span, Place] = {}
        seeds = [seed for seed in damage.seeds(needle) if self._grams.may_hold(seed[1])]
        for source in self._sources if seeds else ():
            for offset, seed in seeds:
                for at in islice(source.occurrences_of_letters(seed), _MOST_SEEDS):
                    low = max(0, at - offset - _SLACK)
                    region = source.folded[low : at - offset + len(needle) + _SLACK]
                    found = damage.locate(needle, region)
                    if found and source.whole_words(low + found[0], low + found[1]):
                        span = source.span(low + found[0], low + found[1])
                        text = source.text[span.start : span.end]
                        places[span] = Place(source.info, span, text)
        return list(places.values())

    def has_word(self, beginning: str) -> bool:
        """Whether any word of the corpus begins so; `beginning` is folded."""
        return any(source.begins_word(beginning) for source in self._sources)


def segments(quotation: str) -> list[str]:
    """The folded stretches between the ellipses and bracketed changes of a quotation."""
    text = _CHANGED_LETTERS.sub(r"\1", _NOTE.sub(" ", quotation))
    return [folded for part in _ELLIPSIS.split(text) if (folded := fold(part))]


def _around(
    source: _FoldedSource, parts: Sequence[str], anchor: int, at: int
) -> tuple[int, int] | None:
    """First and last folded character of a place where the other parts stand around the anchor."""
    end = at + len(parts[anchor])
    for part in parts[anchor + 1 :]:
        after = next(source.occurrences(part, end, end + GAP_LIMIT + len(part)), None)
        if after is None:
            return None
        end = after + len(part)
    start = at
    for part in reversed(parts[:anchor]):
        low = max(0, start - GAP_LIMIT - len(part))
        before = max(source.occurrences(part, low, start), default=None)
        if before is None:
            return None
        start = before
    return start, end - 1


_built: OrderedDict[str, QuoteIndex] = OrderedDict()
_building = threading.Lock()


def index_of(corpus: Corpus) -> QuoteIndex:
    """The index of a corpus, built once per fingerprint; the least used of sixteen is let go."""
    with _building:
        index = _built.pop(corpus.fingerprint, None) or QuoteIndex(corpus.texts())
        _built[corpus.fingerprint] = index
        while len(_built) > _KEPT_INDEXES:
            _built.popitem(last=False)
        return index
