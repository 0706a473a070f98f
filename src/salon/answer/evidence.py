"""Numbers the hits and trims them to a model's budget by sentences, keeping every span.

A passage's cost in tokens is shared among its characters: nothing is counted again here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from salon.answer.support import Pool, Rate, Sentence, relevance
from salon.types import Evidence, Hit, Span

GAP = " [...] "
_GAP_TOKENS = 3
_LEAST_TOKENS = 40
"""A hit that would get fewer tokens than this for its share of the budget is dropped from the end.
"""

_WEAK = 0.65
"""Measured on 25 questions to five books: below this nothing of the sought words was lost."""

_LARGEST_SHARE = 0.6
"""Of what is left, the most that one passage's best sentence may take."""


def whole(hits: Sequence[Hit]) -> tuple[Evidence, ...]:
    """Every distinct hit in full, numbered from 1 by rank."""
    kept = distinct(hits)
    return tuple(
        Evidence(number, hit, (Span(hit.passage.start, hit.passage.end),), hit.passage.text)
        for number, hit in enumerate(kept, 1)
    )


def gather(
    hits: Sequence[Hit], question: str, budget: int, code: str, rate: Rate | None = None
) -> tuple[Evidence, ...]:
    """The evidence for a prompt, at most `budget` tokens; empty hits give empty evidence."""
    items = whole(hits)
    if sum(item.hit.passage.tokens for item in items) <= budget or not items:
        return items
    items = items[: max(1, budget // _LEAST_TOKENS)]
    pool = Pool(items, code)
    scores = relevance(question, pool, rate)
    return _trim(items, *_unrepeated(pool.sentences, scores), budget, _WEAK if rate else 0.0)


def _unrepeated(
    pool: Sequence[Sentence], scores: Sequence[float]
) -> tuple[list[Sentence], list[float]]:
    """The sentences without those that an earlier, overlapping passage of the same source has."""
    seen: set[tuple[int, str]] = set()
    kept = []
    for i, sentence in enumerate(pool):
        key = (sentence.span.end, sentence.text[-40:])
        if key not in seen:
            kept.append(i)
        seen.add(key)
    return [pool[i] for i in kept], [scores[i] for i in kept]


def distinct(hits: Sequence[Hit]) -> list[Hit]:
    """Hits without those whose words an earlier one already has, case and spacing aside."""
    kept: list[Hit] = []
    seen: list[str] = []
    for hit in hits:
        folded = " ".join(hit.passage.text.casefold().split())
        if not any(folded in earlier for earlier in seen):
            kept.append(hit)
            seen.append(folded)
    return kept


def _trim(
    items: Sequence[Evidence],
    pool: Sequence[Sentence],
    scores: Sequence[float],
    budget: int,
    weak: float,
) -> tuple[Evidence, ...]:
    """First the best sentence of every passage, then the best of all with what stands around them.

    A passage whose best sentence scores less than `weak` of the best of all is left out.
    """
    rates = {i.number: i.hit.passage.tokens / max(1, len(i.hit.passage.text)) for i in items}
    left = float(budget)
    # Rank breaks near ties: the last of six hits needs a clearly better sentence than the first.
    value = [score * (1 - 0.03 * pool[i].number) for i, score in enumerate(scores)]
    order = sorted(range(len(pool)), key=lambda i: -value[i])
    chosen: dict[int, dict[int, Sentence]] = {}
    closed: set[int] = set()
    for number, best in sorted({pool[i].number: i for i in reversed(order)}.items()):
        if value[best] < weak * value[order[0]]:
            continue
        room = left if number == items[-1].number else left * _LARGEST_SHARE
        sentence = pool[best]
        if _cost(sentence, rates) > room:
            if chosen and room < _LEAST_TOKENS:
                continue
            sentence = _clipped(sentence, int((room - _GAP_TOKENS) / max(rates[number], 1e-6)))
            closed.add(number)
        chosen[number] = {best: sentence}
        left -= _cost(sentence, rates)
    for j in order:
        number = pool[j].number
        if number not in chosen or number in closed:
            continue
        for i in (j, *_between(j, chosen[number]), j + 1, j - 1):
            inside = 0 <= i < len(pool) and pool[i].number == number and i not in chosen[number]
            if inside and (cost := _cost(pool[i], rates)) <= left:
                chosen[number][i] = pool[i]
                left -= cost
    kept = [
        _cut(item, [sentence for _, sentence in sorted(chosen[item.number].items())])
        for item in items
        if item.number in chosen
    ]
    return tuple(replace(item, number=n) for n, item in enumerate(kept, 1))


def _between(i: int, chosen: Collection[int]) -> tuple[int, ...]:
    """A single sentence that parts this one from a chosen one: it costs less than its gap harms."""
    return tuple((i + j) // 2 for j in (i - 2, i + 2) if j in chosen)


def _cost(sentence: Sentence, rates: dict[int, float]) -> float:
    return len(sentence.span) * rates[sentence.number] + _GAP_TOKENS


def _cut(item: Evidence, kept: Sequence[Sentence]) -> Evidence:
    """The evidence with only these sentences; neighbours become one span with what lies between."""
    spans: list[Span] = []
    last = -2
    for sentence in kept:
        if sentence.place == last + 1:
            spans[-1] = Span(spans[-1].start, sentence.span.end)
        else:
            spans.append(sentence.span)
        last = sentence.place
    return replace(item, spans=tuple(spans), text=GAP.join(_slice(item, span) for span in spans))


def _slice(item: Evidence, span: Span) -> str:
    passage = item.hit.passage
    return passage.text[span.start - passage.start : span.end - passage.start]


def _clipped(sentence: Sentence, room: int) -> Sentence:
    """The first words of a sentence that is too large by itself, at most `room` characters."""
    room = max(1, room)
    end = sentence.text.rfind(" ", 0, room)
    text = sentence.text[: end if end > 0 else room]
    start = sentence.span.start
    return replace(sentence, span=Span(start, start + len(text)), text=text)
