"""Extracted parts to cleaned text, with the map back.

What is certainly not the text is left out: Project Gutenberg's header and licence, what a reader
asks for (page numbers and running heads, front matter), what a person decided, control characters,
and blank space at the ends. What has words is listed as a `Cut`; small changes are counted as
repairs. Lines that end where a page was full become paragraphs; verse and layout keep theirs.
Footnotes stand behind the text. All of it can be seen and undone by the pieces.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from salon.corpus import gutenberg
from salon.corpus.extract import Drop, Extract, Facts, Heading, Part
from salon.corpus.flow import Flow, flow
from salon.corpus.footnotes import footnotes
from salon.corpus.leaving_out import drops_of
from salon.types import Cut, Piece, ReadOptions, Repair

# Everything of C0 and C1 but tab and line feed, and the marks of byte order.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe]+")
_PAGE_LINE = re.compile(
    r"^[ \t]*(?:\[(?:Pg|Page|p\.)[ \t]*[\divxlc]+\]|-[ \t]*\d{1,4}[ \t]*-|\{\d{1,4}\})[ \t]*\n",
    re.MULTILINE | re.IGNORECASE,
)
_SHOWN = 80
_EXAMPLES = 5
_SPACE = " \t\n"
_AS_READ = ReadOptions()


@dataclass(frozen=True, slots=True)
class Cleaned:
    """`headings` are the format's own, in offsets of `text`; `apart` is where footnotes begin."""

    text: str
    parts: tuple[str, ...]
    pieces: tuple[Piece, ...]
    cuts: tuple[Cut, ...]
    headings: tuple[Heading, ...]
    facts: Facts
    notes: tuple[str, ...]
    repairs: tuple[Repair, ...] = ()
    apart: int = -1


def clean(extract: Extract, options: ReadOptions = _AS_READ, label: str = "") -> Cleaned:
    """Join an extract's parts into one text without what does not belong to it.

    `label` is the source's name, which tells which records `options` speak of. Raises SourceError
    when a stretch that is to be left out is no longer what it was.
    """
    boilerplate, facts = _boilerplate(extract.parts, goes_on=extract.goes_on)
    text = _Text()
    for number, part in enumerate(extract.parts):
        drops = [*part.drops, *boilerplate[number], *drops_of(part, options.leave_out, label)]
        text.add(part, number, drops, options.keep)
    text.put_notes()
    return Cleaned(
        text="".join(text.written),
        parts=tuple(part.name for part in extract.parts),
        pieces=tuple(text.pieces),
        cuts=tuple(cut for cut in text.cuts if cut.text),
        headings=tuple(text.headings),
        facts=facts,
        notes=(f"{text.controls} control characters were left out",) if text.controls else (),
        repairs=summed((*extract.repairs, *text.repairs)),
        apart=text.apart,
    )


class _Text:
    """The cleaned text as it grows, with the way back."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.pieces: list[Piece] = []
        self.cuts: list[Cut] = []
        self.headings: list[Heading] = []
        self.repairs: list[Repair] = []
        self.controls = 0
        self.apart = -1
        self._length = 0
        self._notes: list[tuple[int, int, str, bool]] = []

    def add(self, part: Part, number: int, wanted: list[Drop], keep: frozenset[str]) -> None:
        """Write what stays of a part."""
        drops, controls = _all_drops(part, wanted)
        if keep:
            drops = [drop for drop in drops if not _is_kept(drop, part, number, keep)]
        wraps = part.flows and "wrapped line" not in keep
        flowed = flow(part.text, _merged(list(drops))) if wraps else None
        text = flowed.text if flowed else part.text
        if flowed and "line-end hyphen" not in keep:
            drops = [*drops, *flowed.hyphens]
        self._count(part, flowed, controls)
        apart = [drop for drop in drops if drop.apart]
        inner = _merged([drop for drop in drops if not drop.apart])
        drops = _merged([*inner, *apart])
        for note in apart:
            kept = _kept(text, inner, note.start, note.end)
            self._notes += [(number, part.base + a, text[a:b], a == kept[0][0]) for a, b in kept]
        self.cuts += [_cut(part, number, drop) for drop in inner if drop.reason]
        kept = _kept(text, drops, 0, len(text))
        if not kept:
            return
        puts = {drop.end: drop.put for drop in drops if drop.put}
        first = len(self.pieces)
        for place, (start, end) in enumerate(kept):
            self._put(puts.get(start, "") if place else part.join if self._length else "")
            self._copy(number, part.base + start, text[start:end])
        self.headings += _moved(part.headings, self.pieces[first:], part.base)

    def put_notes(self) -> None:
        """Footnotes behind the text, each a paragraph."""
        for number, start, words, begins in self._notes:
            if begins:
                self._put("\n\n" if self._length else "")
                self.apart = self._length if self.apart < 0 else self.apart
            self._copy(number, start, words)

    def _put(self, text: str) -> None:
        if text:
            self.written.append(text)
            self._length += len(text)

    def _copy(self, number: int, part_start: int, text: str) -> None:
        self.written.append(text)
        self.pieces.append(Piece(self._length, len(text), number, part_start))
        self._length += len(text)

    def _count(self, part: Part, flowed: Flow | None, controls: int) -> None:
        self.controls += controls
        if controls:
            self.repairs.append(Repair("control character", controls))
        if flowed and flowed.wrapped:
            self.repairs.append(Repair("wrapped line", flowed.wrapped))
        if flowed and flowed.hyphens:
            shown = tuple(_around(part.text, drop) for drop in flowed.hyphens[:_EXAMPLES])
            self.repairs.append(Repair("line-end hyphen", len(flowed.hyphens), shown))


def summed(repairs: Iterable[Repair]) -> tuple[Repair, ...]:
    """One repair a kind, with the first examples."""
    found: dict[str, Repair] = {}
    for each in repairs:
        before = found.get(each.kind)
        if before is not None:
            shown = (*before.examples, *each.examples)[:_EXAMPLES]
            each = replace(each, count=before.count + each.count, examples=shown)
        found[each.kind] = each
    return tuple(found.values())


def _boilerplate(parts: tuple[Part, ...], *, goes_on: bool) -> tuple[list[tuple[Drop, ...]], Facts]:
    """Project Gutenberg's words, part by part: a header may fill the first, a licence the last."""
    found = [gutenberg.drops(part.text, goes_on=goes_on) for part in parts]
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


