"""What passages are packed from: sentences with their token counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from salon.corpus.sentences import sentences
from salon.corpus.tokens import CountTokens
from salon.types import Span

# Where a sentence that is too long may be parted, best first.
_SEAMS = (
    re.compile(r"[;:][”’»\"')\]]*\s+|[；：]"),
    re.compile(r"[,—–][”’»\"')\]]*\s*|[、，]"),
    re.compile(r"\s+"),
)
_CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch that is not parted any more. `ends` says that a paragraph stops after it."""

    start: int
    end: int
    tokens: int
    ends: bool = False


def units_of(text: str, span: Span, limit: int, count: CountTokens) -> list[Unit]:
    """The sentences of `text` within `span`, none above `limit` tokens.

    A sentence's count includes the space before it, so that a sum is what the joined text has. A
    sentence above the limit is parted at a clause, at a space, or anywhere, in that order.
    """
    found = sentences(text[span.start : span.end])
    shifted = [Span(each.start + span.start, each.end + span.start) for each in found]
    ends = [0] + [each.end for each in shifted[:-1]]
    if shifted:
        ends[0] = shifted[0].start
    counts = count([text[before : each.end] for before, each in zip(ends, shifted, strict=True)])
    units: list[Unit] = []
    for place, (each, tokens) in enumerate(zip(shifted, counts, strict=True)):
        after = shifted[place + 1].start if place + 1 < len(shifted) else span.end
        last = text.count("\n", each.end, after) > 1 or place + 1 == len(shifted)
        if tokens <= limit:
            units.append(Unit(each.start, each.end, tokens, last))
        else:
            parts = list(parted(text, each, limit, count))
            units += [Unit(part.start, part.end, n, False) for part, n in parts[:-1]]
            final, n = parts[-1]
            units.append(Unit(final.start, final.end, n, last))
    return units


def parted(text: str, span: Span, limit: int, count: CountTokens) -> Iterator[tuple[Span, int]]:
    """Stretches of `span` of at most `limit` tokens, with their counts; only space is left out."""
    at = span.start
    while at < span.end:
        stop = min(span.end, at + limit * _CHARACTERS_PER_TOKEN)
        tokens = count([text[at:stop]])[0]
        while tokens > limit and stop - at > 1:
            stop = at + max(1, (stop - at) * 3 // 4)
            tokens = count([text[at:stop]])[0]
        if stop < span.end:
            seam = _seam(text, at, stop)
            if seam != stop:
                stop = seam
                tokens = count([text[at:stop]])[0]
        end = stop
        while end > at and text[end - 1].isspace():
            end -= 1
        if end > at:
            yield Span(at, end), tokens
        at = stop
        while at < span.end and text[at].isspace():
            at += 1


def _seam(text: str, at: int, stop: int) -> int:
    """The last good place to part `text[at:stop]` in its second half, else before a character."""
    half = at + (stop - at) // 2
    for seam in _SEAMS:
        places = [match.end() for match in seam.finditer(text, half, stop)]
        if places and places[-1] > at:
            return places[-1]
    # A combining mark stays with its letter.
    while stop - 1 > half and (unicodedata.combining(text[stop]) or text[stop] in "\u200d\ufe0f"):
        stop -= 1
    return stop


def total(units: Iterable[Unit]) -> int:
    return sum(unit.tokens for unit in units)
