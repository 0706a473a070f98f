"""Frozen values that cross folders. Nothing here imports anything of Salon.

Offsets are character offsets, half-open, unless a docstring says otherwise.
Ids of sources and passages are content hashes: the same text has the same id in every house.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]
"""One embedding, shape (dimensions,), or many, shape (n, dimensions)."""


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


# --- corpus -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cut:
    """A stretch of the extracted original that cleaning left out; `text` is its first words."""

    part: int
    start: int
    end: int
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """`length` characters of the cleaned text at `start`, copied from `part_start` of part `part`.

    Cleaned text that no piece covers was put in by cleaning (a blank line between parts).
    """

    start: int
    length: int
    part: int
    part_start: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the cleaned text; its section runs to the next of the same or a higher level.

    `level` 1 is the outermost. `heading_end` is where the heading's own words stop.
    """

    start: int
    heading_end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What is known of a source without its text. `name` is the path below `sources/`, with '/'."""

    id: str
    name: str
    title: str
    kind: str
    sha256: str
    characters: int
    author: str = ""
    date: str = ""
    language: str = ""
    licence: str = ""
    origin: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A source after reading and cleaning, with its way back to the original.

    `parts` names the units of the original that offsets refer to: one empty name for a plain file,
    "page 12" for a PDF, a member's name for an EPUB. `text` is built from `pieces` of those parts.
    """

    info: SourceInfo
    text: str
    parts: tuple[str, ...]
    pieces: tuple[Piece, ...]
    sections: tuple[Section, ...] = ()
    cuts: tuple[Cut, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OriginalSpan:
    """A place in the original: the part's name ("" for a plain file) and offsets in its text."""

    part: str
    start: int
    end: int


CutterName = Literal["prose", "fragments", "whole", "topics", "genres"]


@dataclass(frozen=True, slots=True)
class CutterConfig:
    """How a corpus is cut. Sizes in tokens; `target` 0 means never cut."""

    strategy: CutterName = "prose"
    target: int = 750
    maximum: int = 1000
    overlap: int = 100
    tokens: Literal["cl100k", "embedder"] = "cl100k"


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a source: `text` is exactly `source.text[start:end]`.

    `header` situates it ("Autobiography, Chapter III") and is searched, never quoted.
    """

    id: str
    source_id: str
    start: int
    end: int
    text: str
    tokens: int
    section: str = ""
    page: str = ""
    date: str = ""
    place: str = ""
    speaker: str = ""
    header: str = ""


# --- index ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EmbedderId:
    """What must be equal for vectors to be comparable. `window` is in the model's own pieces."""

    name: str
    dimensions: int
    window: int
    metric: Literal["cosine"] = "cosine"


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term weights: `indices` are term hashes (uint32, ascending, unique), `values` floats."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PassageVectors:
    """All that a store keeps of one passage. `key` is its row number in the generation.

    `dense` maps a field ("wide", "narrow") to the windows' vectors, shape (windows, dimensions).
    """

    key: int
    dense: Mapping[str, Vector]
    sparse: SparseVector


@dataclass(frozen=True, slots=True)
class Arms:
    """A store's answer, one list of (passage key, score) for each field and "lexical", best first.

    A dense field lists windows, so a key may appear more than once; scores are cosines.
    """

    dense: Mapping[str, list[tuple[int, float]]]
    lexical: list[tuple[int, float]]


# --- retrieval --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved passage. `similarity` is its windows' best cosine, `score` the fused score."""

    passage: Passage
    source: SourceInfo
    rank: int
    score: float
    similarity: float
    via: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Hits best first; an empty tuple means searched and found nothing. Times in milliseconds."""

    hits: tuple[Hit, ...]
    question: str
    embed_ms: float
    search_ms: float
    generation: str


@dataclass(frozen=True, slots=True)
class Background:
    """What questions that have nothing to do with a corpus score against it.

    Mean and standard deviation of their best hit's `similarity`, by which one embedder's cosines
    mean the same as another's.
    """

    mean: float
    deviation: float


# --- models -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """`schema` (JSON schema) asks for JSON that satisfies it. Lengths in the model's tokens."""

    messages: tuple[Message, ...]
    max_tokens: int = 700
    temperature: float = 0.2
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChatDelta:
    """A piece of a reply. The last one carries `finish` and, where the model tells, `usage`."""

    text: str = ""
    finish: Literal["", "stop", "length"] = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What the answering code must know of a chat model.

    `evidence_tokens` is the budget for passages in a prompt: small on a model that reads slowly.
    `form` is how it is asked to cite: "marks" writes prose with [n]; "quotes" fills the
    quote-first JSON schema, which small models follow far better.
    """

    name: str
    context_tokens: int
    evidence_tokens: int
    form: Literal["marks", "quotes"] = "marks"


# --- personas ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ModelsConfig:
    chat: str = "auto"
    small: str = "auto"
    max_tokens: int = 700


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    pattern: Literal["auto", "direct", "survey", "agentic", "verbatim"] = "auto"
    passages: int = 6
    digests: int = 3
    primary: int = 3
    hyde: bool = False
    headers: Literal["auto", "on", "off"] = "auto"
    when_down: Literal["refuse", "answer"] = "refuse"


@dataclass(frozen=True, slots=True)
class GroundingConfig:
    quotes: Literal["report", "strict"] = "report"
    below: float = 0.5
    repair: bool = False


@dataclass(frozen=True, slots=True)
class Worldview:
    """The person's views as written by a person. `beliefs` maps a topic to (stance, view)."""

    display_name: str
    rhetorical_style: str = ""
    core_principles: tuple[str, ...] = ()
    beliefs: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PersonaCard:
    """A persona as its folder describes it. `id` is the folder's name."""

    id: str
    name: str
    nick: str
    language: str
    colour: str
    prefix: str
    prompt: str
    models: ModelsConfig
    cutter: CutterConfig
    retrieval: RetrievalConfig
    grounding: GroundingConfig
    worldview: Worldview | None = None
    domain: str = ""
    portrait: str = ""
    embedder: str = "auto"
    notices: tuple[str, ...] = ()


# --- answers ----------------------------------------------------------------------------------


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
    the answer quotes these words rather than resting on them.
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
