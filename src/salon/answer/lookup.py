"""What a corpus has of a quotation: the verdict, the places, the changes.

First letter for letter, which is nearly always enough. Else its parts are laid against the best
candidate places; what is left over is looked for by itself. Pieces that follow each other are one
place, others are stitched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from salon.answer.align import Aligned, align
from salon.answer.candidates import Candidate, candidates
from salon.answer.fold import SEPARATOR, Word, fold, same_accents, words_of
from salon.answer.quote_index import GAP_LIMIT, Place, QuoteIndex, quoted_parts
from salon.answer.sameness import Sameness
from salon.answer.words import UNSPACED
from salon.types import QuoteChange

_MOST_TRIED = 6
_WEAK = 0.5
"""Candidates with less of the best one's weight are not tried."""

_SURE = 0.2
"""A place with fewer letters wrong that has all the words is the place."""

_MOST_PIECES = 24
_CHUNK = 120
"""Words of a long quotation that are aligned at a time."""

_LEAST_PIECE_WORDS, _LEAST_PIECE_LETTERS, _LEAST_UNSPACED = 3, 12, 5
_LEAST_BITS = 26.0
"""How unlikely the words of a piece must be together, so that it is no turn of phrase that anybody
may use: the bits of their frequencies in the corpus, as far as those go."""

_MOST_OTHER = 0.45
"""Of the letters of a quotation and its place, those that may differ for it to be `changed`."""

_MOST_MISREAD = 0.5
_MOST_LOST = 0.25
"""The share of a stitched quotation's letters that no piece has."""

_MARGIN = 60
_JOIN = 40
"""Characters that may stand between two pieces of one unbroken quotation."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`places`: all that have it when found, the best when changed, one a part when stitched."""

    verdict: Literal["found", "changed", "stitched", "absent"]
    places: tuple[Place, ...] = ()
    changes: tuple[QuoteChange, ...] = ()


