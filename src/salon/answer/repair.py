"""An answer below the persona's bar, written once more; then without what the sources do not hold.

The model is told which sentences no passage supports. If the new answer is below the bar too, the
better of both loses those sentences, or has them marked where little else would be left.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from salon.answer.cite import Mark, Marked
from salon.answer.finish import Finished, Written
from salon.answer.ground import unsupported
from salon.answer.languages import language
from salon.answer.support import Pool
from salon.corpus.sentences import sentences
from salon.errors import ModelUnavailable
from salon.types import Brief, Rewriting, Span, Usage, Version

_LEAST_SUPPORT = 0.35
_LEAST_WORDS = 3
_LEAST_LEFT = 0.2
"""The share of its words that an answer must keep for sentences to be dropped, not marked."""

Write = Callable[[Sequence[str]], Awaitable[Written]]
"""Writes the answer again, told that these sentences are not in the passages."""

Finish = Callable[[Written], Awaitable[Finished]]


@dataclass(frozen=True, slots=True)
class Repaired:
    written: Written
    finished: Finished
    rewriting: Rewriting


def wants_repair(written: Written, finished: Finished, brief: Brief) -> bool:
    """Whether a model wrote an answer that is below the bar, and the persona has it repaired."""
    return (
        brief.grounding.repair
        and not finished.grounding.grounded
        and not written.declined
        and not written.sure
        and not brief.verbatim
    )


async def repair(
    first: Written, finished: Finished, brief: Brief, question: str, write: Write, finish: Finish
) -> Repaired:
    """One more reply at the most; a model that fails meanwhile costs a warning."""
    before = _version(first, finished, brief, question)
    best, best_finished = first, finished
    try:
        second = await write(before.unsupported)
    except ModelUnavailable as error:
        told = f"the answer could not be written again: {error.problem}"
        best = replace(first, warnings=(*first.warnings, told))
    else:
        second = replace(second, usage=_sum(first.usage, second.usage))
        again = await finish(second)
        if again.grounding.grounded:
            return _done("regenerated", before, second, again, brief, question)
        if second.declined or again.grounding.score >= finished.grounding.score:
            best, best_finished = second, again
        else:
            best = replace(first, usage=second.usage)
    return await _reduced(before, best, best_finished, brief, question, finish)


async def _reduced(
    before: Version,
    written: Written,
    finished: Finished,
    brief: Brief,
    question: str,
    finish: Finish,
) -> Repaired:
    """Without its unsupported sentences, or with them marked."""
    weak = () if written.declined else weak_spans(written, finished, brief, question)
    if not weak:
        return _done("regenerated", before, written, finished, brief, question)
    whole = len(written.marked.text.split())
    shorter = _without(written, weak)
    if len(shorter.marked.text.split()) >= _LEAST_LEFT * whole:
        count = len(weak)
        told = f"{count} sentence(s) that no passage supports were taken out"
        shorter = replace(shorter, warnings=(*shorter.warnings, told))
        return _done("dropped", before, shorter, await finish(shorter), brief, question)
    marked = _marked(written, weak, language(brief.language).unsupported)
    done = _done("marked", before, marked, await finish(marked), brief, question)
    said = tuple(_said(written, span) for span in weak)
    last = replace(done.rewriting.last, unsupported=said)
    return replace(done, rewriting=replace(done.rewriting, last=last))


def weak_spans(
    written: Written, finished: Finished, brief: Brief, question: str
) -> tuple[Span, ...]:
    """The sentences that no passage supports: few words shared with any, names or numbers of none,
    or words that are quoted and are not the source's."""
    text = written.marked.text
    pool = Pool(written.evidence, brief.language)
    false = [check.text for check in finished.grounding.quotes if not check.verbatim]
    asked = f"{question} {brief.name}"
    found = []
    for span in sentences(text):
        said = text[span.start : span.end]
        if said.rstrip().endswith("?") or len(pool.stems(said)) < _LEAST_WORDS:
            continue
        match = pool.best(said)
        weak = match is None or match.share < _LEAST_SUPPORT or unsupported(said, asked, pool)
        if weak or any(quoted in said for quoted in false):
            found.append(span)
    return tuple(found)


def _version(written: Written, finished: Finished, brief: Brief, question: str) -> Version:
    weak = () if written.declined else weak_spans(written, finished, brief, question)
    return Version(
        finished.text,
        finished.grounding.score,
        finished.grounding.grounded,
        tuple(_said(written, span) for span in weak),
    )


def _said(written: Written, span: Span) -> str:
    return " ".join(written.marked.text[span.start : span.end].split())


def _done(
    outcome: Literal["regenerated", "dropped", "marked"],
    before: Version,
    written: Written,
    finished: Finished,
    brief: Brief,
    question: str,
) -> Repaired:
    last = _version(written, finished, brief, question)
    step = f"repaired once: {outcome}"
    return Repaired(
        replace(written, via=(*written.via, step)), finished, Rewriting(outcome, before, last)
    )


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(one.input_tokens + other.input_tokens, one.output_tokens + other.output_tokens)


def _without(written: Written, cuts: Sequence[Span]) -> Written:
    """The text without these stretches, marks and rests moved; those within are gone."""
    text = written.marked.text
    parts, last = [], 0
    for cut in cuts:
        parts.append(text[last : cut.start])
        last = cut.end
        while last < len(text) and text[last] == " ":
            last += 1
    parts.append(text[last:])
    kept = "".join(parts)

    def moved(at: int) -> int:
        gone = 0
        for cut in cuts:
            end = cut.end
            while end < len(text) and text[end] == " ":
                end += 1
            gone += max(0, min(at, end) - cut.start)
        return at - gone

    def inside(at: int) -> bool:
        return any(cut.start < at <= cut.end for cut in cuts)

    marks = tuple(
        Mark(min(moved(mark.at), len(kept.rstrip())), mark.numbers)
        for mark in written.marked.marks
        if not inside(mark.at)
    )
    rests = tuple(
        replace(rest, stretch=Span(moved(rest.stretch.start), moved(rest.stretch.end)))
        for rest in written.rests
        if not inside(rest.stretch.end)
    )
    marked = replace(written.marked, text=kept.rstrip(), marks=marks)
    return replace(written, marked=marked, rests=rests)


def _marked(written: Written, weak: Sequence[Span], sign: str) -> Written:
    """The text with a sign behind each of these sentences, before any mark that follows it."""
    text = written.marked.text
    parts, last = [], 0
    for span in weak:
        parts += [text[last : span.end], f" {sign}"]
        last = span.end

    def moved(at: int) -> int:
        return at + sum(len(sign) + 1 for span in weak if span.end < at)

    marks = tuple(Mark(moved(mark.at), mark.numbers) for mark in written.marked.marks)
    rests = tuple(
        replace(rest, stretch=Span(moved(rest.stretch.start), moved(rest.stretch.end)))
        for rest in written.rests
    )
    marked = Marked("".join([*parts, text[last:]]), marks, written.marked.dangling)
    return replace(written, marked=marked, rests=rests)
