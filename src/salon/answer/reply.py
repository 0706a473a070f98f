"""Asks the chat model for a reply and reads it while it streams: text to show, then what was
written.

Two forms: "marks" writes prose with [n]; "quotes" fills a JSON schema quote first, and we render
it. Closing a stream closes the model's.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import cast

from salon.answer.cite import Mark, Marked, MarkStream
from salon.answer.finish import Written
from salon.answer.languages import language
from salon.answer.notes import CLEAR_SUPPORT, NO_SUPPORT, Rest
from salon.answer.points import Point, PointStream, points_of
from salon.answer.support import Match, Pool
from salon.errors import ModelUnavailable
from salon.ports import ChatModel
from salon.types import ChatDelta, ChatRequest, Evidence, Span, Usage

_LONGEST_REFUSAL = 60
"""Words. A longer reply says something besides that the sources do not cover the question."""


async def in_marks(
    chat: ChatModel, request: ChatRequest, evidence: Sequence[Evidence], code: str
) -> AsyncGenerator[str | Written, None]:
    """Text as it comes, marks renumbered, then the whole."""
    stream = MarkStream([item.number for item in evidence])
    last = ChatDelta()
    async with aclosing(deltas_of(chat, request)) as deltas:
        async for delta in deltas:
            last = delta
            if delta.restart:
                stream = MarkStream([item.number for item in evidence])
            if shown := stream.feed(delta.text):
                yield shown
    if shown := stream.finish():
        yield shown
    marked = stream.result
    yield Written(
        marked,
        tuple(evidence),
        declined=not marked.marks and admits(marked.text, code),
        model=chat.card.name,
        usage=last.usage or Usage(),
        warnings=cut_short(last),
    )


async def in_quotes(
    chat: ChatModel, request: ChatRequest, evidence: Sequence[Evidence], code: str
) -> AsyncGenerator[str | Written, None]:
    """What the persona says of each quote as it comes, then the whole with each quote's place."""
    reader = PointStream()
    last = ChatDelta()
    text = ""
    async with aclosing(deltas_of(chat, request)) as deltas:
        async for delta in deltas:
            last = delta
            text += delta.text
            if shown := reader.feed(delta.text):
                yield shown
    points = points_of(text, complete=last.finish != "length")
    pool = Pool(evidence, code)
    written = render_points(points, evidence, pool)
    if not points:
        yield language(code).declines
        written = Written(Marked(language(code).declines, ()), tuple(evidence), declined=True)
    yield Written(
        written.marked,
        written.evidence,
        written.rests,
        written.declined,
        model=chat.card.name,
        usage=last.usage or Usage(),
        warnings=cut_short(last),
    )


def render_points(points: Sequence[Point], evidence: Sequence[Evidence], pool: Pool) -> Written:
    """The points as prose, each resting on its quote's exact place.

    A quote that no passage has word for word is dropped, as is one that holds next to nothing of
    its sentence while another place surely holds it; then the sentence rests on what supports it
    best.
    """
    text = ""
    marks: list[Mark] = []
    rests: list[Rest] = []
    for point in points:
        text += " " if text else ""
        start = len(text)
        text += point.say.strip()
        found = point.locate(evidence, pool.code)
        match = pool.best(point.say)
        if match and (found is None or _beside_the_point(point, match, pool)):
            found = match.number, match.span
        if found:
            number, place = found
            marks.append(Mark(len(text), (number,)))
            rests.append(Rest(Span(start, len(text)), number, place))
    return Written(Marked(text, tuple(marks)), tuple(evidence), tuple(rests))


def _beside_the_point(point: Point, match: Match, pool: Pool) -> bool:
    held = pool.share(pool.stems(point.say), pool.stems(point.quote))
    return held < NO_SUPPORT and match.share >= CLEAR_SUPPORT


def admits(text: str, code: str) -> bool:
    """Whether a short reply says that the sources do not cover the question."""
    flat = " ".join(text.casefold().replace("’", "'").split())
    phrases = (*language(code).admits, *language("en").admits, language(code).declines.casefold())
    return len(flat.split()) <= _LONGEST_REFUSAL and any(
        phrase.replace("’", "'") in flat for phrase in phrases
    )


def cut_short(last: ChatDelta) -> tuple[str, ...]:
    if last.finish != "length":
        return ()
    return ("the reply reached the persona's max_tokens and may stop in the middle",)


async def deltas_of(chat: ChatModel, request: ChatRequest) -> AsyncGenerator[ChatDelta, None]:
    """The model's deltas, closed with this stream; a reply without any letter is an error."""
    empty = True
    stream = cast("AsyncGenerator[ChatDelta, None]", chat.stream(request))
    async with aclosing(stream):
        async for delta in stream:
            empty = empty and not delta.text.strip()
            yield delta
    if empty:
        raise ModelUnavailable(f"{chat.card.name} sent an empty reply", cure="ask again")
