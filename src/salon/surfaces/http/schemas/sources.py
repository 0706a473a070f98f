"""Passages and sources as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from salon.surfaces.http.schemas.base import Body, SpanBody, span_body
from salon.types import Source

if TYPE_CHECKING:
    from salon.house.house import PassageInSource


class OriginalSpanBody(Body):
    """A place in the original file; `part` is a page or a member's name, "" for a plain file."""

    part: str
    start: int
    end: int


class PassageBody(Body):
    """`text` is exactly the source's text at `span`."""

    id: str
    source: str
    source_id: str
    title: str
    section: str
    page: str
    date: str
    place: str
    speaker: str
    time: str
    span: SpanBody
    tokens: int
    text: str
    original: list[OriginalSpanBody]


class SectionBody(Body):
    title: str
    level: int
    start: int


class CutBody(Body):
    """A stretch that cleaning left out of the source, with the reason."""

    reason: str
    part: str
    characters: int
    text: str


class SourceBody(Body):
    """A source as it was cleaned, with where it came from."""

    id: str
    source: str
    title: str
    author: str
    date: str
    language: str
    licence: str
    origin: str
    kind: str
    sha256: str
    characters: int
    encoding: str
    notes: list[str]
    cuts: list[CutBody]
    sections: list[SectionBody]
    text: str


def passage_body(found: PassageInSource) -> PassageBody:
    passage, info = found.passage, found.source.info
    return PassageBody(
        id=passage.id,
        source=info.name,
        source_id=info.id,
        title=info.title,
        section=passage.section,
        page=passage.page,
        date=passage.date,
        place=passage.place,
        speaker=passage.speaker,
        time=passage.time,
        span=span_body(passage.start, passage.end),
        tokens=passage.tokens,
        text=passage.text,
        original=[
            OriginalSpanBody(part=place.part, start=place.start, end=place.end)
            for place in found.original
        ],
    )


def source_body(source: Source) -> SourceBody:
    info = source.info
    return SourceBody(
        id=info.id,
        source=info.name,
        title=info.title,
        author=info.author,
        date=info.date,
        language=info.language,
        licence=info.licence,
        origin=info.origin,
        kind=info.kind,
        sha256=info.sha256,
        characters=info.characters,
        encoding=info.encoding,
        notes=list(source.notes),
        cuts=[
            CutBody(
                reason=cut.reason,
                part=source.parts[cut.part],
                characters=cut.end - cut.start,
                text=cut.text,
            )
            for cut in source.cuts
        ],
        sections=[
            SectionBody(title=section.title, level=section.level, start=section.start)
            for section in source.sections
        ],
        text=source.text,
    )
