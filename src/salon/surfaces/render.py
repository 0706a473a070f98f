"""An answer as a person reads it: the text with raised numbers, its notes, and what its score says.

Everything is made as `rich.text.Text`, never as markup, and passes `safe_text` first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from salon.surfaces.safe_text import one_line, safe_text
from salon.surfaces.terminal import indented
from salon.surfaces.titles import main_title, within
from salon.types import Answer, Citation, Passage, Span

QUOTE_CHARACTERS = 300
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MARK = re.compile(r"(\s?)((?:\[\d{1,3}\])+)")


def answer_view(answer: Answer, console: Console) -> Text:
    """The whole answer: text, notes, one line about the score, and its reasons when it is low."""
    numbers = {citation.number for citation in answer.citations}
    parts = [answer_text(answer.text, numbers, console), Text()]
    if answer.citations:
        parts += [*_notes(answer.citations, console), Text()]
    parts.append(score_line(answer))
    parts += [indented(line, 2, console) for line in reasons(answer)]
    return Text("\n").join(parts)


def answer_text(text: str, numbers: Collection[int], console: Console) -> Text:
    """The text with each [n] of `numbers` as a raised number, where the terminal can show those."""
    raised = console.encoding.lower().startswith("utf")
    shown = Text()
    end = 0
    clean = safe_text(text).strip()
    for mark in _MARK.finditer(clean):
        found = re.findall(r"\d+", mark[2])
        if not all(int(number) in numbers for number in found):
            continue
        shown.append(clean[end : mark.start()])
        if raised:
            shown.append(",".join(found).translate(_RAISED), "bold cyan")
        else:
            shown.append(mark[0], "bold cyan")
        end = mark.end()
    shown.append(clean[end:])
    return shown


def _notes(citations: Sequence[Citation], console: Console) -> Iterator[Text]:
    """One note a number: where it is from, the command that opens it, and the words themselves."""
    for number in dict.fromkeys(citation.number for citation in citations):
        same = [citation for citation in citations if citation.number == number]
        first = same[0]
        head = Text().append(f"{number:>2}  ", "bold cyan")
        title = one_line(first.title or first.source)
        head.append(main_title(title), "bold")
        if section := within(one_line(first.section), title):
            head.append(f", {section}")
        if where := _where(first):
            head.append(f" ({one_line(where)})")
        head.append(f"  {one_line(first.source)}  {reference(first)}", "dim")
        yield head
        for quote, verbatim in dict.fromkeys((c.quote, c.verbatim) for c in same):
            yield indented(Text().append(_quoted(quote, verbatim), "italic"), 4, console)


def _where(citation: Citation) -> str:
    """Speaker, place, date, time and page, as far as they are known."""
    page = f"page {citation.page}" if citation.page else ""
    known = (citation.speaker, citation.place, citation.date, citation.time, page)
    return ", ".join(each for each in known if each and each not in citation.section)


def reference(citation: Citation) -> str:
    """What `salon show` takes to open the citation at its words."""
    return f"{citation.passage_id}:{citation.start}-{citation.end}"


def _quoted(quote: str, verbatim: bool) -> str:
    """The words; those that the answer rests on are shortened, those that it quotes never are."""
    words = safe_text(quote).strip() if verbatim else one_line(quote)
    if not verbatim and len(words) > QUOTE_CHARACTERS:
        words = words[:QUOTE_CHARACTERS].rsplit(" ", 1)[0] + " \u2026"
    return f"\u201c{words}\u201d"


def score_line(answer: Answer) -> Text:
    """As 'Rests on 4 passages of 2 books. Score 0.82, grounded.'"""
    passages = len({citation.passage_id for citation in answer.citations})
    sources = len({citation.source_id for citation in answer.citations})
    grounding = answer.grounding
    if answer.declined:
        words = "The sources do not cover this question. "
    elif not passages:
        words = "Rests on no passage. "
    else:
        words = f"Rests on {_count(passages, 'passage')} of {_count(sources, 'source')}. "
    line = Text(words)
    verdict = "grounded" if grounding.grounded else "not grounded"
    style = "green" if grounding.grounded else "bold yellow"
    line.append(f"Score {grounding.score:.2f}, {verdict}.", style)
    line.append(f"  {answer.id} \u00b7 {one_line(answer.model)} \u00b7 {_time(answer)}", "dim")
    return line


def reasons(answer: Answer) -> list[Text]:
    """Warnings, quotations that no source has, and what took something off the score."""
    lines = [Text(f"! {one_line(warning)}", "yellow") for warning in answer.warnings]
    lines += [
        Text(f"- {one_line(signal.reason)} (-{signal.penalty:.2f})")
        for signal in answer.grounding.signals
        if signal.penalty > 0
    ]
    lines += [
        Text(f"! Not found in the sources: \u201c{one_line(check.text)}\u201d", "bold red")
        for check in answer.grounding.quotes
        if not check.verbatim
    ]
    lines += [
        Text(f"! Rests on no passage: \u201c{one_line(claim.text)}\u201d", "yellow")
        for claim in answer.grounding.claims
        if claim.verdict == "unsupported"
    ]
    return lines


def passage_view(text: str, passage: Passage, marks: Sequence[Span], around: int) -> Text:
    """The passage inside its source, `around` characters on either side, `marks` highlighted.

    `text` is the whole cleaned source; spans are in it.
    """
    start = max(0, passage.start - around)
    end = min(len(text), passage.end + around)
    shown = Text()
    edges = sorted(
        {start, passage.start, passage.end, end}
        | {edge for mark in marks for edge in (mark.start, mark.end) if start <= edge <= end}
    )
    if start > 0:
        shown.append("\u2026", "dim")
    for left, right in itertools.pairwise(edges):
        marked = any(mark.start <= left and right <= mark.end for mark in marks)
        inside = passage.start <= left and right <= passage.end
        style = "bold black on yellow" if marked else "" if inside else "dim"
        shown.append(safe_text(text[left:right]), style)
    if end < len(text):
        shown.append("\u2026", "dim")
    return shown


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _time(answer: Answer) -> str:
    ms = answer.elapsed_ms
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"
