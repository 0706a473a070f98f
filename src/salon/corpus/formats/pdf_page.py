"""One page of a PDF: its lines in reading order, its paragraphs, and the notes at its foot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from salon.corpus.extract import Drop

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

# The indent of a paragraph's first line, in points.
_LEAST_INDENT, _MOST_INDENT = 5, 45
# Notes at the foot are set smaller than the text by this, and begin with a mark.
_SMALLER = 0.92
_NOTE = re.compile(r"\s*(?:\(?\d{1,3}[.)]?|[*†‡§¶]{1,3})\s*\S")
_LOWEST = 0.6
# Columns: a gap in the middle that few lines cross, and enough lines on both sides.
_MIDDLE = (0.35, 0.65)
_CROSSING, _SIDE = 0.15, 0.25
_FEWEST_LINES = 8
_ORDERLY = 6
_PICTURE = 0.4


@dataclass(frozen=True, slots=True)
class Page:
    """`notes` is where the footnotes begin in `text`, -1 without any."""

    text: str
    notes: int = -1

    def notes_in(self, text: str) -> tuple[Drop, ...]:
        """The footnotes as drops that stand apart, if `text` is still the page's own."""
        if self.notes < 0 or text != self.text:
            return ()
        return (Drop(self.notes, len(text), "footnote", apart=True),)


def read_page(document: PdfDocument, number: int) -> Page:
    """A page's text with a blank line before each paragraph; "" for a page that is damaged."""
    import pypdfium2

    try:
        page = document[number]
        shown = page.get_textpage()
        columns = _in_columns(page, shown)
        if columns is not None:
            return Page(columns)
        return _page(str(shown.get_text_range()), shown)
    except (pypdfium2.PdfiumError, ValueError, OverflowError):
        return Page("")


def has_picture(document: PdfDocument, number: int) -> bool:
    """Whether pictures fill a good part of the page."""
    import pypdfium2
    import pypdfium2.raw as raw

    try:
        page = document[number]
        width, height = page.get_size()
        area = 0.0
        for shown in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3):
            left, bottom, right, top = _bounds(shown)
            area += max(right - left, 0) * max(top - bottom, 0)
    except (pypdfium2.PdfiumError, ValueError, OverflowError):
        return False
    return bool(area >= _PICTURE * width * height > 0)


def _bounds(shown: object) -> tuple[float, float, float, float]:
    # pypdfium2 5 renamed get_pos to get_bounds.
    get = getattr(shown, "get_bounds", None) or getattr(shown, "get_pos", None)
    found: tuple[float, float, float, float] = get() if get else (0, 0, 0, 0)
    return found


def _page(text: str, page: PdfTextPage) -> Page:
    """A line indented against the lines beside it begins a paragraph."""
    lines = text.split("\r\n")
    lefts: list[float] = []
    sizes: list[float] = []
    at, count = 0, page.count_chars()
    for line in lines:
        # Characters that pdfium itself put in have no box, and lines are counted with their end.
        seen = bool(line.strip()) and at < count
        lefts.append(page.get_charbox(at)[0] if seen else -1)
        sizes.append(_size(page, at) if seen else 0.0)
        at += len(line) + 2
    usual = Counter(round(left) for left in lefts if left >= 0)
    margin = usual.most_common(1)[0][0] if usual else 0
    begun = _first_note(lines, sizes)
    whole: list[str] = []
    notes = -1
    length = 0
    for place, line in enumerate(lines):
        indent = lefts[place] - margin if lefts[place] >= 0 else 0
        before = lefts[place - 1] - margin if place else 0
        if place == begun:
            notes = length
        if (_LEAST_INDENT < indent < _MOST_INDENT and before < _LEAST_INDENT) or place == begun:
            whole.append("")
            length += 1
        # A word that goes on in the next line: pdfium marks it and leaves the line end out.
        line = line.replace("\ufffe", "\ufffe\n")
        whole.append(line)
        length += len(line) + 1
    return Page("\n".join(whole).replace("\r", "\n"), notes)