ABSENT = Finding("absent")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words `first:last` of the whole quotation at `start:end` of all texts; `gap` is how many
    characters may stand between it and the piece before it."""

    first: int
    last: int
    start: int
    end: int
    gap: int
    aligned: Aligned


def look_up(index: QuoteIndex, quotation: str, same: Sameness) -> Finding:
    """The verdict on words that claim to be quoted. Blocking."""
    places = index.find(quotation)
    if places:
        return _exactly(quotation, places, same)
    parts = quoted_parts(quotation)
    words = [words_of(text) for text, _ in parts]
    total = sum(len(word.letters) for some in words for word in some)
    pieces: list[_Piece] = []
    before = lost = 0
    for (text, gap), some in zip(parts, words, strict=True):
        for at in range(0, len(some), _CHUNK):
            chunk = some[at : at + _CHUNK]
            room = gap if at == 0 else _JOIN
            found = _pieces(index, text, chunk, before + at, room, same)
            pieces += found
            lost += _letters(chunk) - sum(p.aligned.same for p in found)
            if len(pieces) > _MOST_PIECES or lost > _MOST_OTHER * total + _CHUNK:
                return ABSENT
        before += len(some)
    if not pieces:
        return ABSENT
    return _judge(index, pieces, total, [w for some in words for w in some], same)


def located(index: QuoteIndex, quotation: str, same: Sameness) -> list[Place]:
    """The places of a quotation that is found; none for any other verdict."""
    finding = look_up(index, quotation, same)
    return list(finding.places) if finding.verdict == "found" else []


def _exactly(quotation: str, places: Sequence[Place], same: Sameness) -> Finding:
    """Letter for letter, but accents may tell words apart ("wurde", "würde")."""
    alike = tuple(place for place in places if same_accents(quotation, place.text))
    if alike:
        return Finding("found", alike)
    if len(quoted_parts(quotation)) > 1:
        return Finding("found", tuple(places))
    aligned = align(quotation, words_of(quotation), places[0].text, same)
    changes = aligned.changes if aligned else ()
    return Finding("changed" if changes else "found", tuple(places[:1]), changes)


def _pieces(
    index: QuoteIndex, text: str, words: Sequence[Word], first: int, gap: int, same: Sameness
) -> list[_Piece]:
    """The pieces of some words, in order: the best one, and what is found of the rest by itself."""
    if not _is_enough(words):
        return []
    best = _best(index, text, words, same)
    if best is None:
        return []
    left, right = words[: best.first], words[best.last :]
    if not _is_rare(index, words[best.first : best.last], best, same):
        return []
    return [
        *_pieces(index, text, left, first, gap, same),
        _Piece(
            first + best.first,
            first + best.last,
            best.start,
            best.end,
            gap if not _is_enough(left) else _JOIN,
            best,
        ),
        *_pieces(index, text, right, first + best.last, _JOIN, same),
    ]


def _best(index: QuoteIndex, text: str, words: Sequence[Word], same: Sameness) -> Aligned | None:
    """The place that has most of the words; its span is in all texts."""
    best: Aligned | None = None
    nearest = 0.0
    for candidate in candidates(index, words)[:_MOST_TRIED]:
        if candidate.weight < _WEAK * nearest:
            break
        nearest = max(nearest, candidate.weight)
        found = _at(index, text, words, candidate, same)
        if found and (best is None or found.same - found.other > best.same - best.other):
            best = found
            if found.last - found.first == len(words) and found.other <= _SURE * found.same:
                break
    return best


def _at(
    index: QuoteIndex, text: str, words: Sequence[Word], near: Candidate, same: Sameness
) -> Aligned | None:
    """The words laid against what stands around a candidate, within one source."""
    begin = words[near.word].start
    low = max(0, near.at - int(1.2 * (begin - words[0].start)) - _MARGIN)
    high = near.at + int(1.2 * (words[-1].end - begin)) + _MARGIN
    region = index.text(low, high)
    cut = region.rfind(SEPARATOR, 0, near.at - low) + 1
    end = region.find(SEPARATOR, near.at - low)
    region = region[cut : end if end >= 0 else len(region)]
    found = align(text, words, region, same, (near.word, near.at - low - cut))
    shift = low + cut
    return found and replace(found, start=found.start + shift, end=found.end + shift)


def _is_enough(words: Sequence[Word]) -> bool:
    letters = "".join(word.letters for word in words)
    if UNSPACED.search(letters):
        return len(letters) >= _LEAST_UNSPACED
    return len(words) >= _LEAST_PIECE_WORDS and len(letters) >= _LEAST_PIECE_LETTERS


def _is_rare(index: QuoteIndex, words: Sequence[Word], found: Aligned, same: Sameness) -> bool:
    """Whether words stand together by more than chance, and most of them do."""
    if found.other > _MOST_OTHER * (found.same + found.other):
        return False
    if UNSPACED.search(words[0].letters if words else ""):
        return found.same >= _LEAST_UNSPACED
    total = max(2, index.total_words)
    bits = sum(math.log2(total / (1 + same.count(word.letters))) for word in words)
    share = found.same / max(1, found.same + found.other)
    # A corpus of a few hundred words cannot make any words rare: there three are enough.
    return bits * share >= min(_LEAST_BITS, 3 * math.log2(total / 2))


def _judge(
    index: QuoteIndex,
    pieces: Sequence[_Piece],
    total: int,
    words: Sequence[Word],
    same: Sameness,
) -> Finding:
    runs = _runs(index, pieces)
    covered = sum(_letters(words[p.first : p.last]) for p in pieces)
    if len(runs) > 1:
        runs = [run for run in runs if sum(p.aligned.same for p in run) >= _LEAST_PIECE_LETTERS]
    if len(runs) > 1:
        lost = total - sum(p.aligned.same for run in runs for p in run)
        if lost > _MOST_LOST * total:
            return ABSENT
        changes = tuple(c for run in runs for p in run for c in p.aligned.changes)
        return Finding("stitched", tuple(_place(index, run) for run in runs), changes)
    if not runs:
        return ABSENT
    (run,) = runs
    changes, other = _changes(index, run, words)
    agree = sum(p.aligned.same for p in run)
    if other + (total - covered) > _MOST_OTHER * (agree + other + total - covered):
        return ABSENT
    changes = _among_misreadings(changes, same)
    misread = sum(len(fold(c.quoted)) for c in changes if c.kind == "scan")
    only = all(change.kind != "words" for change in changes)
    verdict: Literal["found", "changed"] = (
        "found" if only and misread <= _MOST_MISREAD * total else "changed"
    )
    return Finding(verdict, (_place(index, run),), changes)


def _among_misreadings(changes: tuple[QuoteChange, ...], same: Sameness) -> tuple[QuoteChange, ...]:
    """Words that look misread, as misread, where at least as many surely are."""
    alike = [change for change in changes if change.kind == "words" and same.looks_misread(change)]
    if len(alike) > sum(change.kind == "scan" for change in changes):
        return changes
    return tuple(replace(c, kind="scan") if c in alike else c for c in changes)


def _runs(index: QuoteIndex, pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """Pieces that follow each other in one source, near enough, as one."""
    runs: list[list[_Piece]] = []
    for piece in pieces:
        before = runs[-1][-1] if runs else None
        if before is not None and _follows(index, before, piece):
            runs[-1].append(piece)
        else:
            runs.append([piece])
    return runs


def _follows(index: QuoteIndex, one: _Piece, other: _Piece) -> bool:
    room = other.gap * 2 if other.gap >= GAP_LIMIT else other.gap
    near = one.end <= other.start <= one.end + room
    return near and SEPARATOR not in index.text(one.end, other.start)


def _changes(
    index: QuoteIndex, run: Sequence[_Piece], words: Sequence[Word]
) -> tuple[tuple[QuoteChange, ...], int]:
    """The changes of a run with what lies between and beyond its pieces; and their letters."""
    changes: list[QuoteChange] = []
    other = 0
    last = 0
    for number, piece in enumerate(run):
        between = ""
        if number and piece.gap < GAP_LIMIT:
            between = " ".join(index.text(run[number - 1].end, piece.start).split())
        unheld = " ".join(word.letters for word in words[last : piece.first])
        if unheld or fold(between):
            changes.append(QuoteChange(unheld, between, "words"))
            other += len(fold(between))
        changes += piece.aligned.changes
        other += piece.aligned.other
        last = piece.last
    if rest := " ".join(word.letters for word in words[last:]):
        changes.append(QuoteChange(rest, "", "words"))
    return tuple(changes), other


def _place(index: QuoteIndex, run: Sequence[_Piece]) -> Place:
    return index.place(run[0].start, run[-1].end)


def _letters(words: Sequence[Word]) -> int:
    return sum(len(word.letters) for word in words)
