"""What a printed page carries besides its text: page numbers, running heads and feet."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from salon.corpus.extract import Drop
from salon.corpus.footnotes import bridged

_REPEATED = 3
_LONGEST = 100
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_NUMBER_LINE = re.compile(r"\s*(?:[-–—\[(]\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*[-–—\])])?\s*$")
_NUMBERED = re.compile(r"^\W*(?:\d+|[ivxlc]+)\b|\b(?:\d+|[ivxlc]+)\W*$", re.IGNORECASE)
_ALONE = re.compile(r"^[ \t]*(?:[-–—] ?)?(\d{1,4})(?: ?[-–—])?[ \t]*$", re.MULTILINE)
_HEAD_LINE = re.compile(
    r"^[ \t]*(?:\d{1,4}[ \t.]+[A-Z][A-Z .,'’&:-]{4,70}|[A-Z][A-Z .,'’&:-]{4,70}?[ \t.]+\d{1,4})"
    r"[ \t]*$",
    re.MULTILINE,
)
# Numbers of pages rise by one or two and stand about a page apart.
_FEWEST = 6
_RISING = 0.7
_LEAST_PAGE, _MOST_PAGE = 500, 12_000
_SENTENCE_END = re.compile(r"[.!?:;”\"'’»)\]]\s*$")


def page_drops(texts: Sequence[str]) -> list[list[Drop]]:
    """Of each page, its number and what comes again at the same end of other pages."""
    tops = Counter(_shape(text.lstrip("\n").split("\n")[0]) for text in texts if text.strip())
    bottoms = Counter(_shape(text.rstrip().split("\n")[-1]) for text in texts if text.strip())
    found: list[list[Drop]] = []
    for text in texts:
        drops: list[Drop] = []
        begun = len(text) - len(text.lstrip("\n"))
        first, _, rest = text[begun:].partition("\n")
        if first.strip() and _is_furniture(first, tops):
            end = begun + len(first) + bool(rest)
            drops.append(Drop(begun, end, _named(first, "running head")))
        stripped = text.rstrip()
        begin = stripped.rfind("\n") + 1
        if begin > begun and _is_furniture(stripped[begin:], bottoms):
            reason = _named(stripped[begin:], "running foot")
            drops.append(Drop(begin - 1, len(stripped), reason))
        found.append(drops)
    return found


def text_drops(text: str) -> tuple[Drop, ...]:
    """The same of a plain text: by its form feeds where it has them, else by numbers that rise.

    Numbers that stand alone are page numbers only when they count on, a page apart, and break into
    sentences: numbers above poems and lessons stand between whole ones.
    """
    if text.count("\f") >= _REPEATED:
        return tuple(_of_form_feeds(text))
    pages = _rising(text, list(_ALONE.finditer(text)))
    heads = _heads(text)
    drops = [Drop(*match.span(), "page number") for match in pages]
    drops += [Drop(*match.span(), "running head") for match in heads]
    drops.sort(key=lambda drop: drop.start)
    return tuple(bridged(text, drop) for drop in _apart(drops))


def _apart(drops: Sequence[Drop]) -> list[Drop]:
    kept: list[Drop] = []
    for drop in drops:
        if not kept or drop.start >= kept[-1].end:
            kept.append(drop)
    return kept


def _of_form_feeds(text: str) -> list[Drop]:
    starts = [0] + [match.end() for match in re.finditer("\f", text)]
    ends = [start - 1 for start in starts[1:]] + [len(text)]
    pages = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return [
        bridged(text, Drop(start + drop.start, start + drop.end, drop.reason))
        for start, drops in zip(starts, page_drops(pages), strict=True)
        for drop in drops
    ]


def _rising(text: str, found: list[re.Match[str]]) -> list[re.Match[str]]:
    """The numbers that belong to the longest run that counts on, if it is one of pages."""
    if len(found) < _FEWEST:
        return []
    numbers = [int(match.group(1)) for match in found]
    best = _longest_rise(numbers)
    if len(best) < _FEWEST or len(best) < _RISING * len(found):
        return []
    run = [found[place] for place in best]
    gaps = sorted(after.start() - before.end() for before, after in pairwise(run))
    if not _LEAST_PAGE <= gaps[len(gaps) // 2] <= _MOST_PAGE:
        return []
    broken = sum(1 for match in run if _interrupts(text, match))
    return run if broken * 4 >= len(run) else []


def _longest_rise(numbers: Sequence[int]) -> list[int]:
    """Places of the longest strictly rising subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, number in enumerate(numbers):
        at = bisect_right(tails, number - 1)
        before.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(number)
            ends.append(place)
        else:
            tails[at], ends[at] = number, place
    place = ends[-1] if ends else -1
    chain: list[int] = []
    while place >= 0:
        chain.append(place)
        place = before[place]
    return chain[::-1]


def _interrupts(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 80) : match.start()].rstrip()
    return bool(before) and not _SENTENCE_END.search(before)


def _heads(text: str) -> list[re.Match[str]]:
    """Lines in capitals with a number, alike but for the number, that come again and again."""
    found = list(_HEAD_LINE.finditer(text))
    shapes = Counter(_shape(match.group()) for match in found)
    often = [match for match in found if shapes[_shape(match.group())] >= _FEWEST]
    broken = sum(1 for match in often if _interrupts(text, match))
    return often if broken * 4 >= len(often) else []


def _shape(line: str) -> str:
    """A line with its numbers taken out: heads of following pages differ by them alone."""
    return _DIGITS.sub("#", line.strip().lower())


def _named(line: str, kind: str) -> str:
    return "page number" if _NUMBER_LINE.match(line) else kind


def _is_furniture(line: str, shapes: Counter[str]) -> bool:
    if _NUMBER_LINE.match(line):
        return True
    if len(line) >= _LONGEST:
        return False
    count = shapes[_shape(line)]
    numbered = bool(_NUMBERED.search(line))
    return count >= _REPEATED and (numbered or (count >= 2 * _REPEATED and line.isupper()))
