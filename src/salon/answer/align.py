"""A quotation laid against the words of a place: what of it stands there, and what was changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from salon.answer.fold import Word, accents, words_of
from salon.types import QuoteChange

Same = Callable[[str, str], str]
"""Of a stretch of the quotation and one of the source, as they are written: "" for the same words,
else the kind of the change."""

_EDGE = 0.6
"""What a letter that differs, on either side, takes from a stretch; one in common gives 1."""

_REACH = 6
"""Words over which both are sought to meet again after a difference."""

_END_WORDS = 4
_EDGE_WORDS = 3
_LONG_WORD = 4

_NUMBER_LINE = re.compile(r"[\W_]*\d+[\W_]*")


@dataclass(frozen=True, slots=True)
class Aligned:
    """Words `first` to `last` (excluded) of a quotation stand at `start:end` of a text.

    `same` counts letters that agree, spelling and misreadings forgiven; `other` those that do not,
    of the quotation and the source together.
    """

    first: int
    last: int
    start: int
    end: int
    changes: tuple[QuoteChange, ...]
    same: int
    other: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Words i1:i2 of the quotation against j1:j2 of the source."""

    i1: int
    i2: int
    j1: int
    j2: int


@dataclass(frozen=True, slots=True)
class _Step:
    """A stretch and what is the matter with it; `change` None where both agree."""

    at: _Stretch
    change: QuoteChange | None
    letters: int

    @property
    def worth(self) -> float:
        return -_EDGE * self.letters if self.differs else float(self.letters)

    @property
    def differs(self) -> bool:
        return self.change is not None and self.change.kind == "words"


def align(
    quotation: str,
    words: Sequence[Word],
    source: str,
    same: Same,
    meet: tuple[int, int] = (0, 0),
) -> Aligned | None:
    """The stretch of the quotation that `source` has best; None when they share nothing.

    `words` are some or all of the quotation's, in order. `meet` is one of them and the character of
    `source` where it stands: the rest is sought about as far from there.
    """
    theirs = words_of(source)
    at = next((j for j, word in enumerate(theirs) if word.end > meet[1]), 0)
    if not words or not theirs:
        return None
    pairs = _path([w.letters for w in words], [w.letters for w in theirs], meet[0], at)
    steps = [
        _step(quotation, words, source, theirs, same, stretch)
        for group in _grouped(words, theirs, pairs)
        for stretch in _split(words, theirs, group)
    ]
    best = _best_run(steps)
    if not best:
        return None
    first, last = best[0].at, best[-1].at
    other = sum(step.letters for step in best if step.differs)
    return Aligned(
        first.i1,
        last.i2,
        theirs[first.j1].start,
        theirs[last.j2 - 1].end,
        tuple(step.change for step in best if step.change),
        sum(step.letters for step in best) - other,
        other,
    )


def _path(mine: Sequence[str], theirs: Sequence[str], i: int, j: int) -> list[tuple[int, int]]:
    """A way through both from where mine[i] is theirs[j], backwards and forwards, as places (words
    taken of mine, of theirs). It ends where neither meets the other again within a few words."""
    back = _walk(mine[:i][::-1], theirs[:j][::-1])
    ahead = _walk(mine[i:], theirs[j:])
    return [*((i - a, j - b) for a, b in reversed(back)), *((i + a, j + b) for a, b in ahead[1:])]


