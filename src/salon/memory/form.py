"""The two forms of a memory: the canonical one, which is hashed, and its markdown file.

Canonical, format 1: the line `salon-memory 1`, then for each field in the order of `_FIELDS` its
name, the length of its value in UTF-8 bytes, and the value: `name:length:value` and a line feed.
Lengths make separators inside a value harmless. Tags are such values one in another. Nothing is
normalised or stripped. The id is the SHA-256 of these bytes in hex.

File, format 1: `---`, one line `name: value` a field with the value as JSON (which is YAML too),
`---`, then the text byte for byte, and one line feed more.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from salon.errors import InputError
from salon.types.memory import Memory

FORMAT = 1
LONGEST_TEXT = 1_000_000
"""Bytes of a memory's text."""
LONGEST_FILE = 1_200_000
_LONGEST_FIELD = 1_000

_FIELDS = (
    "kind",
    "created",
    "author",
    "about",
    "room",
    "source_message",
    "confidence",
    "tags",
    "replaces",
)
_ID = re.compile(r"[0-9a-f]{64}")
_KIND = re.compile(r"[a-z][a-z0-9-]{0,39}")
# What YAML reads as a line break or refuses, and what turns the direction of a terminal.
_ESCAPED = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_TOMB_FIELDS = ("kind", "created", "replaces")


class FormError(ValueError):
    """A file is not a memory's; the text says why."""


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def sealed(memory: Memory) -> Memory:
    """The memory with its id, its time in UTC and its confidence to 4 digits.

    Raises InputError for what cannot be kept: an empty or too long text, half characters, a time
    without a zone, a kind that is no word, a confidence outside 0 to 1.
    """
    _check_text(memory)
    if memory.created.utcoffset() is None:
        raise InputError(
            "the memory's time has no time zone",
            expected="a time with its zone, as 2026-03-01T10:00:00+00:00",
        )
    if not 0.0 <= memory.confidence <= 1.0:
        raise InputError(f"the confidence is {memory.confidence}", expected="a number from 0 to 1")
    if memory.replaces and not is_id(memory.replaces):
        raise InputError(f"{memory.replaces!r} is no id of a memory", expected="64 hex digits")
    plain = replace(
        memory,
        created=memory.created.astimezone(UTC),
        confidence=round(float(memory.confidence), 4) + 0.0,
        tags=tuple(dict.fromkeys(memory.tags)),
        redacted=False,
    )
    return replace(plain, id=hashlib.sha256(canonical(plain)).hexdigest())


def _check_text(memory: Memory) -> None:
    if not memory.text.strip():
        raise InputError("the memory is empty", expected="a text of at least one word")
    if not _KIND.fullmatch(memory.kind):
        raise InputError(
            f"{memory.kind!r} is no kind of memory",
            expected="a word of small letters, digits and hyphens, as fact or correction",
        )
    fields = (memory.author, memory.about, memory.room, memory.source_message, *memory.tags)
    for value, most in ((memory.text, LONGEST_TEXT), *((v, _LONGEST_FIELD) for v in fields)):
        try:
            size = len(value.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise InputError(
                f"the character at {error.start + 1:,} is only half of one",
                expected="whole Unicode characters",
            ) from error
        if size > most:
            raise InputError(
                f"the memory has a text or field of {size:,} bytes",
                expected=f"at most {most:,}",
                cure="keep what matters of it; long texts belong among the sources",
            )
    if len(memory.tags) > 100:
        raise InputError(f"the memory has {len(memory.tags):,} tags", expected="at most 100")


def canonical(memory: Memory) -> bytes:
    """The bytes that a memory's id is the hash of."""
    values = _values(memory)
    parts = [(name, _flat(values[name])) for name in _FIELDS]
    parts.append(("text", memory.text.encode("utf-8")))
    return b"salon-memory %d\n" % FORMAT + b"".join(
        b"%s:%d:%s\n" % (name.encode("ascii"), len(value), value) for name, value in parts
    )


def _flat(value: Any) -> bytes:
    if isinstance(value, list):
        items = [str(item).encode("utf-8") for item in value]
        return b"".join(b"%d:%s," % (len(item), item) for item in items)
    return (repr(value) if isinstance(value, float) else str(value)).encode("utf-8")


def _values(memory: Memory) -> dict[str, Any]:
    return {
        "kind": memory.kind,
        "created": written_time(memory.created),
        "author": memory.author,
        "about": memory.about,
        "room": memory.room,
        "source_message": memory.source_message,
        "confidence": memory.confidence,
        "tags": list(memory.tags),
        "replaces": memory.replaces,
    }


def written_time(time: datetime) -> str:
    """UTC with microseconds, always 27 characters from the year 1000 on."""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def render(memory: Memory) -> bytes:
    """The bytes of the memory's file."""
    values = _values(memory)
    names = _TOMB_FIELDS if memory.redacted else _FIELDS
    head = {"salon_memory": FORMAT, "id": memory.id, "redacted": memory.redacted}
    head |= {name: values[name] for name in names}
    lines = ["---", *(f"{name}: {_quoted(value)}" for name, value in head.items()), "---"]
    return "\n".join([*lines, memory.text]).encode("utf-8") + b"\n"


def _quoted(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def parse(data: bytes) -> Memory:
    """The memory of a file; raises FormError for every byte that `render` would not write.

    Front matter is read as JSON line by line, so that no tag, alias or anchor of YAML acts.
    """
    try:
        head, body = _split(data)
        memory = _built(head, body)
        right = memory.redacted or hashlib.sha256(canonical(memory)).hexdigest() == memory.id
        same = render(memory) == data
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, FormError):
            raise
        raise FormError("its front matter cannot be read") from error
    if not right or not same:
        raise FormError("its words are not those that were sealed")
    return memory


def _split(data: bytes) -> tuple[dict[str, Any], str]:
    end = data.find(b"\n---\n")
    if not data.startswith(b"---\n") or end < 0 or not data.endswith(b"\n"):
        raise FormError("it has no front matter")
    head: dict[str, Any] = {}
    for line in data[4:end].decode("utf-8").split("\n"):
        name, colon, value = line.partition(": ")
        if not colon or name in head:
            raise FormError("its front matter cannot be read")
        head[name] = json.loads(value)
    if isinstance(head.get("salon_memory"), int) and head["salon_memory"] > FORMAT:
        raise FormError(f"it is of format {head['salon_memory']}: a newer Salon wrote it")
    return head, data[end + 5 : -1].decode("utf-8")


def _built(head: dict[str, Any], body: str) -> Memory:
    wanted = _TOMB_FIELDS if head["redacted"] else _FIELDS
    if set(head) != {"salon_memory", "id", "redacted", *wanted} or not is_id(head["id"]):
        raise FormError("its front matter has other fields")
    if head["redacted"] and body:
        raise FormError("it was redacted and has a text")
    return Memory(
        id=head["id"],
        text=body,
        kind=head["kind"],
        created=datetime.fromisoformat(head["created"]),
        author=head.get("author", ""),
        room=head.get("room", ""),
        source_message=head.get("source_message", ""),
        confidence=head.get("confidence", 1.0),
        tags=tuple(head.get("tags", ())),
        redacted=bool(head["redacted"]),
        about=head.get("about", ""),
        replaces=head["replaces"],
    )
