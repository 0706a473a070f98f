"""What was written becomes an answer: quotations looked up, notes numbered, score given."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from salon.answer.checking import Checker, Weighed, report
from salon.answer.cite import Mark, Marked
from salon.answer.coverage import Coverage
from salon.answer.ground import Draft, ground, ungrounded
from salon.answer.languages import limits
from salon.answer.marks import Quoted
from salon.answer.notes import Rendered, Rest, add_marks, citations, drop_weak, repoint, stretches
from salon.answer.quote_index import Corpus, Place, index_of
from salon.answer.quotes import Checked, check, told
from salon.answer.support import Pool
from salon.answer.trained import trained
from salon.types import (
    Background,
    Brief,
    Citation,
    ClaimCheck,
    Evidence,
    Grounding,
    Hit,
    Passage,
    QuoteCheck,
    QuotePlace,
    Retrieved,
    Span,
    Usage,
)


@dataclass(frozen=True, slots=True)
class Written:
    """What a way of writing hands over: the text without marks, its marks, and what it rests on.

    `sure` says that every word was copied from the sources by us, so there is nothing to check.
    """

    marked: Marked
    evidence: tuple[Evidence, ...]
    rests: tuple[Rest, ...] = ()
    declined: bool = False
    sure: bool = False
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    via: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """The text with its marks, and everything that is known of it."""

    text: str
    citations: tuple[Citation, ...]
    grounding: Grounding
    warnings: tuple[str, ...]


def finish(
    written: Written,
    question: str,
    retrieved: Retrieved | None,
    brief: Brief,
    corpus: Corpus,
    background: Background,
    coverage: Coverage,
) -> Finished:
    """Blocking. `retrieved` None says that search was down: only quotations are looked up."""
    checked: list[Checked] = []
    moved = 0
    if not written.sure:
        written, checked, moved = _checked(written, brief, corpus, coverage)
    pool = Pool(written.evidence, brief.language)
    rendered = Rendered(written.marked)
    cited = () if written.declined else _cited(written, rendered, pool, question)
    cited = tuple(_standing(corpus, citation) for citation in cited)
    reports = tuple(_report(rendered, one, corpus) for one in checked) or _copied(cited)
    warnings = (*written.warnings, *_warnings(written, reports, moved))
    if not written.sure and (told_of_language := limits(brief.language)):
        warnings = (*warnings, told_of_language)
    if retrieved is None:
        grounding = ungrounded("the sources could not be searched", reports)
        return Finished(rendered.text, cited, grounding, warnings)
    draft = Draft(
        text=written.marked.text,
        question=f"{question} {brief.name}",
        evidence=written.evidence,
        citations=cited,
        quotes=reports,
        similarity=max((hit.similarity for hit in retrieved.hits), default=0.0),
        dangling=written.marked.dangling,
        moved=moved,
        declined=written.declined,
        missing=coverage.names,
    )
    weighed = () if written.declined else Checker(pool, draft.question).weigh(draft.text)
    claimed = _claims(weighed, rendered, written.evidence, corpus)
    grounding = replace(_scored(draft, weighed, pool, background, brief), claims=claimed)
    return Finished(rendered.text, cited, grounding, warnings)


def _checked(
    written: Written, brief: Brief, corpus: Corpus, coverage: Coverage
) -> tuple[Written, list[Checked], int]:
    """Marks put right and quotations looked up; also how many marks moved to their source."""
    moved = 0
    pool = Pool(written.evidence, brief.language)
    if not written.declined:
        written = replace(written, marked=add_marks(written.marked, pool))
    checked = check(
        written.marked.text,
        index_of(corpus),
        brief.language,
        prefer=_preference(written),
        elsewhere=corpus.elsewhere,
    )
    if not written.declined:
        written = _put_marks_right(written, checked, pool, coverage)
        written, moved = _cite_quotations(written, checked, corpus)
    if brief.grounding.quotes == "strict":
        written, checked = _unquote(written, checked)
    return written, checked, moved


def _scored(
    draft: Draft, weighed: Sequence[Weighed], pool: Pool, background: Background, brief: Brief
) -> Grounding:
    """The score that the persona chose: the trained one, or the preset `seed`."""
    below = brief.grounding.below
    if brief.grounding.score == "seed":
        return ground(draft, pool, background, below)
    return trained(draft, weighed, pool, background, below)


def _claims(
    weighed: Sequence[Weighed], rendered: Rendered, evidence: Sequence[Evidence], corpus: Corpus
) -> tuple[ClaimCheck, ...]:
    """The claims as a reader sees them, with the chapter and page of what bears each out."""
    found = []
    for one in weighed:
        span = one.claim.span
        told = report(one, evidence, rendered.start(span.start), rendered.end(span.end))
        if told.place is not None:
            place = told.place
            section, page = corpus.standing(place.source_id, Span(place.start, place.end))
            told = replace(told, place=replace(place, section=section, page=page))
        found.append(told)
    return tuple(found)


def _put_marks_right(
    written: Written, checked: Sequence[Checked], pool: Pool, coverage: Coverage
) -> Written:
    """Marks on the right passages, and none for what is not covered.

    Those of found quotations are left: a wrong one costs, and is put right with its quotation.
    """
    found = [one.quoted.whole for one in checked if one.places]
    marked, turned = repoint(written.marked, pool, found)
    if coverage.foreign:
        marked = drop_weak(marked, pool)
    told = f"{turned} citation mark(s) pointed to the wrong passage: corrected"
    warnings = (*written.warnings, told) if turned else written.warnings
    return replace(written, marked=marked, warnings=warnings)


def _cited(written: Written, rendered: Rendered, pool: Pool, question: str) -> tuple[Citation, ...]:
    """What we copied ourselves is cited by its exact places alone."""
    marked = replace(written.marked, marks=()) if written.sure else written.marked
    return citations(marked, rendered, written.evidence, pool, written.rests, question)


def _warnings(written: Written, reports: Sequence[QuoteCheck], moved: int) -> list[str]:
    found = []
    if written.marked.dangling:
        found.append(f"{written.marked.dangling} citation mark(s) pointed to no passage: removed")
    found += [told(report) for report in reports if not report.verbatim]
    if moved:
        found.append(f"{moved} quotation(s) stood under another passage's number: corrected")
    return found


def _preference(written: Written) -> Callable[[Quoted, Place], int]:
    """Of several places of a quotation: the passage cited there, then any of the evidence."""
    around = list(zip(written.marked.marks, stretches(written.marked), strict=True))

    def prefer(one: Quoted, place: Place) -> int:
        holders = [e.number for e in written.evidence if _holds(e, place)]
        cited = any(
            n in holders
            for mark, stretch in around
            if stretch.start < one.whole.end and one.whole.start < mark.at + 1
            for n in mark.numbers
        )
        return 2 if cited else 1 if holders else 0

    return prefer


def _holds(item: Evidence, place: Place) -> bool:
    passage = item.hit.passage
    same = item.hit.source.id == place.source.id
    return same and passage.start <= place.span.start and place.span.end <= passage.end


def _cite_quotations(
    written: Written, checked: Sequence[Checked], corpus: Corpus
) -> tuple[Written, int]:
    """A mark and an exact place for every found quotation, and how many had a wrong mark.

    The mark that stands for the quotation alone or follows it is turned to the right passage.
    """
    text = written.marked.text
    evidence = list(written.evidence)
    marks = dict(enumerate(written.marked.marks))
    around = stretches(written.marked)
    rests = list(written.rests)
    turned: set[int] = set()  # marks that are another quotation's now
    moved = 0
    for one in checked:
        whole = one.quoted.whole
        numbers = []
        for place in one.places:
            numbers.append(evidence_at(evidence, place, corpus))
            rests.append(Rest(whole, numbers[-1], place.span, verbatim=one.own_words))
        if not numbers:
            continue
        near = [
            i
            for i, span in enumerate(around)
            if _meet(span, whole) and marks[i].at >= whole.end and i not in turned
        ]
        if all(any(number in marks[i].numbers for i in near) for number in numbers):
            continue
        at = tuple(dict.fromkeys(numbers))
        if near:
            moved += not any(number in marks[i].numbers for i in near for number in at)
            marks[near[0]] = Mark(marks[near[0]].at, at)
            turned.add(near[0])
        else:
            marks[len(marks)] = Mark(_after(text, whole.end), at)
    marked = replace(written.marked, marks=tuple(_merged(list(marks.values()))))
    return replace(written, marked=marked, evidence=tuple(evidence), rests=tuple(rests)), moved


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def evidence_at(evidence: list[Evidence], place: Place, corpus: Corpus) -> int:
    """The evidence that holds a place; one is added where none does."""
    for item in evidence:
        if _holds(item, place):
            return item.number
    passage = corpus.passage_at(place.source.id, place.span) or Passage(
        id="",
        source_id=place.source.id,
        start=place.span.start,
        end=place.span.end,
        text=place.text,
        tokens=0,
    )
    hit = Hit(passage, place.source, rank=0, score=0.0, similarity=0.0, via="quotation")
    number = max((item.number for item in evidence), default=0) + 1
    evidence.append(Evidence(number, hit, (place.span,), place.text))
    return number


def _after(text: str, at: int) -> int:
    """Behind the stop that follows a quotation."""
    stop = re.compile(r"[.,;:!?]+").match(text, at)
    return stop.end() if stop else at


def _merged(marks: Sequence[Mark]) -> list[Mark]:
    merged: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: mark.at):
        if merged and merged[-1].at == mark.at:
            numbers = tuple(dict.fromkeys((*merged[-1].numbers, *mark.numbers)))
            merged[-1] = Mark(mark.at, numbers)
        else:
            merged.append(mark)
    return merged


def _unquote(written: Written, checked: Sequence[Checked]) -> tuple[Written, list[Checked]]:
    """Quotations that are not the source's words lose their marks; the words stay, unquoted."""
    cuts: list[Span] = []
    for one in checked:
        if not one.own_words:
            cuts += _mark_spans(written.marked.text, one.quoted)
    cuts.sort(key=lambda span: span.start)

    def moved(at: int) -> int:
        return at - sum(min(len(cut), max(0, at - cut.start)) for cut in cuts)

    def shifted(span: Span) -> Span:
        return Span(moved(span.start), moved(span.end))

    text, last = "", 0
    for cut in cuts:
        text += written.marked.text[last : cut.start]
        last = cut.end
    text += written.marked.text[last:]
    marks = tuple(Mark(moved(mark.at), mark.numbers) for mark in written.marked.marks)
    rests = tuple(replace(rest, stretch=shifted(rest.stretch)) for rest in written.rests)
    kept = [
        replace(
            one,
            quoted=replace(
                one.quoted, whole=shifted(one.quoted.whole), inner=shifted(one.quoted.inner)
            ),
        )
        for one in checked
    ]
    marked = replace(written.marked, text=text, marks=marks)
    return replace(written, marked=marked, rests=rests), kept


