"""Signals to a score: how far an answer may be trusted to rest on the sources, with reasons.

The score starts at 1.0 and each weakness takes its penalty off. The preset `seed` holds the
figures; keyword overlap, similarity and hedges follow the published rule, the rest is ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from salon.answer.coverage import deviations
from salon.answer.languages import language
from salon.answer.support import Pool
from salon.answer.words import fold_key, stem
from salon.corpus.sentences import sentences
from salon.types import Background, Citation, Evidence, Grounding, QuoteCheck, Signal


@dataclass(frozen=True, slots=True)
class Penalties:
    """What each weakness takes off. `similarity` is in full below `poor`, nothing above `fair`."""

    overlap: float = 0.3
    overlap_below: float = 0.2
    similarity: float = 0.4
    poor: float = 0.4
    fair: float = 0.6
    hedge: float = 0.1
    hedges: float = 0.3
    quotation: float = 0.25
    quotations: float = 0.5
    uncited: float = 0.2
    dangling: float = 0.05
    support: float = 0.5
    support_below: float = 0.6
    fact: float = 0.1
    facts: float = 0.3
    unknown: float = 0.15
    unknowns: float = 0.3
    declined: float = 0.6


PRESETS = {"seed": Penalties()}

_IMPORTANT_WORDS = 40
_ENOUGH_WORDS = 10


@dataclass(frozen=True, slots=True)
class Draft:
    """What is scored: the text without marks and what is already known of it.

    `missing` are names of the question that the whole corpus does not have.
    """

    text: str
    question: str
    evidence: Sequence[Evidence]
    citations: Sequence[Citation]
    quotes: Sequence[QuoteCheck]
    similarity: float
    dangling: int = 0
    moved: int = 0
    declined: bool = False
    missing: Sequence[str] = ()


def calibrated(similarity: float, background: Background) -> float:
    """A cosine on the scale of the rule: 0.4 one deviation above what random questions score, 0.6
    at three; so "poor" and "fair" mean the same for every embedder and corpus. Clipped to 0..1."""
    above = deviations(similarity, background)
    return min(1.0, max(0.0, 0.4 + 0.1 * (above - 1)))


def ground(
    draft: Draft, pool: Pool, background: Background, below: float, preset: str = "seed"
) -> Grounding:
    """The score of an answer; `below` is the persona's bar."""
    rule = PRESETS[preset]
    signals = [similarity_signal(draft, background, rule), *unknown_signal(draft, rule)]
    if draft.declined:
        signals.append(declined_signal(rule))
    else:
        signals += [
            _overlap(draft, pool, rule),
            _hedges(draft, pool.code, rule),
            quotations_signal(draft, rule),
            citations_signal(draft, rule),
            _support(draft, pool, rule),
            _facts(draft, pool, rule),
        ]
    score = round(min(1.0, max(0.0, 1.0 - sum(signal.penalty for signal in signals))), 3)
    return Grounding(score, score >= below, tuple(signals), tuple(draft.quotes))


def ungrounded(reason: str, quotes: Sequence[QuoteCheck] = ()) -> Grounding:
    """The score of an answer for which nothing was searched."""
    return Grounding(0.0, False, (Signal("search", 0.0, 1.0, reason),), tuple(quotes))


def similarity_signal(draft: Draft, background: Background, rule: Penalties) -> Signal:
    value = calibrated(draft.similarity, background) if draft.evidence else 0.0
    lack = min(1.0, max(0.0, (rule.fair - value) / (rule.fair - rule.poor)))
    reason = (
        "nothing was found in the sources"
        if not draft.evidence
        else "the best passage is hardly nearer to the question than chance"
        if lack == 1.0
        else "the best passage is only loosely about the question"
        if lack
        else "the best passage is clearly about the question"
    )
    return Signal("similarity", round(value, 3), round(rule.similarity * lack, 3), reason)


def unknown_signal(draft: Draft, rule: Penalties) -> list[Signal]:
    if not draft.missing:
        return []
    penalty = min(rule.unknowns, rule.unknown * len(draft.missing))
    reason = "the sources never mention " + ", ".join(draft.missing)
    return [Signal("unknown_names", float(len(draft.missing)), round(penalty, 3), reason)]


def declined_signal(rule: Penalties) -> Signal:
    return Signal(
        "declined", 1.0, rule.declined, "the persona said that its sources do not cover this"
    )


