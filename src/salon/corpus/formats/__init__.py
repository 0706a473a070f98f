"""Readers: one module a format, each from a file's bytes to an `Extract`."""

from __future__ import annotations

from collections.abc import Iterator

from salon.corpus.extract import Extract
from salon.corpus.formats import plain
from salon.errors import SourceError


def extract_file(data: bytes, name: str) -> Iterator[tuple[str, Extract]]:
    """What a file holds, as (name of the source, extract); raises SourceError when none."""
    if name.lower().endswith((".md", ".markdown")):
        yield name, plain.read_markdown(data, name)
    elif name.lower().endswith((".txt", ".text")):
        yield name, plain.read_text(data, name)
    else:
        raise SourceError(name, "it is in a format that is not read", expected="txt or md")
