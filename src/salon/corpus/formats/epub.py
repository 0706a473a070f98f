"""EPUB: the members of the reading order, each a part, out of an archive that is not trusted."""

from __future__ import annotations

import posixpath
import re
import urllib.parse
from typing import TYPE_CHECKING

from salon.corpus.extract import Drop, Extract, Facts, Heading, Part
from salon.corpus.formats.archive import Archive, xml_tree
from salon.corpus.formats.markup import as_html, parse, part_of
from salon.corpus.language import code_of
from salon.errors import SourceError

if TYPE_CHECKING:
    from lxml.etree import _Element

_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_DC = "{http://purl.org/dc/elements/1.1/}"
_NO_TITLE = frozenset({"untitled", "unknown", "no title", ""})


def read_epub(data: bytes, name: str) -> Extract:
    """A book's text in its reading order; headings as marked, else as its contents list them.

    A book whose container or package is missing or broken is read by what its archive holds, with
    a note. Raises SourceError for an archive that is damaged, is encrypted, or expands beyond its
    limits.
    """
    book = Archive(data, name, "an EPUB")
    package, base, notes = _package(book)
    items = {
        item.get("id", ""): _member(base, item.get("href", ""))
        for item in package.iterfind("{*}manifest/{*}item")
    }
    parts: list[Part] = []
    for member in _reading_order(book, package, items, notes):
        parts.append(_part(book, member))
    if not any(part.text.strip() for part in parts):
        raise SourceError(name, "it holds no text", expected="a book with a text, not only images")
    if not any(part.headings for part in parts):
        parts = _titled(parts, _contents(book, package, items, base))
    return Extract(
        kind="epub",
        parts=tuple(parts),
        facts=_facts(package),
        encoding="utf-8",
        marked=any(part.headings for part in parts),
        notes=tuple(notes),
    )


def _package(book: Archive) -> tuple[_Element, str, list[str]]:
    """The package document, the folder it stands in, and notes on how it had to be found."""
    from lxml import etree

    container = None
    if "META-INF/container.xml" in book.sizes:
        container = xml_tree(book.read("META-INF/container.xml"))
    root = container.find(".//{*}rootfile") if container is not None else None
    path = root.get("full-path", "") if root is not None else ""
    notes: list[str] = []
    if path not in book.sizes:
        path = min((each for each in book.sizes if each.lower().endswith(".opf")), default="")
        notes.append("its container names no package: what the archive holds was read")
    package = xml_tree(book.read(path)) if path else None
    if package is None:
        package = etree.Element("package")
    return package, posixpath.dirname(path), notes


def _reading_order(
    book: Archive, package: _Element, items: dict[str, str], notes: list[str]
) -> list[str]:
    """The members of the spine; without one, all pages by their names."""
    order: list[str] = []
    for reference in package.iterfind("{*}spine/{*}itemref"):
        member = items.get(reference.get("idref", ""), "")
        found = member if member in book.sizes else _alike(book, member)
        if found:
            order.append(found)
        else:
            notes.append(f"its reading order names a part that it does not hold: {member or '?'}")
    if order:
        return list(dict.fromkeys(order))
    pages = [each for each in book.sizes if each.lower().endswith((".xhtml", ".html", ".htm"))]
    if pages:
        notes.append("it has no reading order: its pages were read by their names")
    return sorted(pages, key=_by_number)


def _alike(book: Archive, member: str) -> str:
    """A member whose name differs in case only."""
    return next((each for each in book.sizes if each.lower() == member.lower()), "")


def _by_number(name: str) -> list[tuple[int, str]]:
    """Names in the order that their numbers have: page2 before page10."""
    pieces = re.split(r"(\d+)", name.lower())
    return [(int(each), "") if each.isdigit() else (0, each) for each in pieces]


def _member(base: str, href: str) -> str:
    """A member's name in the archive; a path that climbs out names none and so is missing."""
    path = urllib.parse.unquote(href.partition("#")[0])
    return posixpath.normpath(posixpath.join(base, path))


def _part(book: Archive, member: str) -> Part:
    tree = parse(as_html(book.text(member)), f"{book.name} ({member})")
    part = part_of(tree.body, member)
    if "advertisement" in posixpath.basename(member).lower():
        return Part(member, part.text, (), (Drop(0, len(part.text), "advertisement"),))
    return part


def _contents(
    book: Archive, package: _Element, items: dict[str, str], base: str
) -> dict[str, tuple[int, str]]:
    """Member to (level, title), by the book's table of contents: of EPUB 3, else of EPUB 2."""
    for item in package.iterfind("{*}manifest/{*}item"):
        member = _member(base, item.get("href", ""))
        is_contents = "nav" in (item.get("properties") or "").split() and member in book.sizes
        if is_contents and (titles := _navigation(book, member)):
            return titles
    spine = package.find("{*}spine")
    ncx = items.get(spine.get("toc", "") if spine is not None else "", "")
    if ncx not in book.sizes:
        ncx = min((each for each in book.sizes if each.lower().endswith(".ncx")), default="")
    root = xml_tree(book.read(ncx)) if ncx else None
    titles = {}
    for point in root.iterfind(".//{*}navPoint") if root is not None else ():
        content = point.find("{*}content")
        label = point.findtext("{*}navLabel/{*}text") or ""
        level = sum(1 for above in point.iterancestors() if above.tag == point.tag) + 1
        if content is not None:
            member = _member(posixpath.dirname(ncx), content.get("src", ""))
            titles.setdefault(member, (level, " ".join(label.split())))
    return titles


def _navigation(book: Archive, member: str) -> dict[str, tuple[int, str]]:
    """The titles of an EPUB 3 navigation document, each at the depth of its list."""
    root = xml_tree(book.read(member))
    titles: dict[str, tuple[int, str]] = {}
    navs = list(root.iterfind(".//{*}nav")) if root is not None else []
    tocs = [each for each in navs if "toc" in (each.get(_EPUB_TYPE) or "").split()] or navs[:1]
    for link in tocs[0].iterfind(".//{*}a") if tocs else ():
        level = sum(1 for above in link.iterancestors() if str(above.tag).endswith("}ol"))
        target = _member(posixpath.dirname(member), link.get("href", ""))
        title = " ".join("".join(map(str, link.itertext())).split())
        if title:
            titles.setdefault(target, (max(level, 1), title))
    return titles


def _titled(parts: list[Part], titles: dict[str, tuple[int, str]]) -> list[Part]:
    """Parts that begin with the heading that the contents give them."""
    titled: list[Part] = []
    for part in parts:
        level, title = titles.get(part.name, (0, ""))
        first = part.text.partition("\n")[0]
        end = len(first) if " ".join(first.split()).lower() == title.lower() else 0
        headings = (Heading(0, max(end, 1), level, title),) if title and part.text else ()
        titled.append(Part(part.name, part.text, headings, part.drops))
    return titled


def _facts(package: _Element) -> Facts:
    def first(tag: str) -> str:
        return " ".join((package.findtext(f".//{_DC}{tag}") or "").split())

    title = first("title")
    return Facts(
        title="" if title.lower() in _NO_TITLE else title,
        author=first("creator"),
        date=_date(package),
        language=code_of(first("language")),
        licence=first("rights"),
        origin=first("source") or first("identifier"),
    )


def _date(package: _Element) -> str:
    """The date of publication; the day that the file was made tells nothing of the text."""
    for node in package.iterfind(f".//{_DC}date"):
        event = next((value for key, value in node.attrib.items() if "event" in str(key)), "")
        if event not in ("conversion", "modification", "creation"):
            return (node.text or "").strip()
    return ""
