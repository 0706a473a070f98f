"""The default score: what the trained model says of an answer's claims, and what checks take off.

Every signal says what it took off 1.0; what the model takes off is shared out among its features by
what each took off the logit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from salon.answer.checking import Weighed
from salon.answer.features import features, hedges
from salon.answer.ground import (
    PRESETS,
    Draft,
    citations_signal,
    declined_signal,
    quotations_signal,
    similarity_signal,
    unknown_signal,
)
from salon.answer.scoring import probability, shipped
from salon.answer.support import Pool
from salon.types import Background, Grounding, LackKind, Signal

_LEAST_SHOWN = 0.005


def trained(
    draft: Draft, weighed: Sequence[Weighed], pool: Pool, background: Background, below: float
) -> Grounding:
    """The score of an answer; `weighed` are its claims against `pool`, `below` the bar."""
    rule = PRESETS["seed"]
    near = similarity_signal(draft, background, rule)
    if draft.declined:
        signals = [near, *unknown_signal(draft, rule), declined_signal(rule)]
    else:
        signals = [
            Signal(near.name, near.value, 0.0, near.reason),
            *unknown_signal(draft, rule),
            *_support(draft, weighed, pool),
            quotations_signal(draft, rule),
            citations_signal(draft, rule, uncited=0.0),
        ]
    score = round(min(1.0, max(0.0, 1.0 - sum(signal.penalty for signal in signals))), 3)
    return Grounding(score, score >= below, tuple(signals), tuple(draft.quotes))


def _support(draft: Draft, weighed: Sequence[Weighed], pool: Pool) -> list[Signal]:
    model = shipped()
    found = features(weighed, draft.text, pool.code)
    words = sum(len(sentence.text.split()) for sentence in pool.sentences)
    losses = model.losses(found, words)
    highest, lost = model.highest(words), sum(losses.values())
    best, reached = probability(highest), probability(highest - lost)
    signals = [
        Signal(
            "passages",
            round(best, 3),
            round(1 - best, 3),
            "even an answer that keeps to passages like these is sometimes not borne out by them",
        )
    ]
    for name, loss in losses.items():
        penalty = round((best - reached) * loss / lost, 3) if lost else 0.0
        if penalty >= _LEAST_SHOWN or found[name]:
            reason = _REASONS[name](draft.text, weighed, pool.code)
            signals.append(Signal(f"support_{name}", round(found[name], 3), penalty, reason))
    return signals


def _listed(*kinds: LackKind) -> Callable[[Sequence[Weighed]], str]:
    def told(weighed: Sequence[Weighed]) -> str:
        lost = [lack for one in weighed for lack in one.lacks if lack.kind in kinds]
        shown = [f"{x.text} (there: {x.source})" if x.source else x.text for x in lost]
        return ", ".join(dict.fromkeys(shown)) or "none"

    return told


Reason = Callable[[str, Sequence[Weighed], str], str]


def _weakest(text: str, weighed: Sequence[Weighed], code: str) -> str:
    sized = [one for one in weighed if one.size]
    worst = min(sized, key=lambda one: one.best, default=None)
    said = " ".join(worst.text.split())[:80] if worst else ""
    return f"the sentence that its best place bears out least: “{said}”" if worst else "no words"


def _plain(reason: str) -> Reason:
    return lambda text, weighed, code: reason


def _naming(reason: str, *kinds: LackKind) -> Reason:
    listed = _listed(*kinds)
    return lambda text, weighed, code: f"{reason}: {listed(weighed)}"


_REASONS: dict[str, Reason] = {
    "weakest": _weakest,
    "place": _plain("the best place for a sentence does not have all of its words"),
    "passages": _plain("some of the answer's words are in no passage"),
    "order": _plain("words stand together here that do not stand together in the passages"),
    "swapped": _plain("words stand in another order than in the passages"),
    "wording": _plain("little of it is in the passages' own wording"),
    "new_words": _naming("words of no passage", "word", "name", "number", "date"),
    "new_word": _naming("words of no passage", "word", "name", "number", "date"),
    "replaced": _plain("a word was exchanged in a sentence that is otherwise the passage's"),
    "names": _naming("names of no passage", "name"),
    "numbers": _naming("numbers, dates or units of no passage", "number", "date", "unit"),
    "elsewhere": _plain("a number is in the passages, but not where the rest of its sentence is"),
    "denials": _naming("denied here and not in the passage, or the reverse", "negation"),
    "opposites": _naming("the opposite of what the passage says", "opposite"),
    "hedges": lambda text, weighed, code: (
        "general talk instead of the sources: " + ", ".join(f'"{h}"' for h in hedges(text, code))
    ),
    "opinions": _plain("parts of it are questions, greetings or opinions, which rest on nothing"),
}
