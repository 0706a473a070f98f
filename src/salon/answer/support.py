"""Which sentence of the evidence carries a stretch of text, and how well."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from salon.answer.words import stems
from salon.corpus.sentences import sentences
from salon.types import Evidence, Span

Rate = Callable[[str, Sequence[str]], Sequence[float]]
"""How near in meaning each text is to a question: cosines, in the order of the texts. Blocking."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the evidence: `number` is its evidence's, `place` counts within the passage.

    `span` is in the cleaned source.
    """

    number: int
    place: int
    span: Span
    text: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Match:
    """The best one or two neighbouring sentences for some words; `share` of the words' weight,
    0..1."""

    number: int
    span: Span
    share: float


def read(evidence: Iterable[Evidence], code: str) -> tuple[Sentence, ...]:
    """The sentences of each evidence that lie inside what was kept of it."""
    found = []
    for item in evidence:
        passage = item.hit.passage
        for place, span in enumerate(sentences(passage.text)):
            inside = Span(span.start + passage.start, span.end + passage.start)
            if any(kept.start < inside.end and inside.start < kept.end for kept in item.spans):
                text = passage.text[span.start : span.end]
                found.append(Sentence(item.number, place, inside, text, stems(text, code)))
    return tuple(found)


class Pool:
    """The evidence's sentences with a weight for each word: rare in the evidence is heavy."""

    def __init__(self, evidence: Sequence[Evidence], code: str) -> None:
        self.code = code
        self.titles = tuple(dict.fromkeys(item.hit.source.title for item in evidence))
        self.sentences = read(evidence, code)
        self._counts = Counter(stem for s in self.sentences for stem in s.stems)
        size = len(self.sentences)
        self._weights = {stem: math.log(1 + size / n) for stem, n in self._counts.items()}
        self._heaviest = math.log(1 + size)

    def stems(self, text: str) -> frozenset[str]:
        return stems(text, self.code)

    def weight(self, stem: str) -> float:
        """Inverse document frequency over sentences, log(1 + n / df); a word nobody has is
        heaviest."""
        return self._weights.get(stem, self._heaviest)

    def total(self, words: Iterable[str]) -> float:
        return sum(self.weight(word) for word in words)

    def has(self, stem: str) -> bool:
        return stem in self._counts

    def share(self, wanted: Collection[str], held: Collection[str]) -> float:
        """The part of `wanted`, by weight, that `held` has; 0 when nothing is wanted."""
        whole = self.total(wanted)
        return self.total(word for word in wanted if word in held) / whole if whole else 0.0

    def best(self, text: str, numbers: Collection[int] | None = None) -> Match | None:
        """The sentence, or two neighbours where the second adds a quarter, that hold most of
        `text`.

        `numbers` restricts the evidence. None when no sentence shares a word with it.
        """
        wanted = stems(text, self.code)
        best: Match | None = None
        for index, one in enumerate(self.sentences):
            if numbers is not None and one.number not in numbers:
                continue
            alone = self.share(wanted, one.stems)
            if alone and (best is None or alone > best.share):
                best = Match(one.number, one.span, alone)
            two = self._next(index)
            if two is None or not alone:
                continue
            both = self.share(wanted, one.stems | two.stems)
            longer = max(alone, self.share(wanted, two.stems)) * 1.25
            if both >= longer and (best is None or both > best.share):
                best = Match(one.number, Span(one.span.start, two.span.end), both)
        return best

    def _next(self, index: int) -> Sentence | None:
        if index + 1 >= len(self.sentences):
            return None
        one, two = self.sentences[index], self.sentences[index + 1]
        follows = one.number == two.number and two.place == one.place + 1
        return two if follows else None


def relevance(question: str, pool: Pool, rate: Rate | None) -> list[float]:
    """How much each sentence of the pool bears on the question; about 0..1.2, comparable within a
    pool.

    Shared words weigh by rarity, and a neighbour's words count a quarter. With `rate`, nearness in
    meaning leads and shared words add at most 0.15.
    """
    wanted = stems(question, pool.code)
    shares = [pool.share(wanted, s.stems) for s in pool.sentences]
    lexical = []
    for i, s in enumerate(pool.sentences):
        around = [
            shares[j]
            for j in (i - 1, i + 1)
            if 0 <= j < len(shares) and pool.sentences[j].number == s.number
        ]
        lexical.append(shares[i] + 0.25 * max(around, default=0.0))
    if rate is None:
        return lexical
    near = rate(question, [s.text for s in pool.sentences])
    return [n + 0.15 * min(1.0, word) for n, word in zip(near, lexical, strict=True)]
