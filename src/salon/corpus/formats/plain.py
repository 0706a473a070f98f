"""Plain text and Markdown: the part is the whole file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

import yaml

from salon.corpus import gutenberg
from salon.corpus.decode import decode
from salon.corpus.extract import Drop, Extract, Facts, Heading, Part
from salon.corpus.formats.chats import chat_extract, whatsapp
from salon.corpus.furniture import text_drops
from salon.corpus.language import code_of
from salon.corpus.mixed import counted, undo_mojibake
from salon.corpus.streams import Survey, chunks, volumes
from salon.types import Repair

VOLUME = 8_000_000
"""A large text is read in volumes of about so many characters."""


DECLARED = re.compile(rb"Character set encoding: *([\w-]+)", re.IGNORECASE)
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_NO_TITLE = ("    ", ">", "|", "-")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")


def read_text(data: bytes, name: str) -> Extract:
    """A plain text in any encoding; an exported WhatsApp chat as what was said."""
    declared = DECLARED.search(data[:8_000])
    decoded = decode(data, name, declared.group(1).decode("ascii") if declared else "")
    if chat := whatsapp(decoded.text):
        return chat_extract(chat, decoded.encoding, decoded.notes)
    return Extract(
        kind="txt",
        parts=(text_part(decoded.text),),
        encoding=decoded.encoding,
        notes=decoded.notes,
        repairs=decoded.repairs,
    )


def read_text_stream(
    file: BinaryIO, found: Survey, name: str, size: int = VOLUME
) -> Iterator[tuple[str, Extract]]:
    """A large plain text in volumes ("logs.txt#2"), each with its place in the whole."""
    facts, goes_on = Facts(), False
    before = counted()
    for number, (base, text) in enumerate(volumes(chunks(file, found), size), 1):
        if number == 1:
            facts, goes_on = gutenberg.facts(text), gutenberg.is_gutenberg(text)
        if not text.strip():
            continue
        text, mojibake = undo_mojibake(text)
        title = f"{facts.title}, volume {number}" if facts.title else ""
        repairs = [mojibake] if mojibake else []
        if lost := text.count("\ufffd"):
            repairs.append(Repair("lost byte", lost))
        # Reading runs a little ahead of the volume's end: together the volumes count every byte.
        if mixed := counted() - before:
            repairs.append(Repair("mixed bytes", mixed))
        before += mixed
        yield (
            f"{name}#{number}",
            Extract(
                kind="txt",
                parts=(text_part(text, base),),
                facts=replace(facts, title=title),
                encoding=found.label,
                notes=(f"it is large: this is its volume {number}, from character {base}",),
                repairs=tuple(repairs),
                goes_on=goes_on and number > 1,
            ),
        )


def text_part(text: str, base: int = 0) -> Part:
    """Running text as a part, without what a printed page carries besides."""
    return Part("", text, drops=text_drops(text), base=base, flows=True)


def read_markdown(data: bytes, name: str) -> Extract:
    """Markdown as it is written; its front matter gives the facts, comments are left out."""
    decoded = decode(data, name)
    text = decoded.text
    front = _FRONT.match(text)
    facts, notes = _front_facts(front.group(1) if front else "", name)
    drops = [Drop(*front.span(), "front matter")] if front else []
    drops += [Drop(*match.span(), "comment") for match in _COMMENT.finditer(text)]
    headings = _headings(text, front.end() if front else 0)
    if not facts.title and headings and headings[0].level == 1:
        facts = Facts(title=headings[0].title).over(facts)
    return Extract(
        kind="md",
        parts=(Part("", text, headings, tuple(drops)),),
        facts=facts,
        encoding=decoded.encoding,
        marked=bool(headings),
        notes=decoded.notes + notes,
    )


def _front_facts(front: str, name: str) -> tuple[Facts, tuple[str, ...]]:
    if not front:
        return Facts(), ()
    try:
        fields = yaml.safe_load(front)
    except yaml.YAMLError:
        return Facts(), ("its front matter is not YAML, so title and date were not taken from it",)
    if not isinstance(fields, dict):
        return Facts(), ()
    return facts_of({str(key).lower(): value for key, value in fields.items()}), ()


def facts_of(fields: dict[str, object]) -> Facts:
    """Facts from named values, whatever file they came from."""

    def first(*names: str) -> str:
        for name in names:
            value = fields.get(name)
            if isinstance(value, list) and value:
                return ", ".join(str(each) for each in value)
            if value not in (None, "", []) and not isinstance(value, dict):
                return " ".join(str(value).split())
        return ""

    return Facts(
        title=first("title", "headline", "subject", "name"),
        author=first("author", "authors", "creator", "by"),
        date=first("date", "published", "created", "created_at", "year", "timestamp"),
        language=code_of(first("language", "lang")),
        licence=first("licence", "license", "rights"),
        origin=first("origin", "url", "link", "source"),
    )


def _headings(text: str, begin: int) -> tuple[Heading, ...]:
    found: list[Heading] = []
    fence = ""
    at, before = begin, ""
    for line in text[begin:].split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and line.strip().startswith(fence) else fence
        elif mark:
            fence = mark.group(1)
        elif heading := _ATX.match(line):
            title = _plain(heading.group(2))
            found.append(Heading(at, at + len(line), len(heading.group(1)), title))
        elif _SETEXT.match(line) and before.strip() and not before.startswith(_NO_TITLE):
            level = 1 if "=" in line else 2
            start = at - len(before) - 1
            found.append(Heading(start, at + len(line), level, _plain(before)))
        at += len(line) + 1
        before = line if not fence else ""
    return tuple(found)


def _plain(title: str) -> str:
    """A heading's words without emphasis, code marks and link targets."""
    title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}", "", title).strip()
