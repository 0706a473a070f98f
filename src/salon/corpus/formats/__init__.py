"""Readers: one module a format, each from a file's bytes to an `Extract`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from salon.corpus.extract import Extract
from salon.corpus.formats.sniff import BY_ENDING, Format, foreign, known_format
from salon.errors import SourceError

_READ = "txt, md, html, epub, pdf, json or jsonl"


def extract_file(data: bytes, name: str) -> Iterator[tuple[str, Extract]]:
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
    for label, extract in _read(found, data, name):
        if named is not None and found != named and not (named == "md" and found == "html"):
            note = f"its name says {named}, but it is {found} and was read as such"
            yield label, replace(extract, notes=(note, *extract.notes))
        else:
            yield label, extract


def _read(found: Format, data: bytes, name: str) -> Iterator[tuple[str, Extract]]:
    if found == "txt":
        from salon.corpus.formats.plain import read_text

        yield name, read_text(data, name)
    elif found == "md":
        from salon.corpus.formats.plain import read_markdown

        yield name, read_markdown(data, name)
    elif found == "html":
        from salon.corpus.formats.web import read_html

        yield name, read_html(data, name)
    elif found == "epub":
        from salon.corpus.formats.epub import read_epub

        yield name, read_epub(data, name)
    elif found == "pdf":
        from salon.corpus.formats.pdf import read_pdf

        yield name, read_pdf(data, name)
    elif found == "json":
        from salon.corpus.formats.records import read_json

        yield from read_json(data, name)
    else:
        from salon.corpus.formats.records import read_json_lines

        yield from read_json_lines(data, name)
