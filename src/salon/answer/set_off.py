"""Quotations that no mark shows, or that a speaker's name parts: verse; "so", he said, "it is"."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence

from salon.answer.marks import Quoted
from salon.answer.typeset import is_verse
from salon.types import Span

_SAYS = re.compile(
    r"\b(?:sa(?:id|ys?|ying)|wr(?:ote|ites?|iting|itten)|asked|ask|asks|answered|replied|added|cried"
    r"|told|continued|thought|concluded|observed|remarked|declared|exclaimed|noted|called"
    r"|dit|dis(?:ait|ais|ent)?|écri(?:t|s|vait|vis|vit|vais)|répond(?:it|is)?|ajout(?:a|ai)|demand(?:a|ai)"
    r"|sag(?:te|t|e|en)|schr(?:ieb|eibt|eibe)|antwortete|fragte|rief|meinte|fuhr"
    r"|di(?:jo|je|ce|go)|escrib(?:ió|í|e|o)|respond(?:ió|í)|pregunt(?:ó|é)|añadi(?:ó)|añadí)\b",
    re.I,
)
_MOST_BETWEEN = 8
_MOST_PARTS = 6
_LEAD = 200
"""Characters before a verse in which a colon may announce it."""

_SLASH = re.compile(r"(?<=\S) /{1,2} (?=\S)")
_STOP = re.compile(r"[.!?:;]\s|\n")
_LIST = re.compile(r"^\s*(?:[-*+•#|]|\d+[.)]\s|\[)", re.M)
_PARAGRAPH = re.compile(r"(?:^[ \t]*\S[^\n]*(?:\n|\Z))+", re.M)


def joined(text: str, found: Sequence[Quoted]) -> list[Quoted]:
    """The quotations with those that a speaker's name parts as one, whose parts are within it."""
    result: list[Quoted] = []
    for one in found:
        before = result[-1] if result else None
        parts = () if before is None else before.within if before.split else (before,)
        if before is not None and len(parts) < _MOST_PARTS and _goes_on(text, before, one):
            result[-1] = Quoted(
                Span(before.whole.start, one.whole.end),
                Span(before.inner.start, one.inner.end),
                f"{before.text} … {one.text}",
                within=(*parts, one),
                split=True,
            )
        else:
            result.append(one)
    return result


def _goes_on(text: str, one: Quoted, other: Quoted) -> bool:
    """Whether a few words with one of saying stand between both, and no sentence ends there."""
    if one.block or other.block:
        return False
    between = text[one.whole.end : other.whole.start]
    if not 2 < len(between) < 120 or "\n\n" in between or not _SAYS.search(between):
        return False
    open_end = one.text.rstrip()[-1:] in ",;—–-" or between.rstrip()[-1:] in ",;—–"
    open_end = open_end or between.lstrip()[:1] == ","
    stops = re.search(r"[.!?;:]", between.rstrip()) is not None
    return open_end and not stops and len(between.split()) <= _MOST_BETWEEN


def verse(text: str, taken: Sequence[Quoted]) -> Iterator[Quoted]:
    """Lines of verse outside of all marks: parted by slashes, or set as lines of their own.

    A persona may write lines too: they claim to be quoted only behind a colon.
    """
    ends = [one.whole.end for one in taken]
    for match in _PARAGRAPH.finditer(text):
        paragraph = match.group().rstrip()
        span = Span(match.start(), match.start() + len(paragraph))
        near = bisect.bisect_left(ends, span.start + 1)
        if near < len(taken) and taken[near].whole.start < span.end:
            continue
        if "\n" in paragraph and is_verse(paragraph) and not _LIST.search(paragraph):
            loose = not _announced(text, span.start)
            yield Quoted(span, span, paragraph.strip(), loose=loose)
        elif _SLASH.search(paragraph):
            yield from _slashed(text, span)


def _announced(text: str, at: int) -> bool:
    return text[max(0, at - _LEAD) : at].rstrip().endswith(":")


def _slashed(text: str, span: Span) -> Iterator[Quoted]:
    """The stretch around slashes between two stops of a paragraph."""
    start = span.start
    for stop in [*_STOP.finditer(text, span.start, span.end), None]:
        end = stop.start() + 1 if stop else span.end
        stretch = text[start:end]
        lines = [line.strip() for line in _SLASH.split(stretch)]
        if len(lines) > 1 and all(line[:1].isupper() for line in lines[1:]):
            lead = len(stretch) - len(stretch.lstrip())
            loose = not _announced(text, start)
            inner = Span(start + lead, start + len(stretch.rstrip()))
            yield Quoted(inner, inner, text[inner.start : inner.end], loose=loose)
        start = stop.end() if stop else end
