"""PDF files with a text layer: a part a page, running heads and page numbers dropped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from salon.corpus.extract import Drop, Extract, Facts, Heading, Part
from salon.errors import SourceError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

# Fewer characters a page than this, on average, is no text layer but its crumbs.
_FEWEST = 15
# A line is a running head when it stands at the same end of this share of nearby pages.
_REPEATED = 3
# The indent of a paragraph's first line, in points.
_LEAST_INDENT, _MOST_INDENT = 5, 45
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_NUMBER_LINE = re.compile(r"\s*(?:[-–—]\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*[-–—])?\s*$")
_NUMBERED = re.compile(r"^\W*(?:\d+|[ivxlc]+)\b|\b(?:\d+|[ivxlc]+)\W*$", re.IGNORECASE)
_MARGIN = re.compile(r"(?:(?<=\s)|^)\[(\d{1,4}|[ivxlc]{1,7})\](?: |(?=\n|$))", re.MULTILINE)
_BROKEN = re.compile("\ufffe\n?")
_SENTENCE_END = re.compile(r"[.!?:][”’\"')\]]*\s*$")


def read_pdf(data: bytes, name: str) -> Extract:
    """The text layer page by page; raises SourceError for a scan without one, or a locked file."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise _unreadable(name, str(error)) from error
    try:
        texts = [_page_text(document, number) for number in range(len(document))]
        if sum(len(text) for text in texts) < _FEWEST * max(len(texts), 1):
            raise SourceError(
                name,
                f"its {len(texts)} pages are pictures: it has no text layer",
                expected="a PDF with text",
                cure="run it through text recognition (ocrmypdf) first",
            )
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
            (*drops[number], *_hyphens(text, words)),
            join=_join(texts, number, headings),
        )
        for number, text in enumerate(texts)
    )
    return Extract("pdf", parts, facts, marked=bool(headings))


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


def _page_text(document: PdfDocument, number: int) -> str:
    """A page's text with a blank line before each paragraph; "" for a page that is damaged."""
    import pypdfium2

    try:
        page = document[number].get_textpage()
        text = str(page.get_text_range())
    except pypdfium2.PdfiumError:
        return ""
    return _with_paragraphs(text, page)


def _with_paragraphs(text: str, page: PdfTextPage) -> str:
    """A line indented against the lines beside it begins a paragraph."""
    lines = text.split("\r\n")
    lefts: list[float] = []
    at = 0
    for line in lines:
        # Characters that pdfium itself put in have no box, and lines are counted with their end.
        lefts.append(page.get_charbox(at)[0] if line.strip() and at < page.count_chars() else -1)
        at += len(line) + 2
    usual = Counter(round(left) for left in lefts if left >= 0)
    margin = usual.most_common(1)[0][0] if usual else 0
    whole: list[str] = []
    for place, line in enumerate(lines):
        indent = lefts[place] - margin if lefts[place] >= 0 else 0
        before = lefts[place - 1] - margin if place else 0
        if _LEAST_INDENT < indent < _MOST_INDENT and before < _LEAST_INDENT:
            whole.append("")
        whole.append(line)
    return "\n".join(whole).replace("\r", "\n")


def _furniture(texts: Sequence[str]) -> list[list[Drop]]:
    """Page numbers, and heads and feet that come again on other pages, as drops of each page."""
    tops = Counter(_shape(text.split("\n")[0]) for text in texts if text)
    bottoms = Counter(_shape(text.rstrip().split("\n")[-1]) for text in texts if text.strip())
    margins = _margin_numbers(texts)
    found: list[list[Drop]] = []
    for number, text in enumerate(texts):
        drops: list[Drop] = []
        first, _, rest = text.partition("\n")
        if first.strip() and _is_furniture(first, tops):
            drops.append(Drop(0, len(first) + bool(rest), "running head"))
        stripped = text.rstrip()
        begin = stripped.rfind("\n") + 1
        if begin and _is_furniture(stripped[begin:], bottoms):
            drops.append(Drop(begin - 1, len(stripped), "running foot"))
        drops += [Drop(*place, "page number in the margin") for place in margins[number]]
        found.append(drops)
    return found


def _shape(line: str) -> str:
    """A line with its numbers taken out: heads of following pages differ by them alone."""
    return _DIGITS.sub("#", line.strip().lower())


def _is_furniture(line: str, shapes: Counter[str]) -> bool:
    if _NUMBER_LINE.match(line):
        return True
    return len(line) < 100 and shapes[_shape(line)] >= _REPEATED and bool(_NUMBERED.search(line))


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
