"""Numbers the hits and trims them to a model's budget by sentences, keeping every span.

A passage's cost in tokens is shared among its characters: nothing is counted again here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from salon.answer.support import Pool, Rate, Sentence, relevance
from salon.types import Evidence, Hit, Span

GAP = " [...] "
_GAP_TOKENS = 3
_LEAST_TOKENS = 40
"""A hit that would get fewer tokens than this for its share of the budget is dropped from the end.
"""


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
    return _trim(items, *_unrepeated(pool.sentences, scores), budget)


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
        folded = " ".join(re.findall(r"\w+", hit.passage.text.casefold()))
        if not any(folded in earlier for earlier in seen):
            kept.append(hit)
            seen.append(folded)
    return kept


def _trim(
    items: Sequence[Evidence], pool: Sequence[Sentence], scores: Sequence[float], budget: int
) -> tuple[Evidence, ...]:
    rates = {i.number: i.hit.passage.tokens / max(1, len(i.hit.passage.text)) for i in items}
    left = float(budget)
    chosen: dict[int, set[int]] = {}
    # Rank breaks near ties: the last of six hits needs a clearly better sentence than the first.
    value = [score * (1 - 0.03 * pool[i].number) for i, score in enumerate(scores)]
    order = sorted(range(len(pool)), key=lambda i: -value[i])
    firsts: dict[int, int] = {}
    for i in order:
        firsts.setdefault(pool[i].number, i)
    for number in sorted(firsts):
        cost = _cost(pool[firsts[number]], rates)
        if cost <= left:
            chosen[number] = {firsts[number]}
            left -= cost
    if not chosen:
        return (_clip(items[0], budget),)
    for i in [near for j in order for near in (j, j + 1, j - 1)]:
        fits = 0 <= i < len(pool) and pool[i].number in chosen and i not in chosen[pool[i].number]
        if fits and (cost := _cost(pool[i], rates)) <= left:
            chosen[pool[i].number].add(i)
            left -= cost
    kept = [
        _cut(i, [pool[j] for j in sorted(chosen[i.number])]) for i in items if i.number in chosen
    ]
    return tuple(replace(item, number=n) for n, item in enumerate(kept, 1))


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


def _clip(item: Evidence, budget: int) -> Evidence:
    """The first words that fit, for a passage whose every sentence is larger than the budget."""
    passage = item.hit.passage
    room = max(1, int(budget * len(passage.text) / max(1, passage.tokens)))
    end = passage.text.rfind(" ", 0, room)
    span = Span(passage.start, passage.start + (end if end > 0 else room))
    return replace(item, spans=(span,), text=_slice(item, span))
