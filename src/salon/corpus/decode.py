"""Bytes to text: byte order marks, UTF-8, UTF-16, and the old encodings by plausibility.

See `encodings` for the last of them. What was repaired is counted, and what cannot be read stands
as a replacement character: nothing is dropped in silence.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from salon.corpus.encodings import label_of, sample_of, settle
from salon.corpus.mixed import repaired, undo_mojibake
from salon.errors import SourceError
from salon.types import Repair

BOMS = (
    (codecs.BOM_UTF8, "utf-8", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32le"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16be"),
)
_CONTROLS = re.compile(rb"[\x01-\x08\x0b\x0e-\x19\x1b-\x1f]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with every line end as "\\n"; `encoding` is its IANA-like name, lower case."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()


def decode(data: bytes, name: str, declared: str = "") -> Decoded:
    """Decode a text file's bytes; `declared` is what the file itself says, and may be wrong.

    Raises SourceError when the bytes are not text in any encoding that is known here.
    """
    decoded = _by_mark(data, name) or _unicode(data, declared) or _old(data, name, declared)
    text = decoded.text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text, mojibake = undo_mojibake(text)
    notes, repairs = decoded.notes, decoded.repairs
    if mojibake:
        notes += (f"{mojibake.count} lines had been decoded wrongly before and were put right",)
        repairs += (mojibake,)
    return Decoded(text, decoded.encoding, notes, repairs)


def _by_mark(data: bytes, name: str) -> Decoded | None:
    for mark, codec, label in BOMS:
        if data.startswith(mark):
            return _wide(data[len(mark) :], codec, label, name)
    return None


def _wide(data: bytes, codec: str, label: str, name: str) -> Decoded:
    if codec == "utf-8":
        return _mixed(data, label)
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        text = decoder.decode(data)
    except UnicodeDecodeError as error:
        raise SourceError(
            name,
            f"it begins with the mark of {label} but byte {error.start} cannot be read as such",
            expected="a text file in one encoding",
            cure="save it again as UTF-8",
        ) from error
    if decoder.getstate()[0]:
        return _cut_off(text, label)
    return Decoded(text, label)


def _cut_off(text: str, label: str) -> Decoded:
    """Text of a file that ends within a character."""
    note = f"the file ends in the middle of a character of {label}; those bytes were dropped"
    return Decoded(text, label, (note,), (Repair("lost byte", 1),))


def _unicode(data: bytes, declared: str) -> Decoded | None:
    if data.isascii() and b"\0" not in data[:4096]:
        return Decoded(data.decode("ascii"), "ascii")
    even, odd = data[:4096:2].count(0), data[1:4096:2].count(0)
    half = max(1, min(len(data), 4096) // 2)
    if max(even, odd) > 0.3 * half and min(even, odd) < 0.05 * half:
        codec, label = ("utf-16-be", "utf-16be") if even > odd else ("utf-16-le", "utf-16le")
        return _wide(data, codec, label, "")
    if data.isascii():
        return Decoded(data.decode("ascii"), "ascii")
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and _has_multibyte(data[: error.start]):
            return _cut_off(data[: error.start].decode("utf-8"), "utf-8")
    return None


def _has_multibyte(data: bytes) -> bool:
    return not data.isascii()


def _old(data: bytes, name: str, declared: str) -> Decoded:
    refuse_binary(data, name)
    codec = settle(sample_of(data), declared)
    if codec == "utf-8":
        return _mixed(data, "utf-8")
    text = data.decode(codec, "replace")
    lost = text.count("\ufffd")
    if not lost:
        return Decoded(text, label_of(codec, data))
    note = f"{lost} bytes have no meaning in {codec} and stand as \ufffd"
    return Decoded(text, label_of(codec, data), (note,), (Repair("lost byte", lost),))


def _mixed(data: bytes, label: str) -> Decoded:
    text, repairs = repaired(data)
    if not repairs:
        return Decoded(text, label)
    note = f"{repairs} characters were not UTF-8 and were read as windows-1252"
    return Decoded(text, label, (note,), (Repair("mixed bytes", repairs),))


def refuse_binary(data: bytes, name: str) -> None:
    """Text holds almost no control characters; random bytes are a tenth of them."""
    head = data[:65536]
    odd = len(_CONTROLS.findall(head)) + head.count(0)
    if odd > 0.02 * len(head):
        raise SourceError(
            name,
            f"it is not text: {odd} of its first {len(head)} bytes are control characters",
            expected="a text file",
            cure="convert it to text, or take it out of the folder",
        )
