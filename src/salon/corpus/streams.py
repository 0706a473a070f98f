"""Large text files: surveyed once for their encoding and hash, then read piece by piece."""

from __future__ import annotations

import codecs
import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from salon.corpus.decode import BOMS, decode, refuse_binary
from salon.corpus.encodings import label_of, sample_of, settle
from salon.corpus.mixed import MIXED

LARGE = 12 << 20
"""Files above so many bytes are read as streams."""

_BLOCK = 1 << 20
_SAMPLE = 64_000
_HEAD = 8_192


@dataclass(frozen=True, slots=True)
class Survey:
    """How a file's bytes become text. `skip` bytes at its beginning are a mark of byte order."""

    sha256: str
    codec: str
    errors: str
    label: str
    skip: int


def survey(file: BinaryIO, name: str, declared: str = "") -> Survey:
    """Read a file once; raises SourceError when it is no text."""
    digest = hashlib.sha256()
    ascii_only, strict = True, True
    utf8 = codecs.getincrementaldecoder("utf-8")()
    head = b""
    sample: list[bytes] = []
    sampled = 0
    file.seek(0)
    while block := file.read(_BLOCK):
        digest.update(block)
        head = head or block
        if block.isascii() and not utf8.getstate()[0]:
            continue
        ascii_only = False
        if strict:
            try:
                utf8.decode(block)
            except UnicodeDecodeError:
                strict = False
        if sampled < _SAMPLE:
            sample.append(sample_of(block))
            sampled += len(sample[-1])
    return _settled(
        digest.hexdigest(), head, b"".join(sample), declared, name, (ascii_only, strict)
    )


def _settled(
    sha256: str, head: bytes, sample: bytes, declared: str, name: str, plain: tuple[bool, bool]
) -> Survey:
    for mark, codec, label in BOMS:
        if head.startswith(mark):
            return Survey(sha256, codec, MIXED if codec == "utf-8" else "replace", label, len(mark))
    if b"\0" in head[:_HEAD]:
        label = decode(head[: _HEAD - _HEAD % 4], name, declared).encoding
        if label.startswith("utf-16"):
            codec = "utf-16-be" if label.endswith("be") else "utf-16-le"
            return Survey(sha256, codec, "replace", label, 0)
    ascii_only, strict = plain
    if ascii_only or strict:
        return Survey(sha256, "utf-8", MIXED, "ascii" if ascii_only else "utf-8", 0)
    refuse_binary(head, name)
    codec = settle(sample, declared)
    if codec == "utf-8":
        return Survey(sha256, "utf-8", MIXED, "utf-8", 0)
    return Survey(sha256, codec, "replace", label_of(codec, sample), 0)


def chunks(file: BinaryIO, found: Survey) -> Iterator[str]:
    """The file's text in order, every line end as "\\n"."""
    decoder = io.IncrementalNewlineDecoder(
        codecs.getincrementaldecoder(found.codec)(found.errors), translate=True
    )
    file.seek(found.skip)
    while block := file.read(_BLOCK):
        yield decoder.decode(block)
    yield decoder.decode(b"", final=True)


def lines(texts: Iterator[str]) -> Iterator[str]:
    """The lines of a text that comes in pieces, each with its end."""
    rest = ""
    for text in texts:
        found = (rest + text).split("\n")
        rest = found.pop()
        for line in found:
            yield line + "\n"
    if rest:
        yield rest


def volumes(texts: Iterator[str], size: int) -> Iterator[tuple[int, str]]:
    """The text in stretches of about `size` characters, each with where it begins.

    A stretch ends where most blank lines stand in its last quarter: before a chapter, or at least
    between paragraphs; a line that is longer than a stretch is parted at a space.
    """
    held: list[str] = []
    length = begun = 0
    for text in texts:
        held.append(text)
        length += len(text)
        while length > size:
            whole = "".join(held)
            end = _seam(whole, size)
            yield begun, whole[:end]
            begun += end
            held = [whole[end:]]
            length = len(held[0])
    rest = "".join(held)
    if rest:
        yield begun, rest


def _seam(text: str, size: int) -> int:
    for gap in ("\n\n\n\n\n", "\n\n\n\n", "\n\n\n", "\n\n", "\n", " "):
        at = text.rfind(gap, size * 3 // 4, size)
        if at >= 0:
            return at + len(gap)
    return size
