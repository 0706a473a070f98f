"""Plain text and Markdown: the part is the whole file."""

from __future__ import annotations

import re

import yaml

from salon.corpus.decode import decode
from salon.corpus.extract import Drop, Extract, Facts, Heading, Part
from salon.corpus.language import code_of

_DECLARED = re.compile(rb"Character set encoding: *([\w-]+)", re.IGNORECASE)
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_NO_TITLE = ("    ", ">", "|", "-")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")


def read_text(data: bytes, name: str) -> Extract:
    """A plain text in any encoding."""
    declared = _DECLARED.search(data[:8_000])
    decoded = decode(data, name, declared.group(1).decode("ascii") if declared else "")
    return Extract(
        kind="txt",
        parts=(Part("", decoded.text),),
        encoding=decoded.encoding,
        notes=decoded.notes,
    )


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
