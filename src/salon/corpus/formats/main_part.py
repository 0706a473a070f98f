"""What of a web page is not its text: menus, link lists, side columns, banners and footers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_AROUND = re.compile(
    r"(?:^|[\s_-])(?:side-?bar|menu|footer|masthead|banner|cookies?|consent|share|sharing|social"
    r"|related|recommend(?:ed|ations)?|newsletter|subscribe|promo|advert(?:isement)?s?|ads?"
    r"|comments?|pagination|pager|skip(?:-link)?|toolbar|catlinks|mw-jump-link|printfooter)"
    r"(?:$|[\s_-])",
    re.IGNORECASE,
)
_BLOCKS = frozenset({"div", "ul", "ol", "table", "section", "aside", "header", "footer", "form"})
_ALWAYS = frozenset({"aside", "form"})
_OUTSIDE = frozenset({"header", "footer"})
_MAIN = frozenset({"main", "article"})
# A block is a list of links when so much of it is links, and there are so many.
_LINKED, _FEWEST_LINKS = 0.7, 4
# What is around the text is never most of the page: then the page is that.
_MOST = 0.5
_SHORT = 1_500


def around(tree: LexborHTMLParser) -> dict[int, str]:
    """Nodes (by `mem_id`) that are not the page's main text, with the reason."""
    body = tree.body
    if body is None:
        return {}
    sizes = _sizes(body)
    whole = sizes.get(body.mem_id, (0, 0, 0))[0] or 1
    has_main = tree.css_first("main, article, [role=main]") is not None
    found: dict[int, str] = {}
    for node in body.traverse(include_text=False):
        tag = node.tag or ""
        if tag not in _BLOCKS or node.mem_id == body.mem_id:
            continue
        text, linked, links = sizes.get(node.mem_id, (0, 0, 0))
        if text == 0 or text > _MOST * whole:
            continue
        reason = _reason(node, tag, has_main, (text, linked, links))
        if reason:
            found[node.mem_id] = reason
    return found


def _reason(node: LexborNode, tag: str, has_main: bool, size: tuple[int, int, int]) -> str:
    text, linked, links = size
    attributes = node.attributes
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    role = attributes.get("role") or ""
    if role in ("navigation", "banner", "contentinfo", "complementary", "search"):
        return "navigation"
    inside = _inside_main(node) if has_main else False
    if tag in _ALWAYS and (tag == "form" or not inside):
        return "side column" if tag == "aside" else "form"
    if tag in _OUTSIDE and has_main and not inside:
        return "page header or footer"
    if links >= _FEWEST_LINKS and linked >= _LINKED * text:
        return "list of links"
    if _AROUND.search(names) and (text < _SHORT or linked * 3 > text) and not _is_main(node):
        return "side column"
    return ""


def _is_main(node: LexborNode) -> bool:
    return node.css_first("main, article, h1") is not None


def _inside_main(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.tag in _MAIN or parent.attributes.get("role") == "main":
            return True
        parent = parent.parent
    return False


def _sizes(body: LexborNode) -> dict[int, tuple[int, int, int]]:
    """Of each node: characters, those in links, and the number of links; one pass, no recursion."""
    sizes: dict[int, tuple[int, int, int]] = {}
    stack: list[list[int]] = [[0, 0, 0]]
    links = 0
    node: LexborNode | None = body
    entering = True
    while node is not None:
        tag = node.tag or ""
        if entering:
            if tag == "-text":
                length = len((node.text_content or "").strip())
                stack[-1][0] += length
                stack[-1][1] += length if links else 0
            elif tag not in ("script", "style", "-comment"):
                links += tag == "a"
                stack.append([0, 0, 0])
                if node.child is not None:
                    node = node.child
                    continue
                entering = False
                continue
        else:
            links -= tag == "a"
            text, linked, count = stack.pop()
            sizes[node.mem_id] = (text, linked, count)
            for place, value in enumerate((text, linked, count + (tag == "a"))):
                stack[-1][place] += value
        if node.mem_id == body.mem_id:
            break
        entering = node.next is not None
        node = node.next if entering else node.parent
    return sizes
