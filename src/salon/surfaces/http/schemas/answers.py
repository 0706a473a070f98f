"""Questions and answers as JSON: the names are the contract of POST /api/query."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from salon.surfaces.http.schemas.base import Body, SpanBody, span_body
from salon.types import (
    Answer,
    Citation,
    ClaimCheck,
    Hit,
    LackKind,
    QuoteCheck,
    QuotePlace,
    QuoteVerdict,
    Rewriting,
    Signal,
    SupportVerdict,
    Version,
)


class TurnBody(Body):
    role: Literal["user", "persona"]
    text: str


class QueryBody(Body):
    """A question. `thread` is the conversation so far, oldest first: it explains a follow-up."""

    question: str = Field(examples=["How did you teach yourself to write?"])
    persona: Annotated[
        str | None,
        Field(description="The persona's id; required when more than one is served."),
    ] = None
    thread: list[TurnBody] = Field(default_factory=list)
    stream: bool = Field(
        default=False,
        description="Answer as server-sent events; `Accept: text/event-stream` asks for the same.",
    )


class CitationBody(Body):
    """`quote` is exactly the source's text at `span`; `answer_span` is what rests on it."""

    number: int
    passage: str
    source: str
    source_id: str
    title: str
    section: str
    span: SpanBody
    quote: str
    answer_span: SpanBody
    verbatim: bool
    page: str
    date: str
    place: str
    speaker: str
    time: str


class SignalBody(Body):
    """One reason behind the score; `penalty` is what it took off 1.0."""

    name: str
    value: float
    penalty: float
    reason: str


class QuoteChangeBody(Body):
    """Where a quotation differs: `quoted` for the source's `source`, one "" for added or left out.

    `kind` is `words` for other words, `spelling` for an older or newer spelling, `scan` for letters
    that a scanner mistook.
    """

    quoted: str
    source: str
    kind: Literal["words", "spelling", "scan"]


class QuotePlaceBody(Body):
    """A place that has the quotation or a part of it; `persona` is another one's id, or ""."""

    source: str
    source_id: str
    title: str
    section: str
    page: str
    span: SpanBody
    text: str
    persona: str


class QuoteCheckBody(Body):
    """A quoted span of the answer and what the sources have of it.

    `found`: word for word. `changed`: found, with `changes` to its words. `stitched`: put together
    from several `places`. `misattributed`: the words of another persona, or of another source than
    `named`. `absent`: nowhere. `source` and `source_span` are those of the first place.
    """

    span: SpanBody
    text: str
    verdict: QuoteVerdict
    source: str
    source_id: str
    source_span: SpanBody | None
    places: list[QuotePlaceBody]
    changes: list[QuoteChangeBody]
    named: str


class LackBody(Body):
    """Words that the sources do not bear out; `source` is what stands there instead, or ""."""

    text: str
    kind: LackKind
    source: str


class ClaimBody(Body):
    """A sentence of the answer, or a clause of one, and what it rests on.

    `place` is the best supporting span, null when nothing shares a word. `lacks` lists what has no
    support, word by word. `no_claim` says nothing that a source could bear out.
    """

    span: SpanBody
    text: str
    sentence: int
    verdict: SupportVerdict
    score: float = Field(ge=0, le=1)
    place: QuotePlaceBody | None
    lacks: list[LackBody]


class PassageHitBody(Body):
    """A passage that was retrieved, cited or not."""

    id: str
    rank: int
    score: float
    similarity: float
    via: str
    source: str
    source_id: str
    title: str
    section: str
    page: str
    span: SpanBody
    text: str


class VersionBody(Body):
    """An answer before or after a repair; `unsupported` are sentences that no passage holds."""

    answer: str
    rag_confidence: float
    rag_grounded: bool
    unsupported: list[str]


class RewritingBody(Body):
    """What repairing did: `regenerated`, or `dropped` or `marked` unsupported sentences."""

    outcome: Literal["regenerated", "dropped", "marked"]
    first: VersionBody
    last: VersionBody