def _size(page: PdfTextPage, at: int) -> float:
    import pypdfium2.raw as raw

    return round(float(raw.FPDFText_GetFontSize(page.raw, at)), 1)


def _first_note(lines: Sequence[str], sizes: Sequence[float]) -> int:
    """The line that the footnotes begin with: small to the page's end, the first with a mark."""
    weights: Counter[float] = Counter()
    for line, size in zip(lines, sizes, strict=True):
        weights[size] += len(line) if size else 0
    body = weights.most_common(1)[0][0] if weights else 0.0
    first = -1
    for place in range(len(lines) - 1, max(int(len(lines) * (1 - _LOWEST)), 1), -1):
        if not sizes[place]:
            continue
        is_foot = place >= len(lines) - 2 and lines[place].strip().isdigit()
        if is_foot:
            continue
        if sizes[place] > _SMALLER * body:
            break
        if _NOTE.match(lines[place]):
            first = place
    return first


def _in_columns(page: PdfPage, shown: PdfTextPage) -> str | None:
    """The text of a page of two columns whose lines the file gives across; None for others."""
    count = shown.count_rects()
    if count < 2 * _FEWEST_LINES:
        return None
    boxes = [shown.get_rect(number) for number in range(count)]
    left, _, right, _ = page.get_bbox()
    gutter = _gutter(boxes, left, right)
    if gutter is None:
        return None
    sides = [box[0] >= gutter for box in boxes if box[2] <= gutter or box[0] >= gutter]
    switches = sum(1 for _ in groupby(sides)) - 1
    if switches <= _ORDERLY:
        return None  # the file gives one column after the other
    return _by_columns(boxes, gutter, shown)


_Box = tuple[float, float, float, float]


def _gutter(boxes: Sequence[_Box], left: float, right: float) -> float | None:
    """Where a vertical line would cross the fewest lines, if it parts two columns."""
    width = right - left
    best, fewest = None, len(boxes)
    for step in range(13):
        share = _MIDDLE[0] + (_MIDDLE[1] - _MIDDLE[0]) * step / 12
        at = left + width * share
        crossing = sum(1 for box in boxes if box[0] < at - 1 and box[2] > at + 1)
        if crossing < fewest:
            best, fewest = at, crossing
    if best is None or fewest > _CROSSING * len(boxes):
        return None
    on_left = sum(1 for box in boxes if box[2] <= best)
    on_right = sum(1 for box in boxes if box[0] >= best)
    enough = min(on_left, on_right) >= _SIDE * len(boxes)
    return best if enough else None


def _by_columns(boxes: Sequence[_Box], gutter: float, shown: PdfTextPage) -> str:
    """Bands between lines that go across; in each the left column before the right."""
    ordered = sorted(boxes, key=lambda box: (-round(box[3] / 3), box[0]))
    lines: list[str] = []
    waiting: tuple[list[_Box], list[_Box]] = ([], [])

    def flush() -> None:
        for column in waiting:
            lines.extend(_lines(column, shown))
            column.clear()

    for box in ordered:
        if box[0] < gutter - 1 and box[2] > gutter + 1:
            flush()
            lines += _lines([box], shown)
        else:
            waiting[box[0] >= gutter].append(box)
    flush()
    return "\n".join(lines)


def _lines(column: Sequence[_Box], shown: PdfTextPage) -> list[str]:
    """The column's lines: boxes at one height are one line."""
    lines: list[str] = []
    height = None
    for box in column:
        words = " ".join(str(shown.get_text_bounded(*_wider(box))).split())
        if not words:
            continue
        if height is not None and abs(box[1] - height) < 3:
            lines[-1] += f" {words}"
        else:
            lines.append(words)
        height = box[1]
    return lines


def _wider(box: _Box) -> _Box:
    return (box[0] - 0.5, box[1] - 0.5, box[2] + 0.5, box[3] + 0.5)
