"""From a place in the cleaned text to the place in the original."""

from __future__ import annotations

from bisect import bisect_right

from salon.types import OriginalSpan, Source, Span


def to_original(source: Source, span: Span) -> tuple[OriginalSpan, ...]:
    """Where the cleaned text's `span` stands in the original, in order, nothing overlapping.

    One span for each stretch that is unbroken in the original; text that cleaning put in has no
    place there and gives none.
    """
    pieces = source.pieces
    at = bisect_right(pieces, span.start, key=lambda piece: piece.start) - 1
    found: list[OriginalSpan] = []
    for piece in pieces[max(at, 0) :]:
        if piece.start >= span.end:
            break
        start = max(piece.start, span.start)
        end = min(piece.start + piece.length, span.end)
        if start < end:
            shift = piece.part_start - piece.start
            found.append(OriginalSpan(source.parts[piece.part], start + shift, end + shift))
    return tuple(found)
