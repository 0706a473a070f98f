"""Where a passage stands: section, page, date, place and speaker, and the header that says so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from salon.corpus.genre import speakers
from salon.corpus.headings import DATE
from salon.corpus.outline import Outline, Stretch
from salon.corpus.textmap import to_original
from salon.types import Section, Source, Span

# A letter's date and place stand this near to its beginning.
_HEAD = 500
_LONGEST_TITLE = 70
_DATED = re.compile(
    rf"(?:([A-Z][\w.’' -]{{1,30}}?(?:,\s+[A-Z][\w.’' -]{{1,24}})?)[,.]\s+)?"
    rf"(?:\w+day,?\s+)?({DATE.pattern})",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]+")
_QUOTES = "\"“”'‘’_*[] \t."


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of where a passage stands; an empty string is not known."""

    section: str
    page: str
    date: str
    place: str
    speaker: str
    header: str


class Situator:
    """Tells where the passages of one source stand."""

    def __init__(self, source: Source, outline: Outline) -> None:
        self._source, self._outline = source, outline
        self._title = _short(source.info.title)
        self._dates: dict[int, tuple[str, str]] = {}

    def at(self, span: Span) -> Place:
        """The section that holds the span, else its middle; the page it begins on; the date.

        The header is the source's title and the section, with date, place and speaker in brackets.
        """
        source = self._source
        stretch = self._outline.at((span.start + span.end) // 2)
        section = ", ".join(each.title for each in self._path(span) or stretch.path)
        page = ""
        if source.info.kind == "pdf":
            original = to_original(source, Span(span.start, span.start + 1))
            page = original[0].part.removeprefix("page ") if original else ""
        if stretch.start not in self._dates:
            self._dates[stretch.start] = _dated(source.text, stretch)
        date, place = self._dates[stretch.start]
        labels = speakers(source.text[span.start : span.end])
        speaker = next(iter(labels)) if len(labels) == 1 and sum(labels.values()) > 1 else ""
        inner = section.removeprefix(self._title).lstrip(", ")
        titles = ", ".join(each for each in (self._title, inner) if each)
        about = ", ".join(each for each in (speaker, place, date) if each and each not in titles)
        header = f"{titles} ({about})" if about else titles
        return Place(section, page, date, place, speaker, header)

    def _path(self, span: Span) -> tuple[Section, ...]:
        """The sections that the span begins and ends in, as far as they are the same."""
        first, last = self._outline.at(span.start).path, self._outline.at(span.end - 1).path
        return tuple(a for a, b in zip(first, last, strict=False) if a == b)


def _dated(text: str, stretch: Stretch) -> tuple[str, str]:
    """Date and place from a line of their own in the head of a section ("Passy, May 3, 1779.")."""
    for match in _LINE.finditer(text, stretch.start, min(stretch.end, stretch.start + _HEAD)):
        line = match.group().strip(_QUOTES)
        dated = _DATED.fullmatch(line)
        if dated:
            return dated.group(2), (dated.group(1) or "").strip()
    return "", ""


def _short(title: str) -> str:
    """A long title without what follows its first stop."""
    if len(title) <= _LONGEST_TITLE:
        return title
    head = re.split(r"[;:]|, (?:or|with|being)\b|\. ", title)[0].strip()
    return head if len(head) <= _LONGEST_TITLE else head[:_LONGEST_TITLE].rsplit(" ", 1)[0]
