"""Extracted parts to cleaned text, with the map back.

Cleaning keeps the text's own lines, so verse and layout survive. It leaves out what is certainly
not the text: Project Gutenberg's header and licence, the drops that a reader asks for (page numbers
and running heads of a PDF, front matter), control characters, and blank space at the ends. What has
words is listed as a `Cut`; control characters are counted in a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from salon.corpus import gutenberg
from salon.corpus.extract import Drop, Extract, Facts, Heading, Part
from salon.types import Cut, Piece

# Everything of C0 and C1 but tab and line feed, and the marks of byte order.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe]+")
_PAGE_LINE = re.compile(
    r"^[ \t]*(?:\[(?:Pg|Page|p\.)[ \t]*[\divxlc]+\]|-[ \t]*\d{1,4}[ \t]*-|\{\d{1,4}\})[ \t]*\n",
    re.MULTILINE | re.IGNORECASE,
)
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Cleaned:
    """`headings` are the format's own, in offsets of `text`."""

    text: str
    parts: tuple[str, ...]
    pieces: tuple[Piece, ...]
    cuts: tuple[Cut, ...]
    headings: tuple[Heading, ...]
    facts: Facts
    notes: tuple[str, ...]


def clean(extract: Extract) -> Cleaned:
    """Join an extract's parts into one text without what does not belong to it."""
    boilerplate, facts = _boilerplate(extract.parts)
    cleaned: list[str] = []
    pieces: list[Piece] = []
    cuts: list[Cut] = []
    headings: list[Heading] = []
    length = controls = 0
    for number, part in enumerate(extract.parts):
        drops, dropped = _drops(part, boilerplate[number])
        controls += dropped
        cuts += [_cut(part, number, drop) for drop in drops if drop.reason]
        kept = _kept(part, drops)
        if not kept:
            continue
        puts = {drop.end: drop.put for drop in drops if drop.put}
        first = len(pieces)
        for place, (start, end) in enumerate(kept):
            put = puts.get(start, "") if place else part.join if length else ""
            if put:
                cleaned.append(put)
                length += len(put)
            cleaned.append(part.text[start:end])
            pieces.append(Piece(length, end - start, number, start))
            length += end - start
        headings += _moved(part.headings, pieces[first:])
    notes = (f"{controls} control characters were left out",) if controls else ()
    return Cleaned(
        text="".join(cleaned),
        parts=tuple(part.name for part in extract.parts),
        pieces=tuple(pieces),
        cuts=tuple(cut for cut in cuts if cut.text),
        headings=tuple(headings),
        facts=facts,
        notes=notes,
    )


def _boilerplate(parts: tuple[Part, ...]) -> tuple[list[tuple[Drop, ...]], Facts]:
    """Project Gutenberg's words, part by part: a header may fill the first, a licence the last."""
    found = [gutenberg.drops(part.text) for part in parts]
    facts = Facts()
    for number, part in enumerate(parts):
        facts = facts.over(gutenberg.facts(part.text)) if found[number] else facts
    ends = [number for number, drops in enumerate(found) if _ends(drops, parts[number])]
    if ends:
        for number in range(ends[0] + 1, len(parts)):
            found[number] = (Drop(0, len(parts[number].text), "Project Gutenberg licence"),)
    return found, facts


def _ends(drops: tuple[Drop, ...], part: Part) -> bool:
    return any(drop.reason == "Project Gutenberg licence" for drop in drops) and bool(part.text)


def _drops(part: Part, boilerplate: Iterable[Drop]) -> tuple[list[Drop], int]:
    """Everything that goes from a part, in order, and how many control characters that is."""
    text = part.text
    wanted = [*part.drops, *boilerplate]
    wanted += [Drop(*match.span(), "page number") for match in _PAGE_LINE.finditer(text)]
    controls = 0
    for match in _CONTROL.finditer(text):
        wanted.append(Drop(*match.span(), ""))
        controls += sum(1 for char in match.group() if char not in "\f\ufeff\ufffe")
    wanted.sort(key=lambda drop: (drop.start, -drop.end))
    return _merged(wanted), controls


def _merged(wanted: list[Drop]) -> list[Drop]:
    drops: list[Drop] = []
    for drop in wanted:
        if drops and drop.start < drops[-1].end:
            if drop.end > drops[-1].end:
                drops.append(Drop(drops[-1].end, drop.end, drop.reason))
        elif drop.end > drop.start:
            drops.append(drop)
    return drops


def _kept(part: Part, drops: list[Drop]) -> list[tuple[int, int]]:
    """What is left of a part, without the blank lines at its ends."""
    text = part.text
    kept: list[tuple[int, int]] = []
    at = 0
    for drop in drops:
        if drop.start > at:
            kept.append((at, drop.start))
        at = drop.end
    if at < len(text):
        kept.append((at, len(text)))
    return _trimmed(text, kept)


def _trimmed(text: str, kept: list[tuple[int, int]]) -> list[tuple[int, int]]:
    while kept:
        start, end = kept[0]
        while start < end and text[start] in " \t\n":
            start += 1
        if start < end:
            # The indent of a first line belongs to the line.
            line = text.rfind("\n", kept[0][0], start) + 1
            kept[0] = (max(line, kept[0][0]), end)
            break
        kept.pop(0)
    while kept:
        start, end = kept[-1]
        while end > start and text[end - 1] in " \t\n":
            end -= 1
        if end > start:
            kept[-1] = (start, end)
            break
        kept.pop()
    return kept


def _moved(headings: Iterable[Heading], pieces: list[Piece]) -> list[Heading]:
    """Headings with offsets of the cleaned text; one that was dropped is gone."""
    moved: list[Heading] = []
    for heading in headings:
        for piece in pieces:
            start = max(heading.start, piece.part_start)
            end = min(heading.end, piece.part_start + piece.length)
            if start < end:
                shift = piece.start - piece.part_start
                moved.append(Heading(start + shift, end + shift, heading.level, heading.title))
                break
    return moved


def _cut(part: Part, number: int, drop: Drop) -> Cut:
    end = min(drop.end, drop.start + 4 * _SHOWN)
    words = " ".join(part.text[drop.start : end].split())
    return Cut(number, drop.start, drop.end, drop.reason, words[:_SHOWN])
