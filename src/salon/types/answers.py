"""Answers, what they rest on, and the events of an answer that is being written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from salon.types.chat import Usage
from salon.types.corpus import Span
from salon.types.personas import GroundingConfig, RetrievalConfig
from salon.types.search import Hit, Retrieved


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of the conversation so far."""

    role: Literal["user", "persona"]
    text: str


@dataclass(frozen=True, slots=True)
class Brief:
    """All that answering may know of who answers; so answering never learns what a persona is."""

    persona_id: str
    name: str
    language: str
    prompt: str
    worldview: str
    memory: str
    max_tokens: int
    verbatim: bool
    retrieval: RetrievalConfig
    grounding: GroundingConfig


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the model sees of one hit under its number: `spans` of the source, joined as `text`.

    Spans are in the cleaned source, ascending; where they are not adjacent, text has " [...] ".
    """

    number: int
    hit: Hit
    spans: tuple[Span, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered note of an answer: `quote` is exactly the source's text at `start:end`.

    `answer_start:answer_end` is the stretch of the answer that rests on it. `verbatim` says that
    the answer quotes these words rather than resting on them. `page` to `time` are what the passage
    knows of where it stands.
    """

    number: int
    passage_id: str
    source_id: str
    source: str
    title: str
    section: str
    start: int
    end: int
    quote: str
    answer_start: int
    answer_end: int
    verbatim: bool
    page: str = ""
    date: str = ""
    place: str = ""
    speaker: str = ""
    time: str = ""


QuoteVerdict = Literal["found", "changed", "stitched", "misattributed", "absent"]
"""`found`: the source's words, but for spelling and a scanner's mistakes. `changed`: words of the
source were changed, added or left out. `stitched`: its parts stand in several places.
`misattributed`: the words of another persona, or of another source than the one it names."""


@dataclass(frozen=True, slots=True)
class QuoteChange:
    """Where a quotation differs from its source: `quoted` for the source's `source`.

    One of them is empty for words that were added or left out. `kind` is "words" for other words,
    "spelling" for an older or newer spelling, "scan" for letters that a scanner mistook.
    """

    quoted: str
    source: str
    kind: Literal["words", "spelling", "scan"]


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """A place that has a quotation or a part of it: `text` is the source's at `start:end`.

    `persona` is empty for a source of the persona itself.
    """

    source: str
    source_id: str
    title: str
    start: int
    end: int
    text: str
    section: str = ""
    page: str = ""
    persona: str = ""


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """A quoted span of an answer and what the house has of it.

    `places` has one place when found or changed, one a part when stitched, the true places when
    misattributed, none when absent. `named` is the source that the answer names in error.
    """

    start: int
    end: int
    text: str
    verdict: QuoteVerdict
    places: tuple[QuotePlace, ...] = ()
    changes: tuple[QuoteChange, ...] = ()
    named: str = ""

    @property
    def verbatim(self) -> bool:
        """Whether the persona's sources have these words in one place, as the answer says."""
        return self.verdict == "found"


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason behind a score: `penalty` is what it took off 1.0; `reason` is for a reader."""

    name: str
    value: float
    penalty: float
    reason: str


SupportVerdict = Literal["supported", "partly", "unsupported", "no_claim"]
"""`no_claim`: greetings, questions, and what the persona frames as its own opinion."""

LackKind = Literal["word", "name", "number", "date", "unit", "negation", "opposite"]


@dataclass(frozen=True, slots=True)
class Lack:
    """Words of an answer that its sources do not bear out, and what is amiss with them.

    `word`, `name`, `number`, `date`: in no passage. `unit`: the number stands there with another.
    `negation`: denied here and not there, or the reverse. `opposite`: there it is `source`.
    """

    text: str
    kind: LackKind
    source: str = ""


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A sentence of an answer, or a clause where a sentence makes several claims.

    `start:end` is in the answer; `sentence` counts from 0. `place` is the best supporting span, in
    the cleaned source; None when nothing shares a word. `score` is 0..1.
    """

    start: int
    end: int
    text: str
    sentence: int
    verdict: SupportVerdict
    score: float
    place: QuotePlace | None = None
    lacks: tuple[Lack, ...] = ()


@dataclass(frozen=True, slots=True)
class Grounding:
    """`score` in 0..1; `grounded` is false below the persona's bar or when a gate failed."""

    score: float
    grounded: bool
    signals: tuple[Signal, ...]
    quotes: tuple[QuoteCheck, ...] = ()
    claims: tuple[ClaimCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """An answer as it was before or after a repair; `unsupported` are its sentences that no passage
    holds."""

    text: str
    score: float
    grounded: bool
    unsupported: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What repairing did to an answer below the bar.

    `regenerated`: the model wrote it again. `dropped`: its unsupported sentences were taken out;
    `marked`: they are marked, since little else would be left.
    """

    outcome: Literal["regenerated", "dropped", "marked"]
    first: Version
    last: Version


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer. `declined` means the persona said that its sources do not cover it.

    `via` names each step that shaped it, in order; `model` is "own-words" when none wrote it.
    """

    id: str
    persona_id: str
    question: str
    asked: str
    text: str
    citations: tuple[Citation, ...]
    hits: tuple[Hit, ...]
    grounding: Grounding
    declined: bool
    model: str
    via: tuple[str, ...]
    warnings: tuple[str, ...]
    usage: Usage
    elapsed_ms: int
    rewriting: Rewriting | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Distinct names of the cited sources, in order of citation; empty when declined."""
        return () if self.declined else tuple(dict.fromkeys(c.source for c in self.citations))


@dataclass(frozen=True, slots=True)
class Found:
    """Retrieval is done; tokens follow."""

    retrieved: Retrieved


@dataclass(frozen=True, slots=True)
class Token:
    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The last event. Its text may differ from the tokens: citations and quotations are checked."""

    answer: Answer


AnswerEvent = Found | Token | Answered
