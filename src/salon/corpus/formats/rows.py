"""Tables of texts (csv, tsv): one source a row, its text in the column that is chosen or named."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import chain, islice

from salon.corpus.decode import decode
from salon.corpus.extract import Extract
from salon.corpus.formats.records import TEXT_FIELDS, no_text, record_extract
from salon.errors import SourceError
from salon.types import ReadOptions

_AS_READ = ReadOptions()
_DELIMITERS = ",\t;|"
_SAMPLE_ROWS = 50
_LONGEST_CELL = 16 << 20
_NAME = re.compile(r"[^\W\d][\w .:/()-]{0,60}$")


def read_csv(
    data: bytes, name: str, options: ReadOptions = _AS_READ
) -> Iterator[tuple[str, Extract]]:
    """Each row as (name with its number, extract); the first row may name the columns."""
    decoded = decode(data, name)
    texts = iter(decoded.text.splitlines(keepends=True))
    yield from read_rows(texts, name, decoded.encoding, options, decoded.notes)


def read_rows(
    texts: Iterator[str],
    name: str,
    encoding: str,
    options: ReadOptions,
    notes: tuple[str, ...] = (),
) -> Iterator[tuple[str, Extract]]:
    """The rows of lines of text. Raises SourceError when no column holds a text."""
    csv.field_size_limit(_LONGEST_CELL)
    first = list(islice(texts, _SAMPLE_ROWS))
    delimiter = _delimiter(name, first)
    rows = csv.reader(
        (line.replace("\0", "") for line in chain(first, texts)), delimiter=delimiter, strict=False
    )
    try:
        sample = [row for row in islice(rows, _SAMPLE_ROWS) if any(row)]
        names, begun = _names(sample)
        field = options.field or _text_column(names, sample[begun:])
        if field not in names:
            raise no_text(name, names, options.field)
        yield from _rows(chain(sample[begun:], rows), names, field, name, encoding, notes)
    except csv.Error as error:
        raise SourceError(
            name,
            f"it is not a sound table: {error}",
            expected="rows of the same columns, with quotation marks around texts",
            cure="save it again as CSV from a spreadsheet program",
        ) from error


def _rows(
    rows: Iterator[list[str]],
    names: list[str],
    field: str,
    name: str,
    encoding: str,
    notes: tuple[str, ...],
) -> Iterator[tuple[str, Extract]]:
    given = 0
    for number, row in enumerate(rows, 1):
        record = dict(zip(names, row, strict=False))
        text = record.pop(field, "")
        if not text.strip():
            continue
        given += 1
        yield f"{name}#{number}", record_extract(record, text, encoding, notes, "csv")
    if not given:
        raise no_text(name, names, field)


def _delimiter(name: str, lines: list[str]) -> str:
    """The mark that stands most evenly in the lines; a .tsv has tabs."""
    if name.lower().endswith((".tsv", ".tab")):
        return "\t"
    head = lines[0] if lines else ""
    return max(_DELIMITERS, key=head.count)


def _names(sample: list[list[str]]) -> tuple[list[str], int]:
    """The columns' names and the number of rows that they take."""
    if not sample:
        return [], 0
    head = [cell.strip().lstrip("\ufeff") for cell in sample[0]]
    named = len(head) == len(set(head)) and all(map(_NAME.match, head)) and len(sample) > 1
    if named and max(map(len, head)) <= 40:
        return head, 1
    return [f"column {number}" for number in range(1, max(map(len, sample)) + 1)], 0


def _text_column(names: list[str], rows: list[list[str]]) -> str:
    """A usual name, else the column with the longest texts on average."""
    lowered = {each.lower(): each for each in names}
    for usual in TEXT_FIELDS:
        if usual in lowered:
            return lowered[usual]
    lengths = {
        each: sum(len(row[place]) for row in rows if place < len(row) and " " in row[place])
        for place, each in enumerate(names)
    }
    best = max(lengths, key=lambda each: lengths[each], default="")
    return best if best and lengths[best] >= 20 * max(len(rows), 1) else ""
