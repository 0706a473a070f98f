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


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """A quoted span of an answer and whether the corpus has it."""

    start: int
    end: int
    text: str
    verdict: Literal["found", "absent"]
    source: str = ""
    source_id: str = ""
    source_start: int = 0
    source_end: int = 0


@dataclass(frozen=True, slots=True)
class Signal:
    """One reason behind a score: `penalty` is what it took off 1.0; `reason` is for a reader."""

    name: str
    value: float
    penalty: float
    reason: str


@dataclass(frozen=True, slots=True)
class Grounding:
    """`score` in 0..1; `grounded` is false below the persona's bar or when a gate failed."""

    score: float
    grounded: bool
    signals: tuple[Signal, ...]
    quotes: tuple[QuoteCheck, ...] = ()


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
