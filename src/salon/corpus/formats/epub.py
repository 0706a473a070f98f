"""EPUB: the members of the reading order, each a part, out of an archive that is not trusted."""

from __future__ import annotations

import io
import posixpath
import urllib.parse
import zipfile
import zlib
from typing import TYPE_CHECKING

from salon.corpus.decode import decode
from salon.corpus.extract import Drop, Extract, Facts, Heading, Part
from salon.corpus.formats.markup import as_html, parse, part_of
from salon.corpus.language import code_of
from salon.errors import SourceError

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST_MEMBERS = 10_000
_MOST_BYTES = 512 << 20
_MOST_MEMBER_BYTES = 64 << 20
_HIGHEST_RATIO = 200
_RATIO_FROM = 1 << 20
_DC = "{http://purl.org/dc/elements/1.1/}"
_NO_TITLE = frozenset({"untitled", "unknown", "no title", ""})


def read_epub(data: bytes, name: str) -> Extract:
    """A book's text in its reading order; headings as marked, else as its contents list them.

    Raises SourceError for an archive that is damaged, is encrypted, or expands beyond its limits.
    """
    book = _Book(data, name)
    package_path = _package_path(book)
    package = book.xml(package_path)
    base = posixpath.dirname(package_path)
    items = {
        item.get("id", ""): _member(base, item.get("href", ""))
        for item in package.iterfind("{*}manifest/{*}item")
    }
    parts: list[Part] = []
    notes: list[str] = []
    for reference in package.iterfind("{*}spine/{*}itemref"):
        member = items.get(reference.get("idref", ""), "")
        if member not in book.sizes:
            notes.append(f"its reading order names a part that it does not hold: {member or '?'}")
            continue
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


class _Book:
    """An archive whose members are read within limits; `sizes` are the expanded ones."""

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError) as error:
            raise self._damaged(str(error)) from error
        members = self._archive.infolist()
        if len(members) > _MOST_MEMBERS:
            raise self._bomb(f"it holds {len(members)} members", f"at most {_MOST_MEMBERS}")
        self.sizes = {member.filename: member.file_size for member in members}
        expanded = sum(member.file_size for member in members)
        if expanded > _MOST_BYTES:
            raise self._bomb(
                f"it expands to {expanded / 1e6:.0f} MB", f"at most {_MOST_BYTES / 1e6:.0f} MB"
            )

    def read(self, member: str) -> bytes:
        try:
            info = self._archive.getinfo(member)
        except KeyError as error:
            raise self._damaged(f"the member {member} is missing") from error
        if info.flag_bits & 1:
            raise SourceError(
                self._name, "it is encrypted", expected="a book without copy protection"
            )
        ratio = info.file_size / max(info.compress_size, 1)
        if info.file_size > _RATIO_FROM and ratio > _HIGHEST_RATIO:
            raise self._bomb(
                f"{member} expands to {ratio:.0f} times its size", f"at most {_HIGHEST_RATIO} times"
            )
        try:
            with self._archive.open(info) as file:
                # The directory may lie about sizes: what counts is what comes out.
                data = file.read(_MOST_MEMBER_BYTES + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
            raise self._damaged(f"{member}: {error}") from error
        if len(data) > _MOST_MEMBER_BYTES:
            raise self._bomb(
                f"{member} is larger than {_MOST_MEMBER_BYTES / 1e6:.0f} MB", "a book of text"
            )
        return data

    def text(self, member: str) -> str:
        return decode(self.read(member), f"{self._name} ({member})").text

    def xml(self, member: str) -> _Element:
        """A tree without entities resolved and without network."""
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
        try:
            root = etree.fromstring(self.read(member), parser)
        except etree.XMLSyntaxError as error:
            raise self._damaged(f"{member} is not XML: {error}") from error
        if root is None:
            raise self._damaged(f"{member} is not XML")
        return root

    def _bomb(self, problem: str, expected: str) -> SourceError:
        return SourceError(self._name, problem, expected=expected, cure="take it out of the folder")

    def _damaged(self, problem: str) -> SourceError:
        return SourceError(
            self._name,
            f"it is not a sound EPUB: {problem}",
            expected="a zip archive with META-INF/container.xml",
            cure="fetch the book again, or convert it to text",
        )

    def damaged(self, problem: str) -> SourceError:
        return self._damaged(problem)


def _package_path(book: _Book) -> str:
    root = book.xml("META-INF/container.xml").find(".//{*}rootfile")
    path = root.get("full-path", "") if root is not None else ""
    if not path:
        raise book.damaged("its container names no package")
    return path


def _member(base: str, href: str) -> str:
    """A member's name in the archive; a path that climbs out names none and so is missing."""
    path = urllib.parse.unquote(href.partition("#")[0])
    return posixpath.normpath(posixpath.join(base, path))


def _part(book: _Book, member: str) -> Part:
    tree = parse(as_html(book.text(member)), f"{book} ({member})")
    part = part_of(tree.body, member)
    if "advertisement" in posixpath.basename(member).lower():
        return Part(member, part.text, (), (Drop(0, len(part.text), "advertisement"),))
    return part


def _contents(
    book: _Book, package: _Element, items: dict[str, str], base: str
) -> dict[str, tuple[int, str]]:
    """Member to (level, title), by the book's table of contents (EPUB 2)."""
    spine = package.find("{*}spine")
    ncx = items.get(spine.get("toc", "") if spine is not None else "", "")
    if ncx not in book.sizes:
        return {}
    titles: dict[str, tuple[int, str]] = {}
    for point in book.xml(ncx).iterfind(".//{*}navPoint"):
        content = point.find("{*}content")
        label = point.findtext("{*}navLabel/{*}text") or ""
        level = sum(1 for above in point.iterancestors() if above.tag == point.tag) + 1
        if content is not None:
            member = _member(posixpath.dirname(ncx), content.get("src", ""))
            titles.setdefault(member, (level, " ".join(label.split())))
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
