"""Marks to numbered notes: the text with its marks, and the exact words each note rests on."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from salon.answer.cite import Mark, Marked
from salon.answer.support import Pool
from salon.corpus.sentences import sentences
from salon.types import Citation, Evidence, Span

NO_SUPPORT, CLEAR_SUPPORT = 0.15, 0.6
"""Below the first share a passage has no part in a sentence, above the second it surely has."""

_LEAST_SUPPORT = 0.35
"""The share of a sentence's words by weight that a passage must hold to be cited without being
asked."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A stretch of the answer that is known to rest on an exact place of an evidence's source.

    `verbatim` says that it quotes these words.
    """

    stretch: Span
    number: int
    place: Span
    verbatim: bool = False


class Rendered:
    """The text of an answer with its marks, and the way from places in the text without them."""

    def __init__(self, marked: Marked) -> None:
        numbers: dict[int, int] = {}
        parts: list[str] = []
        self._ats: list[int] = []
        self._shifts: list[int] = [0]
        last = 0
        for mark in sorted(marked.marks, key=lambda mark: mark.at):
            shown = "".join(f"[{numbers.setdefault(n, len(numbers) + 1)}]" for n in mark.numbers)
            opens_line = mark.at == 0 or marked.text[mark.at - 1] == "\n"
            shown = f"{shown} " if opens_line else f" {shown}"
            parts += [marked.text[last : mark.at], shown]
            self._ats.append(mark.at)
            self._shifts.append(self._shifts[-1] + len(shown))
            last = mark.at
        self.text = "".join([*parts, marked.text[last:]])
        self.numbers = numbers

    def start(self, at: int) -> int:
        """Where the character at `at` of the text without marks stands now."""
        return at + self._shifts[bisect.bisect_right(self._ats, at)]

    def end(self, at: int) -> int:
        """Where a stretch that ends at `at` ends now, before any mark that follows it."""
        return at + self._shifts[bisect.bisect_left(self._ats, at)]


def add_marks(marked: Marked, pool: Pool) -> Marked:
    """Marks for a reply that has none: each sentence's best supporting passage, if it has one."""
    if marked.marks:
        return marked
    marks = []
    for span in sentences(marked.text):
        match = pool.best(marked.text[span.start : span.end])
        if match and match.share >= _LEAST_SUPPORT:
            marks.append(Mark(span.end, (match.number,)))
    return replace(marked, marks=tuple(marks))


def repoint(marked: Marked, pool: Pool, settled: Sequence[Span]) -> tuple[Marked, int]:
    """Marks whose passages hold next to nothing of their words, turned to the one that clearly
    holds them; and how many were turned. What rests on a `settled` span keeps its mark."""
    marks = []
    turned = 0
    for mark, span in zip(marked.marks, stretches(marked), strict=True):
        words = marked.text[span.start : span.end]
        cited = pool.best(words, mark.numbers)
        best = pool.best(words)
        free = not any(span.start < one.end and one.start < span.end for one in settled)
        wrong = free and (cited is None or cited.share < NO_SUPPORT)
        if wrong and best and best.share >= CLEAR_SUPPORT:
            mark = Mark(mark.at, (best.number,))
            turned += 1
        marks.append(mark)
    return replace(marked, marks=tuple(marks)), turned


def drop_weak(marked: Marked, pool: Pool) -> Marked:
    """Without the marks whose passage holds little of what they stand for.

    For questions that are none for the corpus: there a model's marks are decoration until shown
    otherwise.
    """
    kept = []
    for mark, span in zip(marked.marks, stretches(marked), strict=True):
        match = pool.best(marked.text[span.start : span.end], mark.numbers)
        if match and match.share >= _LEAST_SUPPORT:
            kept.append(mark)
    return replace(marked, marks=tuple(kept))


def stretches(marked: Marked) -> list[Span]:
    """For each mark, what rests on it: its sentence, from the mark before it in there."""
    found = sentences(marked.text)
    ends = [span.end for span in found]
    last = 0
    result = []
    for mark in marked.marks:
        before = len(marked.text[: mark.at].rstrip())
        opens_line = mark.at == 0 or marked.text[mark.at - 1] == "\n"
        index = bisect.bisect_left(ends, mark.at + 1 if opens_line else max(1, before))
        if index >= len(found):
            result.append(Span(before, before))
            continue
        span = found[index]
        tail = marked.text[mark.at : span.end]
        end = span.end if opens_line or not re.search(r"\w", tail) else mark.at
        start = max(span.start, last) if last < end else span.start
        result.append(
            _trimmed(marked.text, start, mark.at if not opens_line and end > mark.at else end)
        )
        last = mark.at
    return result


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and (text[start].isspace() or text[start] in ".,;:"):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def citations(
    marked: Marked,
    rendered: Rendered,
    evidence: Sequence[Evidence],
    pool: Pool,
    rests: Sequence[Rest] = (),
    question: str = "",
) -> tuple[Citation, ...]:
    """One citation for each rest and for each number of a mark, in the order of the answer.

    A mark that only repeats what a rest says gives no second citation. What shares no word with
    its passage is cited by the passage's best sentence for the question.
    """
    by_number = {item.number: item for item in evidence}
    made = [_citation(by_number[rest.number], rendered, rest) for rest in rests]
    for mark, stretch in zip(marked.marks, stretches(marked), strict=True):
        for number in mark.numbers:
            if not any(rest.number == number and _touch(rest.stretch, stretch) for rest in rests):
                words = marked.text[stretch.start : stretch.end]
                place = _support((words, question), by_number[number], pool)
                made.append(_citation(by_number[number], rendered, Rest(stretch, number, place)))
    return tuple(sorted(made, key=lambda c: (c.answer_start, c.answer_end, c.number)))


def _touch(one: Span, other: Span) -> bool:
    """Whether two stretches overlap, a closing mark and a stop between them not counted."""
    return one.start < other.end + 2 and other.start < one.end + 2


def _support(wanted: Sequence[str], item: Evidence, pool: Pool) -> Span:
    """The sentences of one evidence that carry the first of these words that it shares any of."""
    for words in wanted:
        if match := pool.best(words, (item.number,)):
            return match.span
    return next((s.span for s in pool.sentences if s.number == item.number), item.spans[0])


def _citation(item: Evidence, rendered: Rendered, rest: Rest) -> Citation:
    passage, place = item.hit.passage, rest.place
    return Citation(
        number=rendered.numbers[item.number],
        passage_id=passage.id,
        source_id=item.hit.source.id,
        source=item.hit.source.name,
        title=item.hit.source.title,
        section=passage.section,
        start=place.start,
        end=place.end,
        quote=passage.text[place.start - passage.start : place.end - passage.start],
        answer_start=rendered.start(rest.stretch.start),
        answer_end=rendered.end(rest.stretch.end),
        verbatim=rest.verbatim,
        page=passage.page,
        date=passage.date,
        place=passage.place,
        speaker=passage.speaker,
        time=passage.time,
    )
