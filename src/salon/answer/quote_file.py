"""The index of a corpus for quotations as one file: texts, blocks, signatures, vocabulary.

    text        the texts in UTF-8, each followed by SEPARATOR
    bytes       where each block of 4,096 characters begins in it, int64, and the end
    rows        for each stripe of up to 4,096 blocks: 2**14 rows, a bit a block: whether a run of
                letters of that row begins in the block
    words       the distinct folded words, sorted, joined by line ends, in UTF-8
    ends        where each of them ends, int64
    counts      how often each occurs, uint32
    footer      JSON: where all that begins, and the sources; then its length and a mark

The footer comes last, so a file that was cut off is seen to be. Sections begin at multiples of 64.
"""

from __future__ import annotations

import json
import mmap
import shutil
import struct
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from salon.answer import grams
from salon.answer.fold import SEPARATOR, codes_of, fold_places, fold_word, plain_words
from salon.types import SourceInfo

BLOCK = 4096
"""Characters of a block."""

_FORMAT = 1
_MARK = b"salon:q1"
_TAIL = struct.Struct("<q8s")
_PART = 256
_STRIPE_PARTS = 16
_AHEAD = 256
_LONGEST_WORD = 40
_ALIGN = 64


class DamagedFile(Exception):
    """The file is none of ours, of another format or cut off: it is to be built again."""


@dataclass(frozen=True, slots=True)
class Sections:
    """An opened index. Arrays are views of the file: what is not touched is not in memory.

    `starts[i]` is where source i begins, in characters of all texts; one more entry ends the last.
    `stripes` have shape (2**14, bytes), most significant bit first.
    """

    sources: tuple[SourceInfo, ...]
    starts: tuple[int, ...]
    text: memoryview
    bytes: npt.NDArray[np.int64]
    stripes: tuple[npt.NDArray[np.uint8], ...]
    words: memoryview
    ends: npt.NDArray[np.int64]
    counts: npt.NDArray[np.uint32]
    total_words: int

    @property
    def blocks(self) -> int:
        return len(self.bytes) - 1


def write(texts: Iterable[tuple[SourceInfo, str]], out: IO[bytes]) -> None:
    """Writes the index of these texts. Holds one text at a time and the vocabulary."""
    with tempfile.TemporaryFile() as spool:
        made = _Writer(out, spool)
        for info, text in texts:
            made.source(info, text)
        made.finish()


def open_file(path: Path) -> Sections:
    """Maps a file. Raises DamagedFile, and OSError when it cannot be read."""
    with path.open("rb") as file:
        try:
            whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # an empty file
            raise DamagedFile(str(error)) from error
    return read(memoryview(whole))


