"""Where words stand in a corpus: its index for quotations, in memory or mapped from disk.

What may hold some words is asked of the signatures; only those blocks are decoded and folded.
"""

from __future__ import annotations

import bisect
import io
import os
import re
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from salon.answer import grams, quote_file
from salon.answer.fold import SEPARATOR, Folded, codes_of, fold, fold_places
from salon.answer.quote_file import BLOCK, Sections
from salon.answer.words import UNSPACED
from salon.types import Passage, SourceInfo, Span

GAP_LIMIT = 800
"""Letters that an ellipsis may leave out, about two paragraphs: beyond that, words are stitched."""

MOST_PLACES = 40

_BRACKET_LIMIT = 60
_COMPLETED = re.compile(r"(?<=\w)\[(\w{1,12})\]|\[(\w{1,2})\](?=\w)")
_SIC = re.compile(r"\[sic[.!]?\]", re.I)
_GAP = re.compile(
    r"(?P<bracket>\[(?!\s*(?:\.|…))[^\[\]\n]{1,80}\])"
    r"|[\[(]?\s*(?:(?:\.[ \u00a0]?){3,}|…+)\s*[\])]?|\*(?:[ \u00a0]?\*){2,}"
)
_MOST_ROWS = 48
_MOST_LETTERS = 600
_KEPT_BLOCKS = 512
_KEPT_INDEXES = 16


class Corpus(Protocol):
    """A persona's whole corpus as answering reads it. Thread-safe; blocking.

    `fingerprint` is another one when any text is another one. `index_file` is where the index of
    quotations may be kept, None for in memory. `passage_at` gives a passage that holds the span of
    a cleaned source, None where cutting left none; `standing` the section and the page at which a
    span begins; `elsewhere` the places of words in the corpora of the house's other personas.
    """

    @property
    def fingerprint(self) -> str: ...

    @property
    def index_file(self) -> Path | None: ...

    def texts(self) -> Iterable[tuple[SourceInfo, str]]: ...

    def passage_at(self, source_id: str, span: Span) -> Passage | None: ...

    def standing(self, source_id: str, span: Span) -> tuple[str, str]: ...

    def elsewhere(self, quotation: str) -> Sequence[tuple[str, Place]]: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand in the corpus: `span` of the cleaned source, gaps included."""

    source: SourceInfo
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a quotation between its ellipses: its letters, and what it may leave out."""

    letters: str
    gap: int


def quoted_parts(quotation: str) -> list[tuple[str, int]]:
    """The stretches between the ellipses and bracketed changes of a quotation, as they are written.

    Beside each, how many letters may stand between it and the one before it.
    """
    text = _SIC.sub(" ", _COMPLETED.sub(lambda m: m[1] or m[2], quotation))
    parts: list[tuple[str, int]] = []
    last, gap = 0, 0
    for match in [*_GAP.finditer(text), None]:
        part = text[last : match.start() if match else len(text)]
        if fold(part):
            parts.append((part, gap if parts else 0))
            gap = 0
        if match:
            gap = max(gap, _BRACKET_LIMIT if match["bracket"] else GAP_LIMIT)
            last = match.end()
    return parts


def parts_of(quotation: str) -> list[Part]:
    """The same, folded."""
    return [Part(fold(text), gap) for text, gap in quoted_parts(quotation)]