def _overlap(draft: Draft, pool: Pool, rule: Penalties) -> Signal:
    """How many important words of the top three passages the answer uses, of ten that it could.

    Important are the forty heaviest by count times rarity. An answer of fewer words is held to as
    many as it has, three at the least.
    """
    important = _important(pool)
    said = pool.stems(draft.text)
    used = sum(word in said for word in important)
    enough = min(_ENOUGH_WORDS, max(3, len(said)))
    value = min(1.0, used / enough) if important else 0.0
    low = value < rule.overlap_below
    reason = f"the answer uses {used} of the weightiest words of its passages"
    return Signal("keyword_overlap", round(value, 3), rule.overlap if low else 0.0, reason)


def _important(pool: Pool) -> list[str]:
    counts = Counter(word for s in pool.sentences if s.number <= 3 for word in s.stems)
    ranked = sorted(counts, key=lambda w: (-counts[w] * pool.weight(w), w))
    return ranked[:_IMPORTANT_WORDS]


def _hedges(draft: Draft, code: str, rule: Penalties) -> Signal:
    text = " ".join(draft.text.casefold().split())
    found = [h for h in language(code).hedges if re.search(rf"(?<!\w){re.escape(h)}(?!\w)", text)]
    penalty = min(rule.hedges, rule.hedge * len(found))
    listed = ", ".join(f'"{hedge}"' for hedge in found)
    reason = f"general talk instead of the sources: {listed}" if found else "no hedging"
    return Signal("hedges", float(len(found)), round(penalty, 3), reason)


def quotations_signal(draft: Draft, rule: Penalties) -> Signal:
    absent = [check for check in draft.quotes if not check.verbatim]
    bad = len(absent) + draft.moved
    penalty = min(rule.quotations, rule.quotation * bad)
    if absent:
        reason = "not in the sources word for word: " + "; ".join(
            f'"{_short(c.text)}"' for c in absent
        )
    elif draft.moved:
        reason = f"{draft.moved} quotation(s) came from another passage than the one named"
    elif draft.quotes:
        reason = f"all {len(draft.quotes)} quotation(s) are in the sources word for word"
    else:
        reason = "nothing is quoted"
    return Signal("quotations", float(len(absent)), round(penalty, 3), reason)


def citations_signal(draft: Draft, rule: Penalties, uncited: float | None = None) -> Signal:
    """`uncited`, where given, is taken off in place of the rule's figure."""
    costs = rule.uncited if uncited is None else uncited
    penalty = 0.0 if draft.citations else costs
    reason = f"{len(draft.citations)} citation(s)" if draft.citations else "nothing is cited"
    if draft.dangling:
        penalty += min(rule.uncited, rule.dangling * draft.dangling)
        reason += f"; {draft.dangling} mark(s) pointed to no passage and were removed"
    return Signal("citations", float(len(draft.citations)), round(penalty, 3), reason)


def _support(draft: Draft, pool: Pool, rule: Penalties) -> Signal:
    """The mean, over the answer's sentences, of the share of their words that one place holds."""
    shares = []
    for span in sentences(draft.text):
        text = draft.text[span.start : span.end]
        if pool.stems(text):
            match = pool.best(text)
            shares.append(match.share if match else 0.0)
    value = sum(shares) / len(shares) if shares else 0.0
    lack = min(1.0, max(0.0, (rule.support_below - value) / rule.support_below))
    weak = sum(share < rule.support_below / 2 for share in shares)
    reason = (
        f"{weak} of {len(shares)} sentences share few words with any passage"
        if weak
        else "the sentences share only some of their words with the passages"
        if lack
        else "every sentence is near to a passage"
    )
    return Signal("support", round(value, 3), round(rule.support * lack, 3), reason)


_NAME = re.compile(r"(?<![.!?…:\"'“”‘’«»\n—–-] )(?<=[\w,;)] )[A-ZÀ-ÖØ-Þ][\w'’-]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def unsupported(text: str, question: str, pool: Pool) -> list[str]:
    """Names, numbers and dates of an answer that stand in no passage and not in the question.

    A name is a capitalised word inside a sentence; German nouns are no names, so there only numbers
    count.
    """
    held = fold_key(" ".join([question, *(s.text for s in pool.sentences), *pool.titles]))
    names = [] if pool.code.startswith("de") else _NAME.findall(text)
    found = dict.fromkeys([*names, *_NUMBER.findall(text)])
    return [
        item
        for item in found
        if (not item.isalpha() or stem(item, pool.code)) and fold_key(item) not in held
    ]


def _facts(draft: Draft, pool: Pool, rule: Penalties) -> Signal:
    found = unsupported(draft.text, draft.question, pool)
    penalty = min(rule.facts, rule.fact * len(found))
    reason = (
        "in no passage: " + ", ".join(found)
        if found
        else "every name and number is in the passages"
    )
    return Signal("names_and_numbers", float(len(found)), round(penalty, 3), reason)


def _short(text: str, limit: int = 80) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
