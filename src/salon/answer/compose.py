"""The whole story of an answer: question to hits, evidence, prompt, model, citations, score.

Closing the stream of events stops the model. Errors travel: RetrievalUnavailable and
ModelUnavailable end the stream without an Answered, except that a persona may let itself answer
while search is down, which the answer then says.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from salon.answer import own_words
from salon.answer.cite import Marked
from salon.answer.coverage import DEFAULT_BACKGROUND, Coverage, coverage
from salon.answer.evidence import gather, whole
from salon.answer.finish import Finished, Written, finish
from salon.answer.followup import StandAlone, stand_alone
from salon.answer.prompt import again, build, build_points, build_verse
from salon.answer.quote_index import Corpus, index_of
from salon.answer.repair import repair, wants_repair
from salon.answer.reply import in_marks, in_quotes
from salon.answer.support import Rate
from salon.answer.verbatim import around_pieces, whole_piece
from salon.answer.without_sources import without_sources
from salon.errors import RetrievalUnavailable
from salon.ports import ChatModel
from salon.types import (
    Answer,
    Answered,
    AnswerEvent,
    Background,
    Brief,
    Found,
    Hit,
    Retrieved,
    Token,
    Turn,
)

Find = Callable[[str], Retrieved]


async def compose(
    question: str,
    thread: Sequence[Turn],
    brief: Brief,
    find: Find,
    corpus: Corpus,
    chat: ChatModel | None,
    small: ChatModel | None,
    answer_id: str,
    *,
    rate: Rate | None = None,
    background: Background = DEFAULT_BACKGROUND,
) -> AsyncGenerator[AnswerEvent, None]:
    """Found, then Token by Token, then Answered. `chat` None answers in the sources' own words.

    `thread` is the conversation before the question. `find`, `corpus` and `rate` are blocking and
    are called in worker threads; without `rate` sentences are chosen by their words. `background`
    is what questions that have nothing to do with the corpus score. Raises RetrievalUnavailable and
    ModelUnavailable. Close the generator (`aclosing`) to stop the model.
    """
    started = time.monotonic()
    asked = await stand_alone(question, thread, brief.language, small)
    retrieved: Retrieved | None = None
    covers = Coverage(0.0)
    try:
        retrieved = await asyncio.to_thread(find, asked.text)
    except RetrievalUnavailable as error:
        if brief.retrieval.when_down == "refuse":
            raise
        writing = without_sources(question, thread, brief, chat, error)
    else:
        yield Found(retrieved)
        covers = await asyncio.to_thread(
            _coverage, asked.text, retrieved, corpus, brief.language, background
        )
        writing = _write(asked.text, thread, brief, retrieved, corpus, chat, rate, covers)
    written = Written(Marked("", ()), ())
    async with aclosing(writing):
        async for piece in writing:
            if isinstance(piece, Written):
                written = piece
            else:
                yield Token(piece)

    async def finished_of(one: Written) -> Finished:
        return await asyncio.to_thread(
            finish, one, asked.text, retrieved, brief, corpus, background, covers
        )

    finished = await finished_of(written)
    rewriting = None
    if retrieved is not None and chat is not None and wants_repair(written, finished, brief):
        found = retrieved

        async def write_again(said: Sequence[str]) -> Written:
            writing = _write(
                asked.text, thread, brief, found, corpus, chat, rate, covers, said=said
            )
            return await _last(writing)

        fixed = await repair(written, finished, brief, asked.text, write_again, finished_of)
        written, finished, rewriting = fixed.written, fixed.finished, fixed.rewriting
    hits = retrieved.hits if retrieved else ()
    elapsed = round((time.monotonic() - started) * 1000)
    answer = _answer(answer_id, question, asked, brief, hits, written, finished, elapsed)
    yield Answered(replace(answer, rewriting=rewriting))


async def _last(writing: AsyncGenerator[str | Written, None]) -> Written:
    """What was written, without showing it as it comes."""
    written = Written(Marked("", ()), ())
    async with aclosing(writing):
        async for piece in writing:
            if isinstance(piece, Written):
                written = piece
    return written


def _answer(
    answer_id: str,
    question: str,
    asked: StandAlone,
    brief: Brief,
    hits: tuple[Hit, ...],
    written: Written,
    finished: Finished,
    elapsed_ms: int,
) -> Answer:
    return Answer(
        id=answer_id,
        persona_id=brief.persona_id,
        question=question,
        asked=asked.text,
        text=finished.text,
        citations=finished.citations,
        hits=hits,
        grounding=finished.grounding,
        declined=written.declined,
        model=written.model,
        via=tuple(step for step in (asked.via, *written.via) if step),
        warnings=finished.warnings,
        usage=written.usage,
        elapsed_ms=elapsed_ms,
    )


def _coverage(
    question: str, retrieved: Retrieved, corpus: Corpus, code: str, background: Background
) -> Coverage:
    best = max((hit.similarity for hit in retrieved.hits), default=0.0)
    return coverage(question, best, index_of(corpus), code, background)


async def _write(
    question: str,
    thread: Sequence[Turn],
    brief: Brief,
    retrieved: Retrieved,
    corpus: Corpus,
    chat: ChatModel | None,
    rate: Rate | None,
    covers: Coverage,
    *,
    said: Sequence[str] = (),
) -> AsyncGenerator[str | Written, None]:
    """The way of writing that the persona and its model call for; `via` tells it.

    `said` are sentences of a reply before that no passage holds.
    """
    hits = retrieved.hits
    found = f"direct, {len(hits)} passages, 1 search"
    if chat is None:
        written = await asyncio.to_thread(_without_model, question, brief, hits, covers, rate)
        yield written.marked.text
        yield replace(written, via=(found, "own words, no model"))
        return
    card, code = chat.card, brief.language
    if card.form == "quotes" and covers.foreign:
        # A small model answers such questions from what it has heard, and takes a minute for it.
        written = _without_model(question, brief, (), covers, None)
        yield written.marked.text
        yield replace(written, via=(found, "not covered by the sources: no model asked"))
        return
    evidence = await asyncio.to_thread(gather, hits, question, card.evidence_tokens, code, rate)
    if brief.verbatim:
        request = build_verse(brief, thread, evidence, question, card.form)
        reply = around_pieces(chat, request, evidence, corpus, code)
    elif card.form == "marks":
        request = again(build(brief, thread, evidence, question), said)
        reply = in_marks(chat, request, evidence, code)
    else:
        request = build_points(brief, thread, evidence, question, covers.clearly)
        reply = in_quotes(chat, again(request, said), evidence, code)
    async with aclosing(reply):
        async for piece in reply:
            if isinstance(piece, Written):
                piece = replace(piece, via=(found, f"model {card.name}"))
            yield piece


def _without_model(
    question: str, brief: Brief, hits: Sequence[Hit], covers: Coverage, rate: Rate | None
) -> Written:
    evidence = whole(hits)
    if brief.verbatim:
        return whole_piece(evidence, not covers.foreign, brief.language)
    return own_words.answer(question, evidence, covers.covered, brief.language, rate)
