"""Headings of a cleaned text, and what they head.

A format that marks its headings is believed. In plain text a heading is a short block that stands
alone and looks like one: a named chapter, a number, a line in capitals, a title with much space
above it, an underlined line, the address of a letter. Looks are not enough, so what has looks only
is dropped: numbers that do not count on, lines of a table of contents, and title pages, whose
lines head nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from salon.corpus.blocks import Block, blocks
from salon.corpus.clean import Cleaned
from salon.corpus.genre import is_verse
from salon.corpus.headings import (
    CONTENTS,
    DIVIDER,
    Candidate,
    Kind,
    candidate,
    last_line,
    pretty,
)
from salon.types import Section, Span

NOTES = "Footnotes"
"""The title of the section of footnotes that stood in the text."""

# A contents list ends where this many blank lines stand, once it has some entries.
_END_GAP = 3
_FEWEST_ENTRIES = 3
_PROSE_LINES = 4
_PROSE_WIDTH = 50
# Less than this after a heading is no body.
_NO_BODY = 12
_TITLE_PAGE = 160
_ON_TITLE_PAGES = (Kind.CAPITALS, Kind.TITLE, Kind.LETTER, Kind.DATE)
_NEIGHBOURS = 3
_LONGEST_CONTENTS = 80
_LONGEST_TITLE = 140
_NEAR = 2
_NOTEBOOK = 50
# "Chapter the Third" and nothing else still wants its title.
_BARE = 3
_DEEPEST = 6


def find_sections(cleaned: Cleaned, *, marked: bool) -> tuple[Section, ...]:
    """Sections in order, levels from 1 without gaps; none for a text without headings."""
    body = cleaned.apart if cleaned.apart >= 0 else len(cleaned.text)
    inside = _found(cleaned, body) if not marked else _sections(_of_format(cleaned))
    if cleaned.apart < 0:
        return inside
    notes = Section(cleaned.apart, cleaned.apart, 1, NOTES)
    return (*(each for each in inside if each.heading_end <= body), notes)


def _found(cleaned: Cleaned, body: int) -> tuple[Section, ...]:
    """The sections of a text whose format marks none."""
    found, contents = _candidates(cleaned.text[:body])
    joined = _joined(_counting(found), cleaned.text)
    kept = _with_bodies(joined, cleaned.text[:body], contents)
    inner = _capitals_are_inner(kept)
    return _sections(
        (each.start, each.end, inner if each.kind == Kind.CAPITALS else each.kind, each.title)
        for each in kept
    )


def _of_format(cleaned: Cleaned) -> list[tuple[int, int, int, str]]:
    """The format's headings without the list of contents and without those that head nothing."""
    kept: list[tuple[int, int, int, str]] = []
    headings = [h for h in cleaned.headings if not CONTENTS.match(h.title)]
    for place, heading in enumerate(headings):
        after = headings[place + 1] if place + 1 < len(headings) else None
        if after is not None and after.level <= heading.level:
            body = cleaned.text[heading.end : after.start]
            if not body.strip():
                continue
        kept.append((heading.start, heading.end, heading.level, pretty(heading.title)))
    return kept


def _sections(found: Iterable[tuple[int, int, int, str]]) -> tuple[Section, ...]:
    """Ranks to levels: a heading is one level below the last one that outranks it.

    Prefaces and appendices stand outermost and hold nothing.
    """
    sections: list[Section] = []
    above: list[int] = []
    for start, end, rank, title in found:
        while above and above[-1] >= rank:
            above.pop()
        if above and above[0] == Kind.MATTER:
            above.clear()
        above.append(rank)
        sections.append(Section(start, end, min(len(above), _DEEPEST), title))
    return tuple(sections)


def _capitals_are_inner(found: Sequence[Candidate]) -> int:
    """The rank of a line in capitals: in a numbered notebook it stands within a note."""
    alone = sum(1 for each in found if each.kind == Kind.CAPITALS)
    numbered = sum(1 for each in found if each.kind == Kind.NUMBER)
    titled = sum(1 for each in found if each.kind == Kind.NUMBER and ". " in each.title)
    inner = numbered > _NOTEBOOK and titled > alone
    return Kind.DATE + 1 if inner else Kind.CAPITALS


def _candidates(text: str) -> tuple[list[Candidate], list[Span]]:
    """Candidates outside the lists of contents, and those lists."""
    found: list[Candidate] = []
    contents: list[Span] = []
    begun, entries = -1, 0
    divided = False
    last: Candidate | None = None
    for block in blocks(text):
        if begun >= 0:
            if not _ends_contents(text, block, entries):
                entries += text.count("\n", block.start, block.end) + 1
                last = candidate(text, block) if text[block.start] not in " \t" else None
                continue
            # The line above the first paragraph was not the list's last entry but its heading.
            found += [last] if last else []
            contents.append(Span(begun, last.start if last else block.start))
            begun = -1
        if block.end - block.start < _LONGEST_CONTENTS:
            if DIVIDER.match(text, block.start, block.end):
                divided = True
                continue
            if block.start < len(text) // 4 and _is_contents(text, block):
                begun, entries, last = block.start, 0, None
                continue
        each = candidate(text, replace(block, gap=_END_GAP) if divided else block)
        divided = False
        if each := each or last_line(text, block):
            found.append(each)
    return found, contents


