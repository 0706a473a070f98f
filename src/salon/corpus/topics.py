"""Scripts and transcripts: cut where scene, place or time shift, without overlap.

A boundary between two paragraphs or turns has a strength. A heading, a scene line, a divider or a
jump of the clock is sure; a paragraph that begins with another time or place is likely; else the
strength is how far the words of both sides fall apart (the depth score of TextTiling: M. Hearst,
"TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages", Computational Linguistics
23(1), 1997).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from salon.corpus.genre import TIMESTAMP
from salon.corpus.headings import DATE, DIVIDER
from salon.corpus.outline import Outline
from salon.corpus.tokens import CountTokens
from salon.corpus.units import Unit, joined, paragraphs_of
from salon.types import CutterConfig, Source, Span

_SURE = 1.0
_LIKELY = 0.6
_COHESION = 0.5
# Shares of the maximum: below the first a scene joins its neighbour; a likely shift cuts only
# where both sides have the second.
_SMALLEST = 0.1
_SIZEABLE = 0.25
# Tokens on each side whose words are compared, and the grain in which they are.
_WINDOW, _GRAIN = 150, 50
_LATER = 0.2
_UNITS = (1, 60, 3_600, 86_400)
# The clock jumps when it moves on by so many usual steps, and by so many seconds at least.
_JUMP = 20
_SECONDS = 300
_SCENE = re.compile(
    r"[ \t]*(?:INT\.|EXT\.|INT/EXT|(?:ACT|SCENE|PART|EPISODE|SEGMENT|REEL)\s+[\dIVXLC]+"
    r"|(?:CUT|FADE|DISSOLVE)\b|NARRATOR\b|\[(?:scene|music|title|cut|archive|exterior|interior)\b"
    r"|(?:a|the) (?:recess|session|court) (?:was|is|adjourned|resumed)\b)",
    re.IGNORECASE,
)
_SHIFT = re.compile(
    r"[ \t\"“]*(?:meanwhile|elsewhere"
    r"|the (?:next|following|same) (?:day|morning|evening|night|week|month|year)"
    r"|(?:a|two|three|four|five|six|ten|twenty|several|some|many|\d+)"
    r" (?:days?|weeks?|months?|years?|hours?) later"
    r"|(?:that|one) (?:day|morning|evening|night|summer|winter|spring|autumn)\b|back in\b"
    r"|(?:in|by|on|at|since|until)"
    r" (?:the (?:spring|summer|autumn|fall|winter|year|early|late)|\d{4}\b)"
    r"|(?:to|in|at|near|outside) [A-Z][a-z]+,|today\b|now,|years? (?:before|earlier|after))",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"[ \t]*(?:A|Answer)[.:]\s")
_WORD = re.compile(r"[^\W\d_]{4,}")


def cut_topics(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Unit]:
    """Scenes of at most `maximum` tokens; a longer one is parted where it holds together least."""
    turns = _turns(source.text, outline, config, count)
    if not turns:
        return []
    strengths = _strengths(source.text, turns, outline)
    spans: list[Unit] = []
    for first, last in _scenes(turns, strengths, config):
        spans += [joined(turns[a : b + 1]) for a, b in _fit(turns, strengths, first, last, config)]
    return spans


def _turns(text: str, outline: Outline, config: CutterConfig, count: CountTokens) -> list[Unit]:
    """Paragraphs or turns, each one unit; one above the maximum is its sentences."""
    turns: list[Unit] = []
    for stretch in outline.stretches:
        turns += paragraphs_of(text, Span(stretch.start, stretch.end), config.maximum, count)
    return turns


def _strengths(text: str, turns: Sequence[Unit], outline: Outline) -> list[float]:
    """How strong the boundary before each turn is; the first has none."""
    words = [Counter(w.lower() for w in _WORD.findall(text, t.start, t.end)) for t in turns]
    depths = _depths(words, [turn.tokens for turn in turns])
    headings = {stretch.start for stretch in outline.stretches if stretch.path}
    jumps = _clock_jumps(text, turns)
    strengths = [0.0]
    for place in range(1, len(turns)):
        turn, before = turns[place], turns[place - 1]
        between = text[before.end : turn.start]
        line = text[turn.start : min(turn.end, turn.start + 120)]
        begins = not headings.isdisjoint(range(before.end, turn.start + 1))
        if (
            begins
            or place in jumps
            or _SCENE.match(line)
            or DIVIDER.match(between.strip() or ".")
            or DIVIDER.match(text, before.start, before.end)
        ):
            strengths.append(_SURE)
        elif _ANSWER.match(line):
            strengths.append(-_COHESION)
        elif _SHIFT.match(line) or DATE.match(line.lstrip()):
            strengths.append(_LIKELY + depths[place] * (1 - _LIKELY) * _COHESION)
        else:
            strengths.append(depths[place] * _COHESION)
    return strengths


def _clock_jumps(text: str, turns: Sequence[Unit]) -> set[int]:
    """Turns before which the clock of a transcript stood still for long, or was set back."""
    times: list[tuple[int, int]] = []
    for place, turn in enumerate(turns):
        if match := TIMESTAMP.match(text, turn.start):
            times.append((place, _seconds([int(part) for part in match.groups() if part])))
    steps = sorted(after - before for (_, before), (_, after) in pairwise(times))
    if len(steps) < _JUMP:
        return set()
    usual = max(steps[len(steps) // 2], 1)
    least = max(_JUMP * usual, _SECONDS)
    return {
        place
        for (_, before), (place, after) in pairwise(times)
        if after - before >= least or after < before
    }


def _seconds(stamp: Sequence[int]) -> int:
    """Two numbers are minutes and seconds, three begin with hours, four with days."""
    return sum(number * unit for number, unit in zip(reversed(stamp), _UNITS, strict=False))


def _depths(words: Sequence[Counter[str]], sizes: Sequence[int]) -> list[float]:
    """Depth score at each boundary, 0..1: how far similarity falls below the peaks beside it.

    It is taken between grains of some turns each; a boundary within a grain has none.
    """
    starts, grains = _grains(words, sizes)
    wide = max(_WINDOW // _GRAIN, 1)
    similar = [1.0]
    for place in range(1, len(grains)):
        left: Counter[str] = sum(grains[max(place - wide, 0) : place], Counter())
        right: Counter[str] = sum(grains[place : place + wide], Counter())
        similar.append(_cosine(left, right))
    rising = _peaks(similar)
    falling = _peaks(similar[::-1])[::-1]
    depths = [0.0] * len(words)
    for place in range(1, len(grains)):
        peaks = rising[place] + falling[place] - 2 * similar[place]
        depths[starts[place]] = min(peaks / 2, 1.0)
    return depths


def _grains(
    words: Sequence[Counter[str]], sizes: Sequence[int]
) -> tuple[list[int], list[Counter[str]]]:
    """Consecutive turns of some tokens together: where each grain starts, and its words."""
    starts: list[int] = []
    grains: list[Counter[str]] = []
    tokens = _GRAIN
    for place, counted in enumerate(words):
        if tokens >= _GRAIN:
            starts.append(place)
            grains.append(Counter())
            tokens = 0
        grains[-1].update(counted)
        tokens += sizes[place]
    return starts, grains


def _peaks(similar: Sequence[float]) -> list[float]:
    """The height that each place is reached from without a descent before it."""
    peaks: list[float] = []
    for place, value in enumerate(similar):
        climbs = place > 0 and similar[place - 1] >= value
        peaks.append(peaks[-1] if climbs else value)
    return peaks


def _cosine(a: Counter[str], b: Counter[str]) -> float:
    if not a or not b:
        return 0.0
    dot = sum(n * b[word] for word, n in a.items() if word in b)
    return dot / math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))


def _scenes(
    turns: Sequence[Unit], strengths: Sequence[float], config: CutterConfig
) -> list[tuple[int, int]]:
    """First and last turn of each scene: parted at sure shifts, and at likely ones with room."""
    smallest, sizeable = _SMALLEST * config.maximum, _SIZEABLE * config.maximum
    scenes: list[tuple[int, int]] = []
    first = 0
    tokens = turns[0].tokens
    for place in range(1, len(turns)):
        strength = strengths[place]
        enough = smallest if strength >= _SURE else sizeable
        if strength >= _LIKELY and tokens >= enough:
            scenes.append((first, place - 1))
            first, tokens = place, 0
        tokens += turns[place].tokens
    scenes.append((first, len(turns) - 1))
    return scenes


def _fit(
    turns: Sequence[Unit], strengths: Sequence[float], first: int, last: int, config: CutterConfig
) -> list[tuple[int, int]]:
    """The scene in pieces that fit, parted at the strongest boundary with enough on both sides."""
    pieces: list[tuple[int, int]] = []
    while True:
        size = sum(turn.tokens for turn in turns[first : last + 1])
        if size <= config.maximum or first == last:
            pieces.append((first, last))
            return pieces
        cut = _best(turns, strengths, first, last, config)
        pieces.append((first, cut - 1))
        first = cut


def _best(
    turns: Sequence[Unit], strengths: Sequence[float], first: int, last: int, config: CutterConfig
) -> int:
    """The turn to begin the next piece with: the strongest boundary in reach of the maximum."""
    tokens, best, strongest = 0, first + 1, -math.inf
    for place in range(first + 1, last + 1):
        tokens += turns[place - 1].tokens
        if tokens > config.maximum:
            break
        # A later cut makes fewer pieces: it counts a little.
        strength = strengths[place] + _LATER * tokens / config.maximum
        if tokens < _SIZEABLE * config.maximum:
            best = place
        elif strength > strongest:
            best, strongest = place, strength
    return best
