"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

import io
import zipfile
from typing import Literal

Format = Literal["txt", "md", "html", "epub", "pdf", "json", "jsonl"]

BY_ENDING: dict[str, Format] = {
    ".txt": "txt", ".text": "txt", "": "txt",
    ".md": "md", ".markdown": "md",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".epub": "epub", ".pdf": "pdf",
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
}  # fmt: skip

_PICTURE, _SOUND, _ARCHIVE, _PROGRAM = "a picture", "sound or film", "an archive", "a program"
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n", _PICTURE), (b"\xff\xd8\xff", _PICTURE), (b"GIF8", _PICTURE),
    (b"II*\0", _PICTURE), (b"MM\0*", _PICTURE), (b"BM", _PICTURE), (b"8BPS", _PICTURE),
    (b"AT&TFORM", "a DjVu scan"), (b"\0\0\1\0", _PICTURE), (b"\0\0\0\x0cjP  ", _PICTURE),
    (b"RIFF", "a picture or sound"), (b"ID3", _SOUND), (b"OggS", _SOUND), (b"fLaC", _SOUND),
    (b"\x1aE\xdf\xa3", _SOUND), (b"\x1f\x8b", _ARCHIVE), (b"7z\xbc\xaf", _ARCHIVE),
    (b"Rar!", _ARCHIVE), (b"BZh", _ARCHIVE), (b"\xfd7zXZ", _ARCHIVE), (b"(\xb5/\xfd", _ARCHIVE),
    (b"\x7fELF", _PROGRAM), (b"\xca\xfe\xba\xbe", _PROGRAM),
    (b"\xd0\xcf\x11\xe0", "an old Office document"), (b"{\\rtf", "a Rich Text document"),
    (b"SQLite format 3\0", "a database"), (b"wOFF", "a font"), (b"wOF2", "a font"),
    (b"%!PS", "a PostScript document"),
)  # fmt: skip
_SHORT = 2
_TEXT_BYTES = bytes(range(32, 127)) + b"\t\n\r\f"


def known_format(data: bytes) -> Format | None:
    """The format that the bytes say they are, where it is one that is read and is unmistakable."""
    head = data[:1_024].lstrip(b"\xef\xbb\xbf\r\n\t ")
    if head.startswith(b"%PDF-"):
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return "epub" if _archive(data) == "epub" else None
    lowered = head.lower()
    if lowered.startswith((b"<!doctype html", b"<html")):
        return "html"
    if lowered.startswith(b"<?xml") and (b"<!doctype html" in lowered or b"<html" in lowered):
        return "html"
    return None


def foreign(data: bytes) -> str:
    """What the bytes are when it is nothing that is read ("a picture"), else ""."""
    if data.startswith(b"PK\x03\x04"):
        kind = _archive(data)
        return "" if kind == "epub" else kind
    for signature, what in _SIGNATURES:
        if data.startswith(signature) and not (len(signature) == _SHORT and _is_texty(data)):
            return what
    if data[4:8] == b"ftyp":
        return _SOUND
    return _PROGRAM if data.startswith(b"MZ") and not _is_texty(data) else ""


def _is_texty(data: bytes) -> bool:
    """A text may well begin with "BM"; a picture has bytes that no text has."""
    return not data[:512].translate(None, _TEXT_BYTES)


def _archive(data: bytes) -> str:
    try:
        names = set(zipfile.ZipFile(io.BytesIO(data)).namelist())
    except (zipfile.BadZipFile, ValueError, OSError):
        return "epub" if b"application/epub+zip" in data[:200] else "a damaged archive"
    if "META-INF/container.xml" in names:
        return "epub"
    if "word/document.xml" in names:
        return "a Word document"
    if "content.xml" in names:
        return "an OpenDocument file"
    return "an Office document" if "[Content_Types].xml" in names else _ARCHIVE