def _mark_spans(text: str, one: Quoted) -> list[Span]:
    if one.block:
        prefixes = re.compile(r"^ {0,3}>[ \t]?", re.M)
        return [
            Span(m.start(), m.end())
            for m in prefixes.finditer(text, one.whole.start, one.whole.end)
        ]
    marked = one.within if one.split else (one,)
    spans = [
        span
        for each in marked
        for span in (
            Span(each.whole.start, each.inner.start),
            Span(each.inner.end, each.whole.end),
        )
    ]
    return [span for span in spans if len(span)]


def _copied(cited: Sequence[Citation]) -> tuple[QuoteCheck, ...]:
    """What we copied ourselves, as found quotations."""
    return tuple(
        QuoteCheck(
            c.answer_start,
            c.answer_end,
            c.quote,
            "found",
            (
                QuotePlace(
                    c.source, c.source_id, c.title, c.start, c.end, c.quote, c.section, c.page
                ),
            ),
        )
        for c in cited
        if c.verbatim
    )


def _standing(corpus: Corpus, citation: Citation) -> Citation:
    """A citation with the chapter and the page at which its own words begin."""
    section, page = corpus.standing(citation.source_id, Span(citation.start, citation.end))
    return replace(citation, section=section or citation.section, page=page or citation.page)


def _report(rendered: Rendered, one: Checked, corpus: Corpus) -> QuoteCheck:
    report = one.report(corpus.standing)
    return replace(report, start=rendered.start(report.start), end=rendered.end(report.end))
