"""Claims against the passages: what bears each out, and the figures the score is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from salon.answer.claims import Claim, claims
from salon.answer.facts import Held, lacks, numbers, turned
from salon.answer.support import Match, Pool
from salon.answer.words import words
from salon.types import ClaimCheck, Evidence, Lack, QuotePlace, Span, SupportVerdict

_SUPPORTED, _PARTLY = 0.65, 0.3
"""Shares of a claim's words, by weight, that make it supported or partly so."""

_WINDOW = 4
_MOST_CLAIMS = 2000
"""An answer of more claims is checked up to here: it is no answer that anybody reads."""

_TOKEN = re.compile(r"\w+")
_HARD = frozenset(("name", "number", "date", "unit", "negation", "opposite"))


@dataclass(frozen=True, slots=True)
class Weighed:
    """A claim with what was found for it; shares are 0..1 of its content words.

    `best` is held by the best place, `held` by any passage, both by weight; `pairs` are neighbours
    that also stand together in a passage, `swapped` those that stand there the other way round;
    `copied` are runs of three words; `substituted` are words that are new between two that the best
    place has; `far` counts numbers that stand elsewhere than in the best place.
    """

    claim: Claim
    text: str
    size: int
    match: Match | None
    best: float
    held: float
    pairs: float
    swapped: float
    copied: float
    substituted: float
    far: int
    lacks: tuple[Lack, ...]

    @property
    def score(self) -> float:
        """How far the claim is borne out: its words, less what contradicts."""
        hard = sum(lack.kind in _HARD for lack in self.lacks)
        words = 0.5 * self.best + 0.5 * self.held
        return round(max(0.0, words - 0.25 * hard), 3)

    @property
    def verdict(self) -> SupportVerdict:
        if self.claim.empty:
            return "no_claim"
        hard = any(lack.kind in _HARD for lack in self.lacks)
        if self.score >= _SUPPORTED and not hard:
            return "supported"
        return "partly" if self.score >= _PARTLY else "unsupported"


class Checker:
    """Weighs claims against one pool. `spare` is what needs no support: the question."""

    def __init__(self, pool: Pool, spare: str) -> None:
        self._pool = pool
        self._code = pool.code
        text = "\n".join(sentence.text for sentence in pool.sentences)
        self._all = Held(text, pool.code)
        self._spare = Held("\n".join((spare, *pool.titles)), pool.code)
        self._pairs: set[tuple[str, str]] = set()
        order = self._all.order
        for at, word in enumerate(order):
            self._pairs.update((word, other) for other in order[at + 1 : at + _WINDOW])
        self._runs = _runs(text)

    def weigh(self, text: str) -> list[Weighed]:
        return [self._weigh(text, claim) for claim in claims(text, self._code)[:_MOST_CLAIMS]]

    def _weigh(self, text: str, claim: Claim) -> Weighed:
        piece = text[claim.span.start : claim.span.end]
        found = [word.stem for word in words(piece, self._code)]
        wanted = [word for word in found if not self._spare.has(word)] or found
        match = self._pool.best(piece)
        place = self._place(match)
        there = Held(place, self._code)
        missing = lacks(piece, self._all, self._spare)
        if match is not None and match.share >= _PARTLY:
            missing += turned(piece, place, self._code, there.stems)
        near = list(pairwise(found))
        together = sum(pair in self._pairs for pair in near)
        swapped = sum(
            (b, a) in self._pairs and (a, b) not in self._pairs and a != b for a, b in near
        )
        runs = _runs(piece)
        between = sum(
            not self._all.has(b) and there.has(a) and there.has(c)
            for a, b, c in zip(found, found[1:], found[2:], strict=False)
        )
        far = sum(
            n.value in self._all.numbers and n.value not in there.numbers and n.value != "1"
            for n in numbers(piece)
        )
        return Weighed(
            claim=claim,
            text=piece,
            size=len(found),
            match=match,
            best=self._share(wanted, there),
            held=self._share(wanted, self._all),
            pairs=together / len(near) if near else self._share(wanted, there),
            swapped=swapped / len(near) if near else 0.0,
            copied=len(runs & self._runs) / len(runs) if runs else self._share(wanted, there),
            substituted=between / max(1, len(found)),
            far=far,
            lacks=tuple(missing),
        )

    def _share(self, wanted: Sequence[str], held: Held) -> float:
        whole = self._pool.total(wanted)
        return self._pool.total(w for w in wanted if held.has(w)) / whole if whole else 0.0

    def _place(self, match: Match | None) -> str:
        if match is None:
            return ""
        span, number = match.span, match.number
        return " ".join(
            s.text
            for s in self._pool.sentences
            if s.number == number and s.span.start < span.end and span.start < s.span.end
        )


def report(weighed: Weighed, evidence: Sequence[Evidence], start: int, end: int) -> ClaimCheck:
    """What a reader sees of a claim; `start:end` is where it stands in the answer."""
    lost = () if weighed.claim.empty else weighed.lacks
    score = 0.0 if weighed.claim.empty else weighed.score
    return ClaimCheck(
        start=start,
        end=end,
        text=weighed.text,
        sentence=weighed.claim.sentence,
        verdict=weighed.verdict,
        score=score,
        place=None if weighed.claim.empty else _standing(weighed.match, evidence),
        lacks=lost,
    )


def _standing(match: Match | None, evidence: Sequence[Evidence]) -> QuotePlace | None:
    item = next((e for e in evidence if match and e.number == match.number), None)
    if match is None or item is None:
        return None
    passage, source = item.hit.passage, item.hit.source
    inside = Span(match.span.start - passage.start, match.span.end - passage.start)
    return QuotePlace(
        source=source.name,
        source_id=source.id,
        title=source.title,
        start=match.span.start,
        end=match.span.end,
        text=passage.text[inside.start : inside.end],
    )


def _runs(text: str) -> set[tuple[str, str, str]]:
    tokens = _TOKEN.findall(text.casefold())
    return set(zip(tokens, tokens[1:], tokens[2:], strict=False))
