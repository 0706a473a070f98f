"""What passages are packed from: sentences with their token counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from salon.corpus.blocks import blocks
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
# A paragraph of so many tokens is parted as a whole; around a window so many more are looked at.
_SHORT, _MARGIN = 220, 45


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a text. `ends` says that a paragraph stops after it.

    `paragraph` says that it is a whole one, which may still be parted into its sentences; its
    tokens count from `counted`, where the unit before it ends.
    """

    start: int
    end: int
    tokens: int
    ends: bool = False
    paragraph: bool = False
    counted: int = 0


def paragraphs_of(text: str, span: Span, limit: int, count: CountTokens) -> list[Unit]:
    """The paragraphs of `text` within `span`; one above `limit` tokens is its sentences.

    A paragraph's count includes the space before it, so that a sum is at least what the joined text
    has.
    """
    places = [
        Span(
            _first_word(text, block.start, block.end), _without_space(text, block.start, block.end)
        )
        for block in blocks(text, span.start, span.end)
    ]
    counts = count([text[place.start : place.end] for place in places])
    units: list[Unit] = []
    gaps: dict[str, int] = {}
    end = places[0].start if places else 0
    for place, tokens in zip(places, counts, strict=True):
        gap = text[end : place.start]
        if gap not in gaps:
            gaps[gap] = count([gap])[0] if gap else 0
        if tokens + gaps[gap] <= limit:
            units.append(Unit(place.start, place.end, tokens + gaps[gap], True, True, end))
        else:
            units += units_of(text, place, limit, count, counted=end)
        end = place.end
    return units


Split = Callable[[Unit, float, float], list[Unit]]
"""Parts a whole paragraph into sentences between two of its tokens; what stands before and after
them stays whole."""


def splitter(text: str, limit: int, count: CountTokens) -> Split:
    """Parts paragraphs of `text`; finding sentences is dear, so only those asked for are found."""

    def split(unit: Unit, first: float, last: float) -> list[Unit]:
        if unit.tokens <= _SHORT:
            return units_of(text, Span(unit.start, unit.end), limit, count, counted=unit.counted)
        length = (unit.end - unit.start) / unit.tokens
        low = unit.start + max(0, int((first - _MARGIN) * length))
        high = min(unit.end, unit.start + int((last + _MARGIN) * length))
        found = [Span(each.start + low, each.end + low) for each in sentences(text[low:high])]
        # The window begins and ends within sentences: these belong to what stays whole.
        found = found[low > unit.start : len(found) - (high < unit.end)]
        if not found:
            return units_of(text, Span(unit.start, unit.end), limit, count, counted=unit.counted)
        return _parts(text, unit, found, count)

    return split


def _parts(text: str, unit: Unit, found: list[Span], count: CountTokens) -> list[Unit]:
    """The unit as a whole rest, the sentences found, and another whole rest."""
    spans = list(found)
    before = _without_space(text, unit.start, found[0].start)
    after = _first_word(text, found[-1].end, unit.end)
    head, tail = before > unit.start, after < unit.end
    spans = [Span(unit.start, before)] * head + spans + [Span(after, unit.end)] * tail
    ends = [unit.counted, *(span.end for span in spans[:-1])]
    counts = count([text[a : span.end] for a, span in zip(ends, spans, strict=True)])
    last = len(spans) - 1
    return [
        Unit(
            span.start, span.end, tokens, unit.ends and place == last,
            (place == 0 and head) or (place == last and tail), end,
        )
        for place, (span, tokens, end) in enumerate(zip(spans, counts, ends, strict=True))
    ]  # fmt: skip


def units_of(
    text: str, span: Span, limit: int, count: CountTokens, counted: int | None = None
) -> list[Unit]:
    """The sentences of `text` within `span`, none above `limit` tokens.

    A sentence's count includes the space before it, of the first one from `counted` on, so that a
    sum is what the joined text has. A sentence above the limit is parted at a clause, at a space,
    or anywhere, in that order.
    """
    found = sentences(text[span.start : span.end])
    shifted = [Span(each.start + span.start, each.end + span.start) for each in found]
    ends = [0] + [each.end for each in shifted[:-1]]
    if shifted:
        ends[0] = shifted[0].start if counted is None else counted
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


def _without_space(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _first_word(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def joined(units: Sequence[Unit]) -> Unit:
    """Consecutive units as one."""
    return Unit(units[0].start, units[-1].end, total(units), ends=True)


def total(units: Iterable[Unit]) -> int:
    return sum(unit.tokens for unit in units)
