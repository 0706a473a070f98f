"""PDF files with a text layer: a part a page, running heads and page numbers dropped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from salon.corpus.extract import Drop, Extract, Facts, Heading, Part
from salon.corpus.formats.pdf_page import Page, has_picture, read_page
from salon.corpus.furniture import page_drops
from salon.errors import ScanError, SourceError
from salon.types import PageText

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

# Fewer characters a page than this, on average, is no text layer but its crumbs.
_FEWEST = 15
# A line is a running head when it stands at the same end of this share of nearby pages.
_REPEATED = 3
_MOST_PAGES = 20_000
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_NUMBER_LINE = re.compile(r"\s*(?:[-–—]\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*[-–—])?\s*$")
_NUMBERED = re.compile(r"^\W*(?:\d+|[ivxlc]+)\b|\b(?:\d+|[ivxlc]+)\W*$", re.IGNORECASE)
_MARGIN = re.compile(r"(?:(?<=\s)|^)\[(\d{1,4}|[ivxlc]{1,7})\](?: |(?=\n|$))", re.MULTILINE)
_BROKEN = re.compile("\ufffe\n?")
_SENTENCE_END = re.compile(r"[.!?:][”’\"')\]]*\s*$")


def read_pdf(data: bytes, name: str, recognised: PageText | None = None) -> Extract:
    """The text layer page by page; pages that are pictures have what was recognised of them.

    Raises ScanError when no page has a text, SourceError for a locked or damaged file.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise _unreadable(name, str(error)) from error
    try:
        if len(document) > _MOST_PAGES:
            raise SourceError(
                name,
                f"it has {len(document):,} pages",
                expected=f"at most {_MOST_PAGES:,}",
                cure="divide it into several files",
            )
        pages = [read_page(document, number) for number in range(len(document))]
        texts, scans = _with_scans(document, pages, name, recognised)
        headings = _outline(document, texts)
        facts = _facts(document)
    finally:
        document.close()
    drops = _furniture(texts)
    words = Counter(re.findall(r"\w[\w-]*", " ".join(texts).lower()))
    parts = tuple(
        Part(
            f"page {number + 1}",
            text,
            tuple(headings.get(number, ())),
            (*drops[number], *pages[number].notes_in(text), *_hyphens(text, words)),
            join=_join(texts, number, headings),
            flows=True,
        )
        for number, text in enumerate(texts)
    )
    notes = (f"{len(scans)} pages are pictures without a text: {_listed(scans)}",) if scans else ()
    return Extract("pdf", parts, facts, marked=bool(headings), notes=notes, scans=scans)


def _with_scans(
    document: PdfDocument, pages: Sequence[Page], name: str, recognised: PageText | None
) -> tuple[list[str], tuple[str, ...]]:
    """The pages' texts with what was recognised, and the names of those that stay pictures."""
    texts = [page.text for page in pages]
    scans: list[str] = []
    pictures = 0
    for number, text in enumerate(texts):
        if len(text.strip()) >= _FEWEST or not has_picture(document, number):
            continue
        pictures += 1
        found = recognised(number) if recognised else None
        if found and found.strip():
            texts[number] = found.replace("\r\n", "\n")
        else:
            scans.append(f"page {number + 1}")
    if sum(map(len, texts)) < _FEWEST * max(len(texts), 1):
        raise ScanError(
            name,
            f"its {len(texts)} pages are pictures: it has no text layer"
            if pictures
            else f"its {len(texts)} pages hold no text",
            kind="pdf",
            pages=len(texts),
            expected="a PDF with text",
            cure="run `salon intake`, which recognises text where tesseract is installed,"
            " or run the file through ocrmypdf",
        )
    return texts, tuple(scans)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name.removeprefix("page ") for name in names[:12])
    return f"{shown} and {len(names) - 12} more" if len(names) > 12 else shown


def _join(texts: Sequence[str], number: int, headings: dict[int, list[Heading]]) -> str:
    """What stands before a page: nothing within a word, a line end within a paragraph."""
    if number == 0 or number in headings:
        return "\n\n"
    before = texts[number - 1].rstrip()
    if before.endswith("\ufffe"):
        return ""
    return "\n\n" if texts[number].startswith("\n") or len(before) < _FEWEST else "\n"


def _unreadable(name: str, reason: str) -> SourceError:
    if "password" in reason.lower():
        return SourceError(
            name, "it is locked with a password", expected="an open PDF", cure="unlock it first"
        )
    return SourceError(
        name, f"it is not a sound PDF: {reason}", expected="a PDF file", cure="fetch it again"
    )


def _furniture(texts: Sequence[str]) -> list[list[Drop]]:
    """Page numbers, and heads and feet that come again on other pages, as drops of each page."""
    margins = _margin_numbers(texts)
    return [
        [*drops, *(Drop(*place, "page number in the margin") for place in margins[number])]
        for number, drops in enumerate(page_drops(texts))
    ]


def _margin_numbers(texts: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Numbers in brackets that rise from page to page: the pages of a printed original."""
    found = [list(_MARGIN.finditer(text)) for text in texts]
    numbers = [int(m.group(1)) for page in found for m in page if m.group(1).isdigit()]
    rising = sum(1 for a, b in pairwise(numbers) if 0 < b - a <= 2)
    if len(numbers) < 10 or rising < 0.8 * len(numbers):
        return [[] for _ in texts]
    return [[match.span() for match in page] for page in found]


def _hyphens(text: str, words: Counter[str]) -> list[Drop]:
    """Marks of a word broken at a line end; the hyphen is kept where the text has it elsewhere."""
    drops: list[Drop] = []
    for match in _BROKEN.finditer(text):
        before = re.search(r"\w+$", text[max(0, match.start() - 40) : match.start()])
        after = re.match(r"\w+", text[match.end() : match.end() + 40])
        put = ""
        if before and after:
            one = (before.group() + after.group()).lower()
            two = f"{before.group()}-{after.group()}".lower()
            put = "-" if words[two] > words[one] else ""
        drops.append(Drop(*match.span(), "", put))
    return drops


def _outline(document: PdfDocument, texts: Sequence[str]) -> dict[int, list[Heading]]:
    """The bookmarks as headings, by page: where its words stand on the page, else at its top."""
    found: dict[int, list[Heading]] = {}
    for bookmark in document.get_toc():
        destination = bookmark.get_dest()
        page = destination.get_index() if destination else None
        title = " ".join((bookmark.get_title() or "").split())
        if page is None or not title or not 0 <= page < len(texts) or not texts[page]:
            continue
        start, end = _place(texts[page], title)
        found.setdefault(page, []).append(Heading(start, end, bookmark.level + 1, title))
    return {page: sorted(each, key=lambda h: h.start) for page, each in found.items()}


def _place(text: str, title: str) -> tuple[int, int]:
    words = re.findall(r"\w+", title)
    pattern = r"\W+".join(map(re.escape, words[:12]))
    match = re.search(pattern, text, re.IGNORECASE) if words else None
    if not match:
        return 0, 1
    line_end = text.find("\n", match.end())
    return match.start(), line_end if line_end >= 0 else len(text)


def _facts(document: PdfDocument) -> Facts:
    """Title and author; the date in a PDF is that of the file, not of the text."""
    metadata = document.get_metadata_dict()
    title = metadata.get("Title", "").strip()
    named_by_tool = re.match(r"(?:Microsoft Word|untitled)|.*\.(?:docx?|tex|indd|pdf)$", title)
    return Facts(title="" if named_by_tool else title, author=metadata.get("Author", "").strip())
