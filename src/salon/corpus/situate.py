"""Where a passage stands: its section, page, date and place, and the header that says so."""

from __future__ import annotations

from dataclasses import dataclass

from salon.corpus.outline import Outline
from salon.corpus.textmap import to_original
from salon.types import Source, Span


@dataclass(frozen=True, slots=True)
class Place:
    section: str
    page: str
    date: str
    place: str
    speaker: str
    header: str


def situate(source: Source, outline: Outline, span: Span) -> Place:
    """The section is the one that the passage's middle is in; the page the one it begins on."""
    stretch = outline.at((span.start + span.end) // 2)
    section = ", ".join(each.title for each in stretch.path)
    page = ""
    if source.info.kind == "pdf":
        original = to_original(source, Span(span.start, span.start + 1))
        page = original[0].part.removeprefix("page ") if original else ""
    header = ", ".join(each for each in (source.info.title, section) if each)
    return Place(section, page, "", "", "", header)
