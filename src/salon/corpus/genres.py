"""Mixed libraries: books, lessons, verse, dialogue and letters, each by own rules."""

from __future__ import annotations

from dataclasses import replace

from salon.corpus.blocks import blocks
from salon.corpus.genre import genre_of
from salon.corpus.outline import Outline
from salon.corpus.packing import pack
from salon.corpus.tokens import CountTokens
from salon.corpus.units import Unit, total, units_of
from salon.types import CutterConfig, Source, Span

_TINY = 0.2


def cut_genres(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Span]:
    """Each section by its genre.

    A poem, a letter and a lesson stay whole up to the maximum; a longer poem is parted between
    stanzas and a longer lesson between its steps, without overlap; a longer letter between
    paragraphs and a dialogue between turns; prose between sentences, all with overlap.
    """
    spans: list[Span] = []
    held: list[Unit] = []
    for stretch in outline.stretches:
        span = Span(held[0].start if held else stretch.start, stretch.end)
        sentences = held + units_of(
            source.text, Span(stretch.start, stretch.end), config.maximum, count
        )
        if total(sentences) < config.target * _TINY and _may_join(outline, stretch.end):
            held = sentences
            continue
        held = []
        spans += _cut_section(source.text, span, sentences, config)
    return spans + (pack(held, config) if held else [])


def _may_join(outline: Outline, end: int) -> bool:
    """A small section may run on into one that is not further out than itself."""
    here, after = outline.at(end - 1), outline.at(end)
    return after.start == end and after.level >= here.level


def _cut_section(text: str, span: Span, sentences: list[Unit], config: CutterConfig) -> list[Span]:
    genre = genre_of(text[span.start : span.end])
    if not sentences:
        return []
    if genre != "prose" and total(sentences) <= config.maximum:
        return [Span(sentences[0].start, sentences[-1].end)]
    if genre in ("verse", "lesson"):
        return pack(_by_blocks(text, span, sentences, config), replace(config, overlap=0))
    if genre in ("letter", "dialogue"):
        return pack(_by_blocks(text, span, sentences, config), config)
    return pack(sentences, config)


def _by_blocks(text: str, span: Span, sentences: list[Unit], config: CutterConfig) -> list[Unit]:
    """Stanzas, steps, turns or paragraphs as units; one above the maximum is its sentences."""
    units: list[Unit] = []
    at = 0
    for block in blocks(text, span.start, span.end):
        inside: list[Unit] = []
        while at < len(sentences) and sentences[at].start < block.end:
            inside.append(sentences[at])
            at += 1
        if inside and total(inside) <= config.maximum:
            units.append(Unit(inside[0].start, inside[-1].end, total(inside), True))
        else:
            units += inside
    return units