def _is_kept(drop: Drop, part: Part, number: int, keep: frozenset[str]) -> bool:
    if not drop.reason:
        return False
    place = f"{number}:{part.base + drop.start}-{part.base + drop.end}"
    return drop.reason in keep or place in keep


def _all_drops(part: Part, given: list[Drop]) -> tuple[list[Drop], int]:
    """Everything that goes from a part, and how many control characters that is."""
    text = part.text
    wanted = list(given)
    wanted += [Drop(*match.span(), "page number") for match in _PAGE_LINE.finditer(text)]
    if part.flows:
        wanted += footnotes(text)
    controls = 0
    for match in _CONTROL.finditer(text):
        wanted.append(Drop(*match.span(), ""))
        controls += sum(1 for char in match.group() if char not in "\f\ufeff\ufffe")
    return wanted, controls


def _merged(wanted: list[Drop]) -> list[Drop]:
    """In order and without overlap: of two that do, the later keeps what the first leaves it."""
    wanted.sort(key=lambda drop: (drop.start, -drop.end))
    drops: list[Drop] = []
    for drop in wanted:
        if drops and drop.start < drops[-1].end:
            if drop.end > drops[-1].end:
                drops.append(replace(drop, start=drops[-1].end))
        elif drop.end > drop.start:
            drops.append(drop)
    return drops


def _kept(text: str, drops: list[Drop], start: int, end: int) -> list[tuple[int, int]]:
    """What is left of `text[start:end]`, without the blank lines at its ends."""
    kept: list[tuple[int, int]] = []
    at = start
    for drop in drops[bisect_right(drops, start, key=lambda drop: drop.end) :]:
        if drop.start >= end:
            break
        if drop.start > at:
            kept.append((at, drop.start))
        at = max(at, drop.end)
    if at < end:
        kept.append((at, end))
    return _trimmed(text, kept)


def _trimmed(text: str, kept: list[tuple[int, int]]) -> list[tuple[int, int]]:
    blank = 0
    while blank < len(kept) and not text[kept[blank][0] : kept[blank][1]].strip(_SPACE):
        blank += 1
    kept = kept[blank:]
    while kept and not text[kept[-1][0] : kept[-1][1]].strip(_SPACE):
        kept.pop()
    if kept:
        first, end = kept[0]
        # The indent of a first line belongs to the line.
        start, _ = _without_space(text, first, end)
        kept[0] = (max(text.rfind("\n", first, start) + 1, first), end)
        start, end = kept[-1]
        kept[-1] = (start, _without_space(text, start, end)[1])
    return kept


def _without_space(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in _SPACE:
        start += 1
    while end > start and text[end - 1] in _SPACE:
        end -= 1
    return start, end


def _moved(headings: Iterable[Heading], pieces: Sequence[Piece], base: int) -> list[Heading]:
    """Headings with offsets of the cleaned text; one that was dropped is gone."""
    moved: list[Heading] = []
    ends = [piece.part_start + piece.length - base for piece in pieces]
    for heading in headings:
        at = bisect_right(ends, heading.start)
        if at < len(pieces):
            piece = pieces[at]
            begun = piece.part_start - base
            start, end = max(heading.start, begun), min(heading.end, begun + piece.length)
            if start < end:
                shift = piece.start - begun
                moved.append(Heading(start + shift, end + shift, heading.level, heading.title))
    return moved


def _cut(part: Part, number: int, drop: Drop) -> Cut:
    end = min(drop.end, drop.start + 4 * _SHOWN)
    words = " ".join(part.text[drop.start : end].split())
    return Cut(number, part.base + drop.start, part.base + drop.end, drop.reason, words[:_SHOWN])


def _around(text: str, drop: Drop) -> str:
    """The word that a hyphen parts, as the original has it."""
    before = text[max(0, drop.start - 20) : drop.start].split()
    after = text[drop.end : drop.end + 20].split()
    return f"{before[-1] if before else ''}/{after[0] if after else ''}"