def _walk(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """From both beginnings, word by word, over differences to the nearest words in common."""
    path = [(0, 0)]
    i = j = 0
    while i < len(mine) and j < len(theirs):
        if mine[i] == theirs[j]:
            i, j = i + 1, j + 1
            path.append((i, j))
            continue
        met = _meeting(mine, theirs, i, j)
        if met is None:
            rest = len(mine) - i
            if rest <= _END_WORDS and j + rest <= len(theirs):
                path += [(i + k, j + k) for k in range(1, rest + 1)]
            break
        i, j = met
        path.append(met)
    return path


def _meeting(mine: Sequence[str], theirs: Sequence[str], i: int, j: int) -> tuple[int, int] | None:
    """The nearest places after a difference where both go on alike: two words, or one where as many
    differ on either side, or one at the end of mine."""
    for far in range(1, 2 * _REACH + 1):
        for a in sorted(
            range(max(0, far - _REACH), min(far, _REACH) + 1), key=lambda a: abs(2 * a - far)
        ):
            x, y = i + a, j + far - a
            if x >= len(mine) or y >= len(theirs) or mine[x] != theirs[y]:
                continue
            last = x + 1 == len(mine)
            two = not last and y + 1 < len(theirs) and mine[x + 1] == theirs[y + 1]
            if two or x - i == y - j or (last and len(mine[x]) >= _LONG_WORD):
                return x, y
    return None


def _grouped(
    words: Sequence[Word], theirs: Sequence[Word], path: Sequence[tuple[int, int]]
) -> Iterator[_Stretch]:
    """Words that agree one by one; what differs between two that do as one stretch."""
    start = path[0]
    for (i1, j1), (i2, j2) in pairwise(path):
        agree = i2 > i1 and j2 > j1 and words[i1].letters == theirs[j1].letters
        if agree:
            if start != (i1, j1):
                yield _Stretch(start[0], i1, start[1], j1)
            yield _Stretch(i1, i2, j1, j2)
            start = (i2, j2)
    if start != path[-1]:
        yield _Stretch(start[0], path[-1][0], start[1], path[-1][1])


def _split(words: Sequence[Word], theirs: Sequence[Word], at: _Stretch) -> Iterator[_Stretch]:
    """A differing stretch word by word where both have as many, else as one."""
    count = at.i2 - at.i1
    joined = _joined(words[at.i1 : at.i2]) == _joined(theirs[at.j1 : at.j2])
    if count > 1 and count == at.j2 - at.j1 and not joined:
        for k in range(count):
            yield _Stretch(at.i1 + k, at.i1 + k + 1, at.j1 + k, at.j1 + k + 1)
    else:
        yield at


def _step(
    quotation: str,
    words: Sequence[Word],
    source: str,
    theirs: Sequence[Word],
    same: Same,
    at: _Stretch,
) -> _Step:
    mine, other = words[at.i1 : at.i2], theirs[at.j1 : at.j2]
    letters = sum(len(word.letters) for word in mine)
    if not mine and _is_page_number(source, other):
        return _Step(at, None, 0)
    written, held = _written(quotation, mine), _written(source, other)
    if len(mine) == len(other) == 1 and mine[0].letters == other[0].letters:
        if accents(written) == accents(held) or quotation.isascii() or source.isascii():
            return _Step(at, None, letters)
        return _Step(at, QuoteChange(written, held, "words"), 2 * letters)
    kind = same(written, held)
    if not kind:
        return _Step(at, None, letters)
    if kind == "words":
        both = letters + sum(len(word.letters) for word in other)
        return _Step(at, QuoteChange(written, held, "words"), both)
    return _Step(at, QuoteChange(written, held, "scan" if kind == "scan" else "spelling"), letters)


def _best_run(steps: Sequence[_Step]) -> Sequence[_Step]:
    """The run of steps that is worth most (Kadane's rule), and with it the changed words at the
    quotation's own ends."""
    best, best_worth = (0, 0), 0.0
    start, worth = 0, 0.0
    for at, step in enumerate(steps):
        if worth <= 0:
            start, worth = at, 0.0
        worth += step.worth
        if worth > best_worth:
            best, best_worth = (start, at + 1), worth
    first, last = best
    if last == 0:
        return ()
    if _is_edge(steps[:first]):
        first = 0
    if _is_edge(steps[last:]):
        last = len(steps)
    return steps[first:last]


def _is_edge(steps: Sequence[_Step]) -> bool:
    """Whether these are a few words of the quotation for as many of the source."""
    return sum(step.at.i2 - step.at.i1 for step in steps) <= _EDGE_WORDS and all(
        step.at.i2 > step.at.i1 and step.at.j2 > step.at.j1 for step in steps
    )


def _joined(words: Sequence[Word]) -> str:
    return "".join(word.letters for word in words)


def _written(text: str, words: Sequence[Word]) -> str:
    return " ".join(text[words[0].start : words[-1].end].split()) if words else ""


def _is_page_number(source: str, words: Sequence[Word]) -> bool:
    """Whether the words are a number that stands alone on its line."""
    if not words:
        return False
    start = source.rfind("\n", 0, words[0].start) + 1
    end = source.find("\n", words[-1].end)
    line = source[start : end if end >= 0 else len(source)]
    return start > 0 and end >= 0 and _NUMBER_LINE.fullmatch(line) is not None
