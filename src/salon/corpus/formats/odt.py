"""OpenDocument texts (odt, flat fodt): paragraphs, headings, lists, tables, footnotes apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from salon.corpus.extract import Extract, Facts
from salon.corpus.formats.archive import Archive, xml_tree
from salon.corpus.formats.writing import Writer
from salon.corpus.language import code_of
from salon.errors import SourceError

if TYPE_CHECKING:
    from lxml.etree import _Element

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
_TEXT, _OFFICE, _TABLE = f"{{{_NS}text:1.0}}", f"{{{_NS}office:1.0}}", f"{{{_NS}table:1.0}}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_SKIPPED = frozenset(
    {f"{_TEXT}tracked-changes", f"{_OFFICE}annotation", f"{_TEXT}table-of-content"}
    | {f"{_TEXT}ruby-text", f"{_OFFICE}forms"}
)
_DEEPEST = 60
_MOST_SPACES = 100


def read_odt(data: bytes, name: str) -> Extract:
    """The text as it stands with all changes accepted; raises SourceError when it is damaged."""
    if data.startswith(b"PK"):
        archive = Archive(data, name, "an OpenDocument text")
        root = archive.xml("content.xml")
        meta = archive.xml("meta.xml") if "meta.xml" in archive.sizes else None
    else:
        flat = xml_tree(data)
        if flat is None:
            raise SourceError(name, "it is not sound XML", expected="an OpenDocument text")
        root = meta = flat
    body = root.find(f".//{_OFFICE}text")
    writer = Writer()
    if body is not None:
        _blocks(body, writer, 0)
    if not writer.length:
        raise SourceError(name, "it holds no text", expected="a document with words in it")
    return Extract(
        kind="odt",
        parts=(writer.part(),),
        facts=_facts(meta),
        encoding="utf-8",
        marked=bool(writer.headings),
    )


def _blocks(element: _Element, writer: Writer, depth: int) -> None:
    for child in element:
        tag = child.tag
        if tag in _SKIPPED or not isinstance(tag, str) or depth > _DEEPEST:
            continue
        if tag in (f"{_TEXT}p", f"{_TEXT}h"):
            notes: list[tuple[str, str]] = []
            level = child.get(f"{_TEXT}outline-level", "1") if tag == f"{_TEXT}h" else "0"
            words = _words(child, notes)
            writer.paragraph(words, level=min(int(level), 9) if level.isdigit() else 1)
            for mark, note in notes:
                writer.note(note, mark)
        elif tag == f"{_TABLE}table-row":
            cells = [" ".join(_words(cell, []).split()) for cell in child]
            writer.paragraph("\t".join(cells), gap="\n")
        else:
            _blocks(child, writer, depth + 1)


def _words(element: _Element, notes: list[tuple[str, str]], depth: int = 0) -> str:
    found = [element.text or ""]
    for child in element:
        tag = child.tag
        if isinstance(tag, str) and tag not in _SKIPPED and depth < _DEEPEST:
            if tag == f"{_TEXT}s":
                count = child.get(f"{_TEXT}c", "1")
                found.append(" " * (min(int(count), _MOST_SPACES) if count.isdigit() else 1))
            elif tag == f"{_TEXT}tab":
                found.append("\t")
            elif tag == f"{_TEXT}line-break":
                found.append("\n")
            elif tag == f"{_TEXT}note":
                found.append(_note(child, notes))
            else:
                found.append(_words(child, notes, depth + 1))
                if tag == f"{_TEXT}p":
                    found.append(" ")
        found.append(child.tail or "")
    return "".join(found)


def _note(element: _Element, notes: list[tuple[str, str]]) -> str:
    mark = " ".join((element.findtext(f"{_TEXT}note-citation") or "").split()) or "*"
    body = element.find(f"{_TEXT}note-body")
    notes.append((mark, _words(body, []) if body is not None else ""))
    return f"[{mark}]"


def _facts(meta: _Element | None) -> Facts:
    def first(tag: str) -> str:
        return " ".join(((meta.findtext(f".//{tag}") if meta is not None else "") or "").split())

    author = first(f"{{{_NS}meta:1.0}}initial-creator") or first(f"{_DC}creator")
    return Facts(
        title=first(f"{_DC}title"), author=author, language=code_of(first(f"{_DC}language"))
    )
