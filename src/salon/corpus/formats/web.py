"""HTML pages."""

from __future__ import annotations

import importlib.util
import re

from selectolax.lexbor import LexborHTMLParser

from salon.corpus.decode import decode
from salon.corpus.extract import Extract, Facts, Part
from salon.corpus.formats.main_part import around
from salon.corpus.formats.markup import parse, part_of
from salon.corpus.language import code_of

_DECLARED = re.compile(
    rb"""(?:<meta[^>]+charset=["']?|<\?xml[^>]+encoding=["'])([\w-]+)""", re.IGNORECASE
)
# trafilatura's reading counts when it has at least this share of ours.
_LEAST = 0.8
_LARGEST = 4 << 20
_LATER_NOISE = re.compile(r"\s+(?:[|–—-]|by)\s.*$", re.DOTALL)


def read_html(data: bytes, name: str) -> Extract:
    """A page's text in reading order; its headings are its sections."""
    declared = _DECLARED.search(data[:4_096])
    decoded = decode(data, name, declared.group(1).decode("ascii") if declared else "")
    tree = parse(decoded.text, name)
    part = _main_text(decoded.text, part_of(tree.body, "", around(tree)))
    return Extract(
        kind="html",
        parts=(part,),
        facts=_facts(tree),
        encoding=decoded.encoding,
        marked=bool(part.headings),
        notes=decoded.notes,
    )


def _main_text(markup: str, part: Part) -> Part:
    """What trafilatura takes for the main text, where it is installed and keeps most of the words.

    On pages of literature it leaves out verse and long quotations: then our own reading stands.
    """
    if importlib.util.find_spec("trafilatura") is None or len(markup) > _LARGEST:
        return part
    import trafilatura

    kept = len(part.text) - sum(drop.end - drop.start for drop in part.drops)
    found = trafilatura.extract(
        markup, output_format="html", include_comments=False, include_tables=True,
        favor_recall=True, deduplicate=False,
    )  # fmt: skip
    if not found:
        return part
    main = part_of(parse(found, "").body, "")
    length = len(main.text)
    return main if _LEAST * kept <= length < kept else part


def _facts(tree: LexborHTMLParser) -> Facts:
    metas: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        key = node.attributes.get("name") or node.attributes.get("property") or ""
        metas.setdefault(key.lower(), (node.attributes.get("content") or "").strip())
    title = tree.css_first("head > title")
    named = " ".join(title.text().split()) if title else ""
    root = tree.css_first("html")
    attributes = root.attributes if root else {}
    return Facts(
        title=metas.get("dc.title")
        or metas.get("og:title")
        or _LATER_NOISE.sub("", named).strip(" ,"),
        author=metas.get("dc.creator") or metas.get("author", ""),
        date=metas.get("dc.date") or metas.get("article:published_time") or metas.get("date", ""),
        language=code_of(attributes.get("lang") or attributes.get("xml:lang") or ""),
        licence=metas.get("dc.rights", ""),
        origin=metas.get("og:url", ""),
    )
