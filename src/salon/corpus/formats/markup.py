"""HTML trees to text: blocks on lines of their own, headings marked, what is not shown left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from salon.corpus.extract import Drop, Heading, Part
from salon.errors import SourceError

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_SILENT = frozenset(
    {"script", "style", "head", "title", "template", "noscript", "svg", "iframe", "object"}
    | {"audio", "video", "canvas", "button", "select", "textarea", "input", "-comment", "rt", "rp"}
)
_PARAGRAPHS = frozenset(
    {"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol", "dl", "table", "hr"}
    | {"section", "article", "main", "aside", "header", "footer", "nav", "figure", "fieldset"}
)
_LINES = frozenset(
    {"div", "li", "tr", "dt", "dd", "address", "figcaption", "caption", "center", "form", "body"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NAVIGATION = re.compile(
    r"(?:^|\s)(?:nav|navbar|navigation|breadcrumbs?|noprint|ws-noexport|mw-editsection|toc-?backlink)"
    r"(?:\s|$)",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(r"(?:^|\s)(?:page-?num(?:ber)?s?|pagen[o0]|folio|pagebreak)(?:\s|$)")
_NOTE = re.compile(r"\s(?:footnote|endnote|rearnote|doc-footnote|doc-endnote)\s")
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
# A block above this length is a paragraph even where the markup only says "division".
_LONG_LINE = 120
_DEEPEST = 1_000
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)([^<>]*?)(/?)>")
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)


@dataclass(slots=True)
class _Page:
    """The text written so far, with the blank lines that wait for the next word."""

    written: list[str] = field(default_factory=list)
    length: int = 0
    line: int = 0
    waiting: int = 0
    space: bool = False

    def ask(self, lines: int) -> None:
        if lines == 1 and self.line > _LONG_LINE:
            lines = 2
        self.waiting = max(self.waiting, lines)
        self.space = False

    def write(self, text: str) -> None:
        if not text:
            return
        if self.waiting and self.length:
            self._put("\n" * self.waiting)
        elif self.space and self.length:
            self._put(" ")
        self.waiting, self.space = 0, False
        self._put(text)

    def flow(self, text: str) -> None:
        """Running text: any run of space is one space, none at the ends of a line."""
        text = _SPACE.sub(" ", text)
        if text.startswith(" "):
            self.space = not self.waiting
            text = text[1:]
        trailing = text.endswith(" ")
        self.write(text.rstrip(" "))
        self.space = self.space or (trailing and bool(text.strip()))

    def _put(self, text: str) -> None:
        self.written.append(text)
        self.length += len(text)
        newline = text.rfind("\n")
        self.line = len(text) - newline - 1 if newline >= 0 else self.line + len(text)


def parse(markup: str, name: str) -> LexborHTMLParser:
    """An HTML5 tree; raises SourceError for markup nested so deep that parsing would not end."""
    from selectolax.lexbor import LexborHTMLParser

    depth = deepest = 0
    for match in _TAG.finditer(markup):
        if match.group(1):
            depth = max(depth - 1, 0)
        elif not match.group(4) and match.group(2).lower() not in _VOID | {"p", "li"}:
            depth += 1
            deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        raise SourceError(
            name,
            f"its elements are nested {deepest} deep",
            expected=f"a page with at most {_DEEPEST} levels",
            cure="save the page as plain text",
        )
    return LexborHTMLParser(markup)


def as_html(xhtml: str) -> str:
    """XHTML so that an HTML parser reads it: `<title/>` would swallow the rest of the page."""

    def close(match: re.Match[str]) -> str:
        slash, tag, rest, empty = match.groups()
        if not empty or slash or tag.lower() in _VOID:
            return match.group()
        return f"<{tag}{rest}></{tag}>"

    return _TAG.sub(close, xhtml)


def part_of(
    root: LexborNode | None, name: str, around: Mapping[int, str] = MappingProxyType({})
) -> Part:
    """The text below a node. Navigation and page numbers are in it, and are drops.

    `around` names nodes (by `mem_id`) that are left out too. Linked notes stand apart.
    """
    page = _Page()
    headings: list[Heading] = []
    drops: list[Drop] = []
    node = root
    entering = True
    starts: list[tuple[int, int]] = []
    omitted: tuple[int, int, str] | None = None
    while node is not None:
        tag = node.tag or ""
        if entering:
            if tag == "-text":
                _text(page, node)
            elif tag not in _SILENT and not _is_hidden(node):
                _open(page, tag)
                reason = ""
                if omitted is None:
                    reason = around.get(node.mem_id, "") or _omission(node, tag)
                if reason:
                    omitted = (node.mem_id, page.length, reason)
                if tag in _HEADINGS:
                    starts.append((node.mem_id, page.length))
                if node.child is not None:
                    node = node.child
                    continue
                entering = False
                continue
        else:
            if omitted and omitted[0] == node.mem_id:
                if page.length > omitted[1]:
                    apart = omitted[2] == "footnote"
                    drops.append(Drop(omitted[1], page.length, omitted[2], apart=apart))
                omitted = None
            if starts and starts[-1][0] == node.mem_id:
                _heading(page, starts.pop()[1], _HEADINGS[tag], headings)
            if tag != "br":
                _open(page, tag)
        if root is not None and node.mem_id == root.mem_id:
            break
        entering = node.next is not None
        node = node.next if entering else node.parent
    return Part(name, "".join(page.written), tuple(headings), tuple(drops))


def _text(page: _Page, node: LexborNode) -> None:
    text = node.text_content or ""
    if _within_pre(node):
        lines = text.split("\n")
        for place, line in enumerate(lines):
            if place:
                page.write("\n")
            page.write(line)
    else:
        page.flow(text)


def _within_pre(node: LexborNode) -> bool:
    parent = node.parent
    for _ in range(4):
        if parent is None:
            return False
        if parent.tag in ("pre", "listing", "xmp"):
            return True
        parent = parent.parent
    return False


def _open(page: _Page, tag: str) -> None:
    if tag in _PARAGRAPHS:
        page.ask(2)
    elif tag in _LINES:
        page.ask(1)
    elif tag == "br":
        _break(page)
    elif tag in ("td", "th"):
        page.space = page.space or page.line > 0


def _break(page: _Page) -> None:
    # Two breaks are how old pages part stanzas and paragraphs.
    page.waiting = min(page.waiting + 1, 2)
    page.space = False


def _heading(page: _Page, start: int, level: int, headings: list[Heading]) -> None:
    text = "".join(page.written)[start:] if page.length > start else ""
    title = " ".join(text.split())
    if title:
        begin = page.length - len(text.lstrip("\n"))
        headings.append(Heading(begin, page.length, level, title))


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    style = attributes.get("style") or ""
    return "hidden" in attributes or bool(style and _HIDDEN.search(style))


def _omission(node: LexborNode, tag: str) -> str:
    if tag == "nav":
        return "navigation"
    attributes = node.attributes
    if attributes.get("role") == "navigation":
        return "navigation"
    names = f"{attributes.get('class') or ''} {attributes.get('epub:type') or ''}"
    if _NAVIGATION.search(names):
        return "navigation"
    if _PAGE_NUMBER.search(names):
        return "page number"
    role = attributes.get("role") or ""
    is_note = _NOTE.search(f" {attributes.get('epub:type') or ''} {role} ")
    return "footnote" if is_note and tag not in ("a", "section") else ""
