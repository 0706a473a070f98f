"""Prose: sentences packed to a size, with overlap, never across the heading of a chapter."""

from __future__ import annotations

from salon.corpus.outline import Outline
from salon.corpus.packing import pack
from salon.corpus.tokens import CountTokens
from salon.corpus.units import Unit, paragraphs_of, splitter, total
from salon.types import CutterConfig, Source

# A section below this share of the target is too small for a passage and joins the next.
_TINY = 0.2


def cut_prose(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Unit]:
    spans: list[Unit] = []
    split = splitter(source.text, config.maximum, count)
    held: list[Unit] = []
    for stretch in outline.divided(outline.chapter_level):
        held += paragraphs_of(source.text, stretch, config.maximum, count)
        if total(held) >= config.target * _TINY:
            spans += pack(held, config, split)
            held = []
    if held:
        spans += pack(held, config, split)
    return spans
