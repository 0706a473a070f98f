"""Readers: one module a format, each from a file's bytes to an `Extract`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import BinaryIO

from salon.corpus.extract import Extract
from salon.corpus.formats.plain import DECLARED, read_text_stream
from salon.corpus.formats.sniff import BY_ENDING, Format, foreign, known_format
from salon.corpus.streams import chunks, lines, survey
from salon.errors import SourceError
from salon.types import ReadOptions

_AS_READ = ReadOptions()
_HEAD = 65_536
_READ = (
    "txt, md, html, epub, pdf, docx, odt, rtf, json, jsonl, csv, tsv, srt, vtt, TEI-XML,"
    " or a picture whose text is recognised"
)
# Format to its module and function. What opens a vendor's library is imported when it is needed.
_READERS: dict[Format, tuple[str, str]] = {
    "txt": ("plain", "read_text"),
    "md": ("plain", "read_markdown"),
    "html": ("web", "read_html"),
    "epub": ("epub", "read_epub"),
    "pdf": ("pdf", "read_pdf"),
    "docx": ("word", "read_docx"),
    "odt": ("odt", "read_odt"),
    "rtf": ("rtf", "read_rtf"),
    "json": ("records", "read_json"),
    "jsonl": ("records", "read_json_lines"),
    "csv": ("rows", "read_csv"),
    "srt": ("subtitles", "read_subtitles"),
    "xml": ("tei", "read_xml"),
    "image": ("images", "read_image"),
}
_MANY = frozenset({"json", "jsonl", "csv"})
"""Formats that may hold many sources."""
_PICTURED = frozenset({"pdf", "image"})
"""Formats whose pages may be pictures."""
_BINARY = {
    "epub": "an EPUB", "pdf": "a PDF", "docx": "a Word document", "odt": "an OpenDocument text",
    "rtf": "a Rich Text document", "image": "a picture",
}  # fmt: skip


def read_stream(
    file: BinaryIO, name: str, options: ReadOptions
) -> tuple[str, Iterator[tuple[str, Extract]]] | None:
    """A large file as (sha256, its extracts one by one); None for formats that are read whole."""
    head = file.read(_HEAD)
    file.seek(0)
    named = BY_ENDING.get(PurePosixPath(name).suffix.lower())
    if named not in ("txt", "jsonl", "csv") or foreign(head) or known_format(head):
        return None
    declared = DECLARED.search(head)
    found = survey(file, name, declared.group(1).decode("ascii") if declared else "")
    if named == "txt":
        return found.sha256, read_text_stream(file, found, name)
    from salon.corpus.formats.records import read_records
    from salon.corpus.formats.rows import read_rows

    texts = lines(chunks(file, found))
    read = read_records if named == "jsonl" else read_rows
    return found.sha256, read(texts, name, found.label, options)


def extract_file(
    data: bytes, name: str, options: ReadOptions = _AS_READ
) -> Iterator[tuple[str, Extract]]:
    """What a file holds, as (name of the source, extract).

    The bytes decide before the name does: a PDF that is called .txt is read as a PDF, with a note.
    Raises SourceError when it is in no format that is read, is empty, or is damaged.
    """
    ending = PurePosixPath(name).suffix.lower()
    named = BY_ENDING.get(ending)
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf\xff\xfe"):
        raise SourceError(
            name, "it is empty", expected="a file with text", cure="take it out of the folder"
        )
    what = foreign(data)
    if what:
        raise SourceError(
            name,
            f"it is {what}" if named is None else f"it is {what}, not {ending or 'text'}",
            expected=_READ,
            cure="convert it to one of these, or take it out of the folder",
        )
    found = known_format(data) or named
    if found is None:
        raise SourceError(
            name,
            f"files ending in {ending} are not read",
            expected=_READ,
            cure="convert it to one of these, or take it out of the folder",
        )
    if found in _BINARY and known_format(data) is None:
        raise SourceError(
            name,
            f"it is not {_BINARY[found]}, as its name says",
            expected=_READ,
            cure="give the file the ending it deserves, or fetch it again",
        )
    for label, extract in _read(found, data, name, options):
        if named is not None and found != named and not _goes_with(named, found):
            note = f"its name says {named}, but it is {found} and was read as such"
            yield label, replace(extract, notes=(note, *extract.notes))
        else:
            yield label, extract


def _goes_with(named: Format, found: Format) -> bool:
    return (named, found) in {("md", "html"), ("xml", "tei"), ("html", "xml"), ("txt", "xml")}


def _read(
    found: Format, data: bytes, name: str, options: ReadOptions
) -> Iterator[tuple[str, Extract]]:
    module, function = _READERS[found]
    read = getattr(importlib.import_module(f"salon.corpus.formats.{module}"), function)
    if found in _MANY:
        yield from read(data, name, options)
    elif found in _PICTURED:
        yield name, read(data, name, options.recognised)
    else:
        yield name, read(data, name)