def _is_contents(text: str, block: Block) -> bool:
    words = " ".join(text[block.start : block.end].split()).strip("_=* ")
    return bool(CONTENTS.match(words))


def _ends_contents(text: str, block: Block, entries: int) -> bool:
    if entries >= _FEWEST_ENTRIES and block.gap >= _END_GAP:
        return True
    lines = text[block.start : block.end].split("\n")
    if len(lines) < _PROSE_LINES:
        return False
    numbered = sum(1 for line in lines if re.search(r"[\dxvi]\s*$", line))
    width = sum(len(line.strip()) for line in lines) / len(lines)
    return numbered < len(lines) // 4 and width > _PROSE_WIDTH and lines[0][:1] not in " \t"


def _counting(found: Sequence[Candidate]) -> list[Candidate]:
    """Without the numbers that stand alone: a number counts when its neighbour is next to it."""
    kept: list[Candidate] = []
    numbered: dict[Kind, list[Candidate]] = {Kind.NUMBER: [], Kind.NUMBERED: []}
    for each in found:
        if each.kind in numbered:
            numbered[each.kind].append(each)
    good: set[int] = set()
    for series in numbered.values():
        for place, each in enumerate(series):
            before = {c.number for c in series[max(0, place - _NEIGHBOURS) : place]}
            after = {c.number for c in series[place + 1 : place + 1 + _NEIGHBOURS]}
            if each.number - 1 in before or each.number + 1 in after:
                good.add(each.start)
    for each in found:
        if each.kind not in numbered or each.start in good:
            kept.append(each)
    return kept


def _joined(found: Sequence[Candidate], text: str) -> list[Candidate]:
    """A heading takes the title line that follows it at once as its own."""
    joined: list[Candidate] = []
    for each in found:
        last = joined[-1] if joined else None
        if (
            last is not None
            and each.gap <= _NEAR
            and _takes(last, each)
            and not text[last.end : each.start].strip()
        ):
            joined[-1] = replace(last, end=each.end, title=_both(last.title, each.title))
        else:
            joined.append(each)
    return joined


def _both(first: str, second: str) -> str:
    if re.search(r"\b(?:the|an?|of|and|by|on|to|with|from|in)$", first, re.IGNORECASE):
        return pretty(f"{first} {second}".upper())
    if len(first.split()) > _BARE and re.match(r"(?:and|or|with|of)\b", second, re.IGNORECASE):
        return f"{first} {second[0].lower()}{second[1:]}"
    return f"{first}. {second}"


def _takes(last: Candidate, each: Candidate) -> bool:
    """Whether the heading `each` is the rest of the heading before it."""
    if last.kind == Kind.CAPITALS:
        subtitle = each.kind in (Kind.CAPITALS, Kind.LETTER) and each.gap == 1
        return subtitle and len(last.title) + len(each.title) < _LONGEST_TITLE
    if last.kind == Kind.NUMBER:
        return each.kind in (Kind.CAPITALS, Kind.MATTER) and ". " not in last.title
    if last.kind not in (Kind.VOLUME, Kind.PART, Kind.CHAPTER):
        return False
    untitled = len(last.title.split()) <= _BARE
    titles = (Kind.CAPITALS, Kind.TITLE, Kind.NUMBERED) if untitled else (Kind.CAPITALS,)
    return each.kind in titles and (untitled or each.gap == 1)


def _with_bodies(found: list[Candidate], text: str, contents: Sequence[Span]) -> list[Candidate]:
    """Without headings that head nothing, and without the lines of a title page."""
    kept: list[Candidate] = []
    begun = False
    for place, each in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        end = after.start if after else len(text)
        # A list of contents after a heading is not its body.
        end = next((list_.start for list_ in contents if each.end <= list_.start < end), end)
        body = text[each.end : end].strip()
        least = _NO_BODY if each.kind > Kind.CHAPTER else 1
        if after and after.kind <= each.kind and len(body) < least:
            continue
        front = not begun and each.kind in _ON_TITLE_PAGES
        holds = not body and after is not None and after.kind > each.kind
        if front and len(body) < _TITLE_PAGE and not holds and not _begins_with_verse(body):
            continue
        begun = begun or not front or len(body) >= _TITLE_PAGE
        kept.append(each)
    return kept


def _begins_with_verse(body: str) -> bool:
    """The lines of a title page stand alone; those of a stanza together."""
    first = next(blocks(body), None)
    lines = body[first.start : first.end] if first else ""
    return is_verse(lines) and not lines.isupper()
