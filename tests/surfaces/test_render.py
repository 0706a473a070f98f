"""How an answer looks at a terminal: raised numbers, notes, the line about its score."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from salon.surfaces.render import answer_view, passage_view, reference
from salon.types import Answer, Citation, Grounding, Passage, QuoteCheck, Signal, Span, Usage

SOURCE = "The lamp burned oil. Salt water makes a bread that keeps for nine days. The goat ate it."
PASSAGE = Passage(id="p1", source_id="s1", start=21, end=71, text=SOURCE[21:71], tokens=12)
CITATION = Citation(
    number=1,
    passage_id="p1",
    source_id="s1",
    source="log.txt",
    title="The Log",
    section="Chapter III",
    start=21,
    end=71,
    quote=SOURCE[21:71],
    answer_start=0,
    answer_end=30,
    verbatim=False,
)
ANSWER = Answer(
    id="mare-000001",
    persona_id="maren",
    question="How long?",
    asked="How long?",
    text="It kept for nine days. [1] Not [7].",
    citations=(CITATION,),
    hits=(),
    grounding=Grounding(0.82, True, ()),
    declined=False,
    model="own-words",
    via=("direct",),
    warnings=(),
    usage=Usage(),
    elapsed_ms=41,
)


def shown(answer: Answer, width: int = 100, encoding: str = "utf-8") -> str:
    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    console = Console(file=buffer, width=width, markup=False, emoji=False, highlight=False)
    console.print(answer_view(answer, console))
    buffer.flush()
    return buffer.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


def test_marks_of_notes_are_raised_and_other_brackets_stay() -> None:
    assert "It kept for nine days.¹ Not [7]." in shown(ANSWER)


def test_the_note_names_where_it_is_from_and_how_to_open_it() -> None:
    text = shown(ANSWER)
    for part in ("The Log", "Chapter III", "log.txt", reference(CITATION), SOURCE[21:71]):
        assert part in text


def test_the_note_has_the_short_title_once() -> None:
    title = "The Log; or, Nine Days of Bread"
    citation = replace(CITATION, title=title, section="The Log, The Log, Chapter III")
    assert " 1  The Log, Chapter III  log.txt" in shown(replace(ANSWER, citations=(citation,)))


def test_the_score_is_one_line_and_reasons_follow_only_when_something_was_taken_off() -> None:
    text = shown(ANSWER)
    assert "Rests on 1 passage of 1 source. Score 0.82, grounded." in text
    low = Grounding(
        0.4,
        False,
        (
            Signal("overlap", 0.1, 0.3, "few words of the passages are in the answer"),
            Signal("hedges", 0.0, 0.0, "no hedging"),
        ),
        (QuoteCheck(0, 4, "words that nobody wrote", "absent"),),
    )
    text = shown(replace(ANSWER, grounding=low, warnings=("the model broke off",)))
    assert "Score 0.40, not grounded." in text
    assert "few words of the passages" in text
    assert "no hedging" not in text
    assert "words that nobody wrote" in text
    assert "the model broke off" in text


def test_a_declined_answer_rests_on_nothing() -> None:
    text = shown(replace(ANSWER, declined=True, citations=(), text="My papers do not say."))
    assert "do not cover this question" in text


@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_line_is_longer_than_the_terminal(width: int) -> None:
    assert max(map(len, shown(ANSWER, width).splitlines())) <= width


def test_words_of_sources_and_models_are_not_obeyed() -> None:
    evil = "\x1b[31m[bold]red[/bold]\x1b]0;owned\x07"
    citation = replace(CITATION, quote=evil, title=evil, section=evil, source=evil)
    text = shown(replace(ANSWER, text=evil, citations=(citation,), warnings=(evil,)))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert text.count("[bold]red[/bold]") >= 4


def test_a_passage_is_shown_with_its_surroundings_and_the_quote_marked() -> None:
    view = passage_view(SOURCE, PASSAGE, (Span(36, 41),), around=10)
    assert view.plain == "…" + SOURCE[11:81] + "…"
    marked = [view.plain[s.start : s.end] for s in view.spans if "yellow" in str(s.style)]
    assert marked == [SOURCE[36:41]]