def read(whole: memoryview) -> Sections:
    """The sections of a whole index in memory or mapped; raises DamagedFile."""
    try:
        length, mark = _TAIL.unpack(whole[-_TAIL.size :])
        footer_at = len(whole) - _TAIL.size - length
        if mark != _MARK or footer_at < 0:
            raise DamagedFile("it does not end as an index does")
        footer: dict[str, Any] = json.loads(bytes(whole[footer_at : len(whole) - _TAIL.size]))
        if footer["format"] != _FORMAT or footer["rows"] != grams.ROWS:
            raise DamagedFile(f"it has format {footer['format']}")
        at = {name: whole[start:end] for name, (start, end) in footer["sections"].items()}
        sources = tuple(SourceInfo(**info) for info in footer["sources"])
    except (struct.error, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(str(error)) from error
    return Sections(
        sources=sources,
        starts=tuple(footer["starts"]),
        text=at["text"],
        bytes=np.frombuffer(at["bytes"], dtype=np.int64),
        stripes=tuple(_stripes(at["rows"], footer["widths"])),
        words=at["words"],
        ends=np.frombuffer(at["ends"], dtype=np.int64),
        counts=np.frombuffer(at["counts"], dtype=np.uint32),
        total_words=footer["total_words"],
    )


def _stripes(rows: memoryview, widths: list[int]) -> Iterator[npt.NDArray[np.uint8]]:
    at = 0
    for width in widths:
        size = grams.ROWS * width
        yield np.frombuffer(rows[at : at + size], dtype=np.uint8).reshape(grams.ROWS, width)
        at += size


@dataclass(slots=True)
class _Writer:
    """Takes sources one by one; parts of 256 blocks are written as soon as they are whole."""

    out: IO[bytes]
    spool: IO[bytes]
    sources: list[SourceInfo] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    pending: str = ""
    at: int = 0
    block_bytes: list[int] = field(default_factory=lambda: [0])
    parts: list[npt.NDArray[np.uint8]] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    vocabulary: Counter[str] = field(default_factory=Counter)
    sections: dict[str, tuple[int, int]] = field(default_factory=dict)

    def source(self, info: SourceInfo, text: str) -> None:
        self.sources.append(info)
        self.starts.append(self.starts[-1] + len(text) + 1)
        for start in range(0, len(text) + 1, _PART * BLOCK):
            piece = text[start : start + _PART * BLOCK].replace(SEPARATOR, " ")
            last = start + len(piece) == len(text)
            self.pending += piece + SEPARATOR if last else piece
            while len(self.pending) >= _PART * BLOCK + _AHEAD:
                self._part(_PART * BLOCK)
            if last:
                break

    def _part(self, length: int) -> None:
        """Writes the first `length` characters that wait; those behind only end their runs."""
        text = self.pending[:length]
        ahead = self.pending[length : length + _AHEAD]
        for start in range(0, length, BLOCK):
            data = text[start : start + BLOCK].encode("utf-8", "surrogatepass")
            self.out.write(data)
            self.block_bytes.append(self.block_bytes[-1] + len(data))
        self.parts.append(_signature(text, ahead))
        if len(self.parts) == _STRIPE_PARTS:
            self._stripe()
        self.vocabulary.update(plain_words(text))
        self.pending = self.pending[length:]

    def _stripe(self) -> None:
        if self.parts:
            stripe = np.concatenate(self.parts, axis=1)
            self.spool.write(stripe.tobytes())
            self.widths.append(stripe.shape[1])
            self.parts.clear()

    def finish(self) -> None:
        while self.pending:
            self._part(min(len(self.pending), _PART * BLOCK))
        self._stripe()
        self._section("text", 0)
        self._array("bytes", np.array(self.block_bytes, dtype=np.int64))
        start = self._aligned()
        self.spool.seek(0)
        shutil.copyfileobj(self.spool, self.out, 1 << 20)
        self._section("rows", start)
        words = self._words()
        footer = {
            "format": _FORMAT,
            "rows": grams.ROWS,
            "sections": self.sections,
            "widths": self.widths,
            "starts": self.starts,
            "sources": [asdict(info) for info in self.sources],
            "total_words": words,
        }
        data = json.dumps(footer, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self.out.write(data + _TAIL.pack(len(data), _MARK))

    def _words(self) -> int:
        counts: Counter[bytes] = Counter()
        for word, count in self.vocabulary.items():
            if len(word) <= _LONGEST_WORD and (folded := fold_word(word)):
                counts[folded.encode("utf-8", "surrogatepass")] += count
        words = sorted(counts)
        start = self._aligned()
        self.out.write(b"\n".join(words))
        self._section("words", start)
        lengths = np.array([len(word) + 1 for word in words], dtype=np.int64)
        self._array("ends", np.cumsum(lengths) - 1)
        values = np.array([counts[word] for word in words], dtype=np.uint64)
        self._array("counts", np.minimum(values, 0xFFFFFFFF).astype(np.uint32))
        return sum(counts.values())

    def _array(self, name: str, values: npt.NDArray[Any]) -> None:
        start = self._aligned()
        self.out.write(values.tobytes())
        self._section(name, start)

    def _section(self, name: str, start: int) -> None:
        self.sections[name] = (start, self.out.tell())

    def _aligned(self) -> int:
        self.out.write(b"\0" * (-self.out.tell() % _ALIGN))
        return self.out.tell()


def _signature(text: str, ahead: str) -> npt.NDArray[np.uint8]:
    """The rows of one part, shape (2**14, bytes): bits of runs that begin in `text`."""
    folded = fold_places(text + ahead)
    codes = codes_of(folded.letters)
    blocks = -(-len(text) // BLOCK)
    width = -(-blocks // 8) * 8
    bits = np.zeros((grams.ROWS, width), dtype=np.bool_)
    rows = grams.runs(codes)
    _set(bits, rows, folded.offsets[: len(rows)], len(text))
    at, rows = grams.unspaced_runs(codes)
    _set(bits, rows, folded.offsets[at], len(text))
    return np.packbits(bits, axis=1)


def _set(
    bits: npt.NDArray[np.bool_], rows: grams.Rows, offsets: npt.NDArray[np.int64], length: int
) -> None:
    inside = offsets < length
    bits[rows[inside], offsets[inside] // BLOCK] = True