class AnswerBody(Body):
    """The answer and what it rests on. `sources`: the cited files in order, [] when declined."""

    answer: str = Field(examples=["I took some of the papers and tried to complete them.[1]"])
    sources: list[str] = Field(examples=[["autobiography.txt"]])
    rag_grounded: bool = Field(description="Whether the score reaches the persona's bar.")
    rag_confidence: float = Field(ge=0, le=1, examples=[0.82])
    correlation_id: str = Field(examples=["fran-8f3a1c"])
    elapsed_ms: int = Field(examples=[4120])
    persona: str = Field(examples=["franklin"])
    question: str = Field(description="The question as it was asked.")
    asked: str = Field(description="The question as it was searched for.")
    citations: list[CitationBody]
    quotes: list[QuoteCheckBody]
    claims: list[ClaimBody]
    signals: list[SignalBody]
    passages: list[PassageHitBody]
    declined: bool
    model: str = Field(description="Who wrote it; `own-words` when no model did.")
    via: list[str] = Field(description="Each step that shaped the answer, in order.")
    warnings: list[str]
    rewriting: RewritingBody | None = Field(description="Set when the answer was repaired.")


def citation_body(citation: Citation) -> CitationBody:
    return CitationBody(
        number=citation.number,
        passage=citation.passage_id,
        source=citation.source,
        source_id=citation.source_id,
        title=citation.title,
        section=citation.section,
        span=span_body(citation.start, citation.end),
        quote=citation.quote,
        answer_span=span_body(citation.answer_start, citation.answer_end),
        verbatim=citation.verbatim,
        page=citation.page,
        date=citation.date,
        place=citation.place,
        speaker=citation.speaker,
        time=citation.time,
    )


def quote_body(check: QuoteCheck) -> QuoteCheckBody:
    first = check.places[0] if check.places else None
    return QuoteCheckBody(
        span=span_body(check.start, check.end),
        text=check.text,
        verdict=check.verdict,
        source=first.source if first else "",
        source_id=first.source_id if first else "",
        source_span=span_body(first.start, first.end) if first else None,
        places=[_place_body(place) for place in check.places],
        changes=[
            QuoteChangeBody(quoted=change.quoted, source=change.source, kind=change.kind)
            for change in check.changes
        ],
        named=check.named,
    )


def _place_body(place: QuotePlace) -> QuotePlaceBody:
    return QuotePlaceBody(
        source=place.source,
        source_id=place.source_id,
        title=place.title,
        section=place.section,
        page=place.page,
        span=span_body(place.start, place.end),
        text=place.text,
        persona=place.persona,
    )


def claim_body(claim: ClaimCheck) -> ClaimBody:
    return ClaimBody(
        span=span_body(claim.start, claim.end),
        text=claim.text,
        sentence=claim.sentence,
        verdict=claim.verdict,
        score=claim.score,
        place=_place_body(claim.place) if claim.place else None,
        lacks=[LackBody(text=x.text, kind=x.kind, source=x.source) for x in claim.lacks],
    )


def signal_body(signal: Signal) -> SignalBody:
    return SignalBody(
        name=signal.name, value=signal.value, penalty=signal.penalty, reason=signal.reason
    )


def hit_body(hit: Hit) -> PassageHitBody:
    return PassageHitBody(
        id=hit.passage.id,
        rank=hit.rank,
        score=hit.score,
        similarity=hit.similarity,
        via=hit.via,
        source=hit.source.name,
        source_id=hit.source.id,
        title=hit.source.title,
        section=hit.passage.section,
        page=hit.passage.page,
        span=span_body(hit.passage.start, hit.passage.end),
        text=hit.passage.text,
    )


def answer_body(answer: Answer) -> AnswerBody:
    """The whole answer in the API's shape."""
    return AnswerBody(
        answer=answer.text,
        sources=list(answer.sources),
        rag_grounded=answer.grounding.grounded,
        rag_confidence=round(answer.grounding.score, 4),
        correlation_id=answer.id,
        elapsed_ms=answer.elapsed_ms,
        persona=answer.persona_id,
        question=answer.question,
        asked=answer.asked,
        citations=[citation_body(citation) for citation in answer.citations],
        quotes=[quote_body(check) for check in answer.grounding.quotes],
        claims=[claim_body(claim) for claim in answer.grounding.claims],
        signals=[signal_body(signal) for signal in answer.grounding.signals],
        passages=[hit_body(hit) for hit in answer.hits],
        declined=answer.declined,
        model=answer.model,
        via=list(answer.via),
        warnings=list(answer.warnings),
        rewriting=_rewriting_body(answer.rewriting) if answer.rewriting else None,
    )


def _rewriting_body(rewriting: Rewriting) -> RewritingBody:
    return RewritingBody(
        outcome=rewriting.outcome,
        first=_version_body(rewriting.first),
        last=_version_body(rewriting.last),
    )


def _version_body(version: Version) -> VersionBody:
    return VersionBody(
        answer=version.text,
        rag_confidence=round(version.score, 4),
        rag_grounded=version.grounded,
        unsupported=list(version.unsupported),
    )
