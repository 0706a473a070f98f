"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

import io
import zipfile
from typing import Literal

Format = Literal[
    "txt", "md", "html", "epub", "pdf", "docx", "odt", "rtf", "json", "jsonl", "csv", "srt", "xml",
    "image",
]  # fmt: skip

BY_ENDING: dict[str, Format] = {
    ".txt": "txt", ".text": "txt", ".log": "txt", "": "txt",
    ".md": "md", ".markdown": "md",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".epub": "epub", ".pdf": "pdf",
    ".docx": "docx", ".docm": "docx", ".odt": "odt", ".fodt": "odt", ".rtf": "rtf",
    ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".csv": "csv", ".tsv": "csv", ".tab": "csv",
    ".srt": "srt", ".vtt": "srt",
    ".xml": "xml", ".tei": "xml",
    ".tif": "image", ".tiff": "image", ".png": "image", ".jpg": "image", ".jpeg": "image",
}  # fmt: skip

_PICTURE, _SOUND, _ARCHIVE, _PROGRAM = "a picture", "sound or film", "an archive", "a program"
_IMAGES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"GIF8", _PICTURE), (b"BM", _PICTURE), (b"8BPS", _PICTURE),
    (b"AT&TFORM", "a DjVu scan"), (b"\0\0\1\0", _PICTURE), (b"\0\0\0\x0cjP  ", _PICTURE),
    (b"RIFF", "a picture or sound"), (b"ID3", _SOUND), (b"OggS", _SOUND), (b"fLaC", _SOUND),
    (b"\x1aE\xdf\xa3", _SOUND), (b"\x1f\x8b", _ARCHIVE), (b"7z\xbc\xaf", _ARCHIVE),
    (b"Rar!", _ARCHIVE), (b"BZh", _ARCHIVE), (b"\xfd7zXZ", _ARCHIVE), (b"(\xb5/\xfd", _ARCHIVE),
    (b"\x7fELF", _PROGRAM), (b"\xca\xfe\xba\xbe", _PROGRAM),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
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
    if head.startswith(b"{\\rtf"):
        return "rtf"
    if head.startswith(_IMAGES):
        return "image"
    if data.startswith(b"PK\x03\x04"):
        return _DOCUMENTS.get(_archive(data))
    if head.startswith(b"WEBVTT"):
        return "srt"
    return _markup(head.lower())


def _markup(head: bytes) -> Format | None:
    if head.startswith((b"<!doctype html", b"<html")):
        return "html"
    if head.startswith((b"<tei", b"<teicorpus")):
        return "xml"
    if not head.startswith(b"<?xml"):
        return None
    if b"<office:document" in head:
        return "odt"
    return "html" if b"<!doctype html" in head or b"<html" in head else "xml"


def foreign(data: bytes) -> str:
    """What the bytes are when it is nothing that is read ("a program"), else ""."""
    if data.startswith(b"PK\x03\x04"):
        kind = _archive(data)
        return "" if kind in _DOCUMENTS else kind
    for signature, what in _SIGNATURES:
        if data.startswith(signature) and not (len(signature) == _SHORT and _is_texty(data)):
            return what
    if data[4:8] == b"ftyp":
        return _SOUND
    return _PROGRAM if data.startswith(b"MZ") and not _is_texty(data) else ""


def _is_texty(data: bytes) -> bool:
    """A text may well begin with "BM"; a picture has bytes that no text has."""
    return not data[:512].translate(None, _TEXT_BYTES)


_DOCUMENTS: dict[str, Format] = {"epub": "epub", "docx": "docx", "odt": "odt"}


def _archive(data: bytes) -> str:
    """What a zip archive holds: "epub", "docx", "odt", or words for what is not read."""
    try:
        names = set(zipfile.ZipFile(io.BytesIO(data)).namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return "epub" if b"application/epub+zip" in data[:200] else "a damaged archive"
    if "META-INF/container.xml" in names or any(name.endswith(".opf") for name in names):
        return "epub"
    if "word/document.xml" in names:
        return "docx"
    if "content.xml" in names:
        return "odt" if b"opendocument.text" in data[:200] else "an OpenDocument file"
    return "an Office document" if "[Content_Types].xml" in names else _ARCHIVE