class QuoteIndex:
    """Finds the exact places of words. Searching is thread-safe and blocking."""

    def __init__(self, texts: Iterable[tuple[SourceInfo, str]]) -> None:
        """The index of these texts in memory."""
        out = io.BytesIO()
        quote_file.write(texts, out)
        self._use(quote_file.read(memoryview(out.getvalue())))

    @classmethod
    def at(cls, path: Path) -> QuoteIndex:
        """A kept index, mapped. Raises DamagedFile and OSError."""
        index = cls.__new__(cls)
        index._use(quote_file.open_file(path))
        return index

    def _use(self, sections: Sections) -> None:
        self._sections = sections
        self._block = lru_cache(_KEPT_BLOCKS)(self._folded_block)

    # --- exact places -------------------------------------------------------------------------

    def find(self, quotation: str) -> list[Place]:
        """Places that hold these words in this order, in the order of the corpus, at most 40.

        An ellipsis stands for up to GAP_LIMIT left-out letters, a bracketed change for 60.
        """
        parts = parts_of(quotation)
        if not parts:
            return []
        longest = max(range(len(parts)), key=lambda i: len(parts[i].letters))
        places: list[Place] = []
        for start, end in self.occurrences(parts[longest].letters):
            if len(parts) == 1:
                places.append(self.place(start, end))
            elif ends := self._around(parts, longest, start, end):
                places.append(self.place(*ends))
            if len(places) >= MOST_PLACES:
                break
        return places

    def occurrences(self, needle: str, *, whole: bool = True) -> Iterator[tuple[int, int]]:
        """Characters of all texts that have these letters, as whole words; ascending."""
        last = -1
        for block in self.blocks_with(needle):
            start = int(block) * BLOCK
            region = self.folded(start, start + BLOCK, ahead=len(needle))
            at = region.letters.find(needle)
            while at >= 0 and (first := int(region.offsets[at])) < start + BLOCK:
                end = int(region.offsets[at + len(needle) - 1]) + 1
                if first > last and (not whole or self._whole_words(first, end)):
                    yield first, end
                    last = first
                at = region.letters.find(needle, at + 1)

    def _around(
        self, parts: Sequence[Part], anchor: int, start: int, end: int
    ) -> tuple[int, int] | None:
        """First and last character of a place where the other parts stand around the anchor."""
        room = 3 * sum(part.gap + len(part.letters) for part in parts) + 200
        low = max(0, start - room)
        region = self.folded(low, end + room)
        at = int(np.searchsorted(region.offsets, start))
        first, last = at, at + len(parts[anchor].letters)
        for part in parts[anchor + 1 :]:
            high = last + part.gap + len(part.letters)
            after = self._part_in(region, part.letters, last, high)
            if after is None:
                return None
            last = after + len(part.letters)
        for i in range(anchor - 1, -1, -1):
            letters = parts[i].letters
            floor = max(0, first - parts[i + 1].gap - len(letters))
            before = self._part_in(region, letters, floor, first, latest=True)
            if before is None:
                return None
            first = before
        if SEPARATOR in region.letters[first:last]:
            return None
        return int(region.offsets[first]), int(region.offsets[last - 1]) + 1

    def _part_in(
        self, region: Folded, letters: str, low: int, high: int, *, latest: bool = False
    ) -> int | None:
        find = region.letters.rfind if latest else region.letters.find
        at = find(letters, low, high)
        while at >= 0:
            start, end = int(region.offsets[at]), int(region.offsets[at + len(letters) - 1]) + 1
            if self._whole_words(start, end):
                return at
            at = (
                find(letters, low, at + len(letters) - 1) if latest else find(letters, at + 1, high)
            )
        return None

    # --- blocks -------------------------------------------------------------------------------

    def blocks_with(self, needle: str) -> npt.NDArray[np.int64]:
        """Blocks in which these letters may begin, ascending; all where the needle is too short.

        The runs of a needle may begin in one block and go on in the next.
        """
        rows = grams.rows_of(codes_of(needle[:_MOST_LETTERS]))
        if not len(rows):
            return np.arange(self._sections.blocks)
        if len(rows) > _MOST_ROWS:
            rows = rows[np.linspace(0, len(rows) - 1, _MOST_ROWS).astype(np.int64)]
        bits = self.bits(rows)
        begun = np.bitwise_and.accumulate(bits, axis=0)
        rest = np.bitwise_and.accumulate(bits[::-1], axis=0)[::-1]
        found = begun[-1].copy()
        if len(rows) > 1:
            found |= np.bitwise_or.reduce(begun[:-1] & _next_block(rest[1:]), axis=0)
        return np.flatnonzero(np.unpackbits(found)[: self._sections.blocks])

    def bits(self, rows: grams.Rows) -> npt.NDArray[np.uint8]:
        """The packed bits of these rows over all blocks, shape (len(rows), bytes)."""
        stripes = [stripe[rows] for stripe in self._sections.stripes]
        return np.concatenate(stripes, axis=1) if stripes else np.zeros((len(rows), 0), np.uint8)

    @property
    def blocks(self) -> int:
        return self._sections.blocks

    # --- texts --------------------------------------------------------------------------------

    @property
    def characters(self) -> int:
        return self._sections.starts[-1]

    def text(self, start: int, end: int) -> str:
        """Characters of all texts; beyond the ends there are none."""
        start, end = max(0, start), min(end, self.characters)
        if start >= end:
            return ""
        first = start // BLOCK
        ends = self._sections.bytes[[first, -(-end // BLOCK)]]
        data = bytes(self._sections.text[int(ends[0]) : int(ends[1])])
        text = data.decode("utf-8", "surrogatepass")
        return text[start - first * BLOCK : end - first * BLOCK]

    def folded(self, start: int, end: int, *, ahead: int = 0) -> Folded:
        """The folded letters of these characters, and `ahead` letters more where there are any;
        offsets are places in all texts."""
        pieces = []
        at, more = max(0, start), ahead
        while at < min(end, self.characters) or (more > 0 and at < self.characters):
            block = at // BLOCK
            whole = self._block(block)
            low, high = np.searchsorted(whole.offsets, [at, max(at, end)])
            if block * BLOCK + BLOCK > end:
                taken = min(len(whole.letters) - int(high), more)
                high, more = int(high) + taken, more - taken
            pieces.append(Folded(whole.letters[low:high], whole.offsets[low:high]))
            at = (block + 1) * BLOCK
        if len(pieces) == 1:
            return pieces[0]
        offsets = [piece.offsets for piece in pieces] or [np.zeros(0, np.int64)]
        return Folded("".join(piece.letters for piece in pieces), np.concatenate(offsets))

    def _folded_block(self, block: int) -> Folded:
        folded = fold_places(self.text(block * BLOCK, (block + 1) * BLOCK))
        return Folded(folded.letters, folded.offsets + block * BLOCK)

    def place(self, start: int, end: int) -> Place:
        """Characters of all texts as a place in the source that has them."""
        number = bisect.bisect_right(self._sections.starts, start) - 1
        begins = self._sections.starts[number]
        span = Span(start - begins, end - begins)
        return Place(self._sections.sources[number], span, self.text(start, end))

    def start_of(self, place: Place) -> int:
        """Where a place begins in all texts."""
        ids = [source.id for source in self._sections.sources]
        return self._sections.starts[ids.index(place.source.id)] + place.span.start

    @property
    def sources(self) -> tuple[SourceInfo, ...]:
        return self._sections.sources

    def _whole_words(self, start: int, end: int) -> bool:
        around = self.text(start - 1, end + 1) if start else "\n" + self.text(start, end + 1)
        last = end - start
        return not (_joined(around[:2]) or _joined(around[last : last + 2]))

    # --- words --------------------------------------------------------------------------------

    def has_word(self, beginning: str) -> bool:
        """Whether any word of the corpus begins so; `beginning` is folded."""
        wanted = beginning.encode("utf-8", "surrogatepass")
        at = self._word_at(wanted)
        return at < len(self._sections.ends) and self._word(at).startswith(wanted)

    def count(self, word: str) -> int:
        """How often a folded word occurs in the corpus."""
        wanted = word.encode("utf-8", "surrogatepass")
        at = self._word_at(wanted)
        known = at < len(self._sections.ends) and self._word(at) == wanted
        return int(self._sections.counts[at]) if known else 0

    @property
    def total_words(self) -> int:
        return self._sections.total_words

    @property
    def vocabulary(self) -> int:
        return len(self._sections.ends)

    def _word_at(self, wanted: bytes) -> int:
        return bisect.bisect_left(range(len(self._sections.ends)), wanted, key=self._word)

    def _word(self, number: int) -> bytes:
        start = int(self._sections.ends[number - 1]) + 1 if number else 0
        return bytes(self._sections.words[start : int(self._sections.ends[number])])


def _joined(pair: str) -> bool:
    """Whether a word goes on from the first of two characters to the second."""
    if len(pair) < 2 or not (pair[0].isalnum() and pair[1].isalnum()):
        return False
    return not (UNSPACED.match(pair[0]) or UNSPACED.match(pair[1]))


def _next_block(bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """For each block the bit of the one after it."""
    shifted = np.left_shift(bits, np.uint8(1), dtype=np.uint8)
    shifted[:, :-1] |= bits[:, 1:] >> 7
    return shifted


_built: OrderedDict[str, QuoteIndex] = OrderedDict()
_building = threading.Lock()


def index_of(corpus: Corpus) -> QuoteIndex:
    """The index of a corpus, opened once per fingerprint; the least used of sixteen is let go.

    One that is not kept yet, or is damaged, is built first.
    """
    with _building:
        index = _built.pop(corpus.fingerprint, None) or _open(corpus)
        _built[corpus.fingerprint] = index
        while len(_built) > _KEPT_INDEXES:
            _built.popitem(last=False)
        return index


def keep_index(corpus: Corpus) -> None:
    """Builds the index of a corpus where it is kept, unless it is there already. Blocking."""
    index_of(corpus)


def _open(corpus: Corpus) -> QuoteIndex:
    path = corpus.index_file
    if path is None:
        return QuoteIndex(corpus.texts())
    try:
        return QuoteIndex.at(path)
    except (OSError, quote_file.DamagedFile):
        return _kept(corpus, path)


def _kept(corpus: Corpus, path: Path) -> QuoteIndex:
    """Builds beside its place and moves it there; a folder that cannot be written is no obstacle:
    then the file is nameless, and goes with the process."""
    try:
        number, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    except OSError:
        with tempfile.NamedTemporaryFile(prefix="salon-quotes-") as file:
            quote_file.write(corpus.texts(), file)
            file.flush()
            return QuoteIndex.at(Path(file.name))
    new = Path(name)
    try:
        with os.fdopen(number, "wb") as out:
            quote_file.write(corpus.texts(), out)
            out.flush()
            os.fsync(out.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    return QuoteIndex.at(path)
