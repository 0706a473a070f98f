"""Word documents (docx): paragraphs, headings by style, tables by rows, footnotes apart."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING, Any

from salon.corpus.extract import Extract, Facts
from salon.corpus.formats.archive import Archive, xml_tree
from salon.corpus.formats.writing import Writer
from salon.errors import SourceError

if TYPE_CHECKING:
    from docx.document import Document
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVEL = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop) ?([1-9])$", re.IGNORECASE)
# Deleted by a tracked change, alternatives of what stands beside them, and phonetic guides.
_SKIPPED = frozenset(
    {f"{_W}del", f"{_W}delText", f"{_W}instrText", f"{_W}rt", f"{_W}moveFrom", f"{_W}pPr"}
    | {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"}
)
_DEEPEST = 60


def read_docx(data: bytes, name: str) -> Extract:
    """A document's text as it stands with all changes accepted.

    Raises SourceError when it is damaged, or expands beyond limits.
    """
    archive = Archive(data, name, "a Word document")
    for member in archive.sizes:
        if member.endswith((".xml", ".rels")):
            archive.read(member)  # within limits, before the library opens the same members
    document = _opened(data, archive)
    writer = Writer()
    notes = _notes(archive)
    styles = _levels(document)
    _body(document.element.body, writer, styles, notes)
    if not writer.length:
        raise SourceError(name, "it holds no text", expected="a document with words in it")
    return Extract(
        kind="docx",
        parts=(writer.part(),),
        facts=_facts(document),
        encoding="utf-8",
        marked=bool(writer.headings),
    )


def _opened(data: bytes, archive: Archive) -> Document:
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import XMLSyntaxError

    try:
        return docx.Document(io.BytesIO(data))
    except (OpcError, KeyError, ValueError, XMLSyntaxError, zipfile.BadZipFile) as error:
        raise archive.damaged(str(error) or type(error).__name__) from error
    except (AttributeError, TypeError, AssertionError, NotImplementedError, OSError) as error:
        # python-docx meets a part that lacks what the format demands.
        raise archive.damaged(f"a part of it is malformed ({error})") from error


def _levels(document: Document) -> dict[str, int]:
    """The heading level of each paragraph style that is one."""
    levels: dict[str, int] = {}
    for style in document.styles.element.iterfind(f"{_W}style"):
        named = style.find(f"{_W}name")
        title = named.get(f"{_W}val", "") if named is not None else ""
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        match = _LEVEL.match(title)
        value = outline.get(f"{_W}val", "") if outline is not None else ""
        if match:
            levels[style.get(f"{_W}styleId", "")] = int(match.group(1))
        elif value.isdigit() and int(value) < 9:
            levels[style.get(f"{_W}styleId", "")] = int(value) + 1
        elif title.lower() == "title":
            levels[style.get(f"{_W}styleId", "")] = 1
    return levels


def _body(body: _Element, writer: Writer, styles: dict[str, int], notes: dict[str, str]) -> None:
    for block in body.iter(f"{_W}p", f"{_W}tr"):
        if block.tag == f"{_W}tr":
            cells = [_cell(cell) for cell in block.iterfind(f"{_W}tc")]
            nested = any(each.tag == f"{_W}tr" for each in block.iterancestors())
            if not nested:
                writer.paragraph("\t".join(cells), gap="\n")
            continue
        if any(above.tag in (f"{_W}tr", f"{_W}txbxContent") for above in block.iterancestors()):
            continue
        style = block.find(f"{_W}pPr/{_W}pStyle")
        level = styles.get(style.get(f"{_W}val", ""), 0) if style is not None else 0
        marks: list[str] = []
        writer.paragraph(_words(block, marks), level=level)
        for mark in marks:
            writer.note(notes.get(mark, ""), mark.rpartition(" ")[2])


def _cell(cell: _Element) -> str:
    return " ".join(" ".join(_words(p, []).split()) for p in cell.iter(f"{_W}p")).strip()


def _words(element: _Element, marks: list[str], depth: int = 0) -> str:
    """The text of a paragraph; `marks` collects the footnotes that it refers to."""
    found: list[str] = []
    for child in element:
        tag = child.tag
        if tag in _SKIPPED or not isinstance(tag, str):
            continue
        if tag == f"{_W}t":
            found.append(child.text or "")
        elif tag in (f"{_W}tab", f"{_W}ptab"):
            found.append("\t")
        elif tag in (f"{_W}br", f"{_W}cr"):
            found.append("\n")
        elif tag == f"{_W}noBreakHyphen":
            found.append("-")
        elif tag in (f"{_W}footnoteReference", f"{_W}endnoteReference"):
            kind = "footnote" if tag.endswith("footnoteReference") else "endnote"
            number = child.get(f"{_W}id", "")
            marks.append(f"{kind} {number}")
            found.append(f"[{number}]")
        elif depth < _DEEPEST:
            found.append(_words(child, marks, depth + 1))
    return "".join(found)


def _notes(archive: Archive) -> dict[str, str]:
    """The footnotes and endnotes by kind and number."""
    found: dict[str, str] = {}
    for kind in ("footnote", "endnote"):
        member = f"word/{kind}s.xml"
        root = xml_tree(archive.read(member)) if member in archive.sizes else None
        for note in root.iterfind(f"{_W}{kind}") if root is not None else ():
            if note.get(f"{_W}type", "normal") == "normal":
                words = " ".join(_words(p, []) for p in note.iterfind(f"{_W}p"))
                found[f"{kind} {note.get(f'{_W}id', '')}"] = words
    return found


def _facts(document: Document) -> Facts:
    try:
        properties: Any = document.core_properties
        title, author = properties.title or "", properties.author or ""
    except (ValueError, KeyError, AttributeError):
        return Facts()
    return Facts(title=title.strip(), author="" if author == "python-docx" else author.strip())
