"""An answer without a model: the sources' own sentences, whole and verbatim, or an honest no.

Sentences are ranked over the first passages, the best few are taken with the neighbours they need,
and are put in the order of an answer: the best passage first, then as the source has them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from salon.answer.cite import Mark, Marked
from salon.answer.finish import Written
from salon.answer.languages import language
from salon.answer.notes import Rest
from salon.answer.support import Pool, Rate, Sentence, relevance
from salon.answer.typeset import flowing
from salon.answer.words import UNSPACED
from salon.types import Evidence, Span

OWN_WORDS = "own-words"

_PASSAGES = 3
_MOST_SENTENCES = 6
_LEAST_SENTENCES = 3
_NEAR_BEST = 0.8
"""After the first three a sentence must score so much of the best one's score."""

_ENOUGH_LETTERS = 900
"""Three long sentences are answer enough: about 160 words."""

_ENDS = re.compile(r"[.!?…。！？][\"'”’»)\]_*]*(?:\[\d+\])?$")
# A sentence that begins so leans on the one before it.
_LEANS = re.compile(
    r"(?:He|She|It|They|This|That|These|Those|His|Her|Their|Its|But|And|So|Then|Thus|Therefore|However|Such"
    r"|Il|Elle|Ils|Elles|Mais|Cela|Er|Sie|Aber|Das|Dies|Pero|Ello|Eso)\b"
)


def answer(
    question: str, evidence: Sequence[Evidence], covered: bool, code: str, rate: Rate | None
) -> Written:
    """The answer and its exact citations, or, where nothing covers it, the way to decline."""
    text, marks, rests = "", [], []
    for excerpt in excerpts(question, evidence, code, rate) if covered else ():
        text += "\n\n" if text else ""
        start = len(text)
        text += excerpt.text
        marks.append(Mark(len(text), (excerpt.number,)))
        rests.append(Rest(Span(start, len(text)), excerpt.number, excerpt.span, verbatim=True))
    if not text:
        return decline(evidence, code)
    marked = Marked(text, tuple(marks))
    return Written(marked, tuple(evidence), tuple(rests), sure=True, model=OWN_WORDS)


def decline(evidence: Sequence[Evidence], code: str) -> Written:
    marked = Marked(language(code).declines, ())
    return Written(marked, tuple(evidence), declined=True, model=OWN_WORDS)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Neighbouring sentences of one evidence, quoted as one."""

    number: int
    span: Span
    text: str


def excerpts(
    question: str, evidence: Sequence[Evidence], code: str, rate: Rate | None
) -> list[Excerpt]:
    """Three to six sentences of the best passages, as runs in the order of the answer."""
    pool = Pool(evidence[:_PASSAGES], code)
    scores = relevance(question, pool, rate)
    scores = [
        score * (1 - 0.08 * (s.number - 1)) if is_prose(s.text) else -1.0
        for s, score in zip(pool.sentences, scores, strict=True)
    ]
    chosen = _choose(pool.sentences, scores)
    best = {
        n: max(scores[i] for i in chosen if pool.sentences[i].number == n)
        for n in {pool.sentences[i].number for i in chosen}
    }
    runs: list[list[Sentence]] = []
    for i in sorted(chosen, key=lambda i: (-best[pool.sentences[i].number], i)):
        sentence = pool.sentences[i]
        if (
            runs
            and runs[-1][-1].number == sentence.number
            and runs[-1][-1].place + 1 == sentence.place
        ):
            runs[-1].append(sentence)
        else:
            runs.append([sentence])
    return [_excerpt(run, evidence) for run in runs]


def _choose(pool: Sequence[Sentence], scores: Sequence[float]) -> list[int]:
    """Places of the best sentences and of the neighbours they lean on."""
    chosen: set[int] = set()
    order = sorted(range(len(pool)), key=lambda i: -scores[i])
    top = scores[order[0]] if order else 0.0
    for i in order:
        long = sum(len(pool[j].text) for j in chosen) > _ENOUGH_LETTERS
        enough = len(chosen) >= _LEAST_SENTENCES and (long or scores[i] < _NEAR_BEST * top)
        if scores[i] <= 0 or enough or len(chosen) >= _MOST_SENTENCES:
            break
        chosen.add(i)
        before = i - 1
        leans = _LEANS.match(pool[i].text) and len(chosen) < _MOST_SENTENCES
        if leans and before >= 0 and pool[before].number == pool[i].number and scores[before] >= 0:
            chosen.add(before)
    return sorted(chosen)


def is_prose(text: str) -> bool:
    """Whether these are the words of a whole sentence: not a heading, a date line, a number."""
    words = re.findall(r"[^\W\d_]+", text)
    unspaced = bool(UNSPACED.search(text))
    if not words or (len(words) < 4 and not unspaced):
        return False
    return bool(_ENDS.search(text.rstrip())) and not text.isupper()


def _excerpt(run: Sequence[Sentence], evidence: Sequence[Evidence]) -> Excerpt:
    number = run[0].number
    passage = next(item.hit.passage for item in evidence if item.number == number)
    span = Span(run[0].span.start, run[-1].span.end)
    text = passage.text[span.start - passage.start : span.end - passage.start]
    return Excerpt(number, span, flowing(text))
