"""Mixed libraries: books, lessons, verse, dialogue and letters, each by own rules."""

from __future__ import annotations

from dataclasses import replace

from salon.corpus.genre import genre_of
from salon.corpus.outline import Outline
from salon.corpus.packing import pack
from salon.corpus.tokens import CountTokens
from salon.corpus.units import Split, Unit, joined, paragraphs_of, splitter, total
from salon.types import CutterConfig, Source, Span

_TINY = 0.2


def cut_genres(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Unit]:
    """Each section by its genre.

    A poem, a letter and a lesson stay whole up to the maximum; a longer poem is parted between
    stanzas and a longer lesson between its steps, without overlap; a longer letter between
    paragraphs and a dialogue between turns; prose between sentences, all with overlap.
    """
    spans: list[Unit] = []
    held: list[Unit] = []
    split = splitter(source.text, config.maximum, count)
    for stretch in outline.stretches:
        span = Span(held[0].start if held else stretch.start, stretch.end)
        held += paragraphs_of(source.text, Span(stretch.start, stretch.end), config.maximum, count)
        if total(held) < config.target * _TINY and _may_join(outline, stretch.end):
            continue
        spans += _cut_section(source.text, span, held, config, split)
        held = []
    return spans + (pack(held, config, split) if held else [])


def _may_join(outline: Outline, end: int) -> bool:
    """A small section may run on into one that is not further out than itself."""
    here, after = outline.at(end - 1), outline.at(end)
    return after.start == end and after.level >= here.level


def _cut_section(
    text: str, span: Span, units: list[Unit], config: CutterConfig, split: Split
) -> list[Unit]:
    genre = genre_of(text[span.start : span.end])
    if not units:
        return []
    if genre != "prose" and total(units) <= config.maximum:
        return [joined(units)]
    if genre in ("verse", "lesson"):
        return pack(units, replace(config, overlap=0))
    if genre in ("letter", "dialogue"):
        return pack(units, config)
    return pack(units, config, split)
