"""JSON and JSON lines: one source a record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from salon.corpus.decode import decode
from salon.corpus.extract import Extract, Part
from salon.corpus.formats.chats import chat_extract, chats_of
from salon.corpus.formats.plain import facts_of
from salon.errors import SourceError
from salon.types import ReadOptions

_AS_READ = ReadOptions()

# The usual names of a record's text, likeliest first.
TEXT_FIELDS = (
    "text", "content", "body", "full_text", "fulltext", "passage", "paragraphs", "message",
    "transcript", "document", "article", "poem", "lines", "quote", "answer", "description",
)  # fmt: skip
_LIST_FIELDS = (
    "documents", "records", "items", "data", "entries", "posts", "messages", "articles", "letters",
    "poems", "results", "rows",
)  # fmt: skip
_LIMIT = 256 << 20
_DEEPEST = 50
_SHOWN_FIELDS = 12


def read_json(
    data: bytes, name: str, options: ReadOptions = _AS_READ
) -> Iterator[tuple[str, Extract]]:
    """Each record of a JSON document as (name with its number, extract); a chat export as chats.

    Raises SourceError when it is not JSON or no record has a text.
    """
    if len(data) > _LIMIT:
        raise SourceError(
            name,
            f"it is {len(data) / 1e6:.0f} MB of JSON",
            expected=f"at most {_LIMIT / 1e6:.0f} MB in one document",
            cure="make it JSON lines (one record a line, .jsonl)",
        )
    decoded = decode(data, name)
    try:
        document = json.loads(decoded.text)
    except (ValueError, RecursionError) as error:
        raise _not_json(name, str(error)) from error
    if conversations := chats_of(document):
        for number, chat in enumerate(conversations, 1):
            label = f"{name}#{number}" if len(conversations) > 1 else name
            yield label, chat_extract(chat, decoded.encoding, decoded.notes)
        return
    records = _records(document)
    yield from _sources(enumerate(records, 1), name, decoded.encoding, options, decoded.notes)


def read_json_lines(
    data: bytes, name: str, options: ReadOptions = _AS_READ
) -> Iterator[tuple[str, Extract]]:
    """Each line's record; the number in a source's name is the line's."""
    decoded = decode(data, name)
    texts = iter(decoded.text.split("\n"))
    yield from read_records(texts, name, decoded.encoding, options, decoded.notes)


def read_records(
    texts: Iterator[str],
    name: str,
    encoding: str,
    options: ReadOptions,
    notes: tuple[str, ...] = (),
) -> Iterator[tuple[str, Extract]]:
    """The record of each line of `texts`."""

    def records() -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(texts, 1):
            if not line.strip():
                continue
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise _not_json(name, f"line {number}: {error}") from error

    yield from _sources(records(), name, encoding, options, notes)


def _not_json(name: str, reason: str) -> SourceError:
    return SourceError(
        name,
        f"it is not JSON: {reason}",
        expected="a JSON document, or one JSON record a line in a .jsonl file",
        cure="correct the place named, or give the file the ending it deserves",
    )


def _records(document: Any) -> list[Any]:
    if isinstance(document, list):
        return document
    if isinstance(document, Mapping):
        for field in _LIST_FIELDS:
            value = document.get(field)
            if isinstance(value, list) and value and isinstance(value[0], Mapping):
                return value
    return [document]


def _sources(
    records: Iterator[tuple[int, Any]] | enumerate[Any],
    name: str,
    encoding: str,
    options: ReadOptions,
    notes: tuple[str, ...],
) -> Iterator[tuple[str, Extract]]:
    given = 0
    fields: dict[str, None] = {}
    for number, record in records:
        text = text_of(record, options.field)
        if isinstance(record, Mapping) and len(fields) < _SHOWN_FIELDS:
            fields.update(dict.fromkeys(map(str, record)))
        if not text.strip():
            continue
        given += 1
        yield f"{name}#{number}", record_extract(record, text, encoding, notes)
    if not given:
        raise no_text(name, list(fields)[:_SHOWN_FIELDS], options.field)


def record_extract(
    record: Any, text: str, encoding: str, notes: tuple[str, ...], kind: str = "json"
) -> Extract:
    """A record's text as a source, with what its other fields tell of it."""
    facts = facts_of(_named(record)) if isinstance(record, Mapping) else facts_of({})
    part = Part("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return Extract(kind, (part,), facts, encoding, notes=notes)


def no_text(name: str, fields: Sequence[str], wanted: str) -> SourceError:
    listed = ", ".join(fields)
    problem = f"no record has a text; its fields are {listed}" if listed else "it has no records"
    if wanted:
        problem = f"no record has a text in the field '{wanted}'; its fields are {listed}"
    return SourceError(
        name,
        problem,
        expected=f"records with one of {', '.join(TEXT_FIELDS[:5])}",
        cure="name the field that holds the text in sources.yaml (field: ...)",
    )


def _named(record: Mapping[str, Any]) -> dict[str, object]:
    fields = {str(key).lower(): value for key, value in record.items()}
    if "title" not in fields and isinstance(fields.get("chapter"), str):
        fields["title"] = fields["chapter"]
    return fields


def text_of(record: Any, field: str = "") -> str:
    """The record's text: a string, or a list of strings as paragraphs; `field` names it."""
    if field:
        return _joined(record.get(field)) if isinstance(record, Mapping) else ""
    if isinstance(record, str):
        return record
    if not isinstance(record, Mapping):
        return ""
    fields = {str(key).lower(): value for key, value in record.items()}
    for name in TEXT_FIELDS:
        text = _joined(fields.get(name))
        if text.strip():
            return text
    # No usual name: the longest string that reads like a text.
    longest = max((each for each in fields.values() if isinstance(each, str)), key=len, default="")
    return longest if len(longest) >= _DEEPEST and " " in longest.strip() else ""


def _joined(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "\n\n".join(value)
    return ""
