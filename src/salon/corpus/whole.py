"""Whole documents: a poem or a letter is one passage, whatever its length."""

from __future__ import annotations

from salon.corpus.outline import Outline
from salon.corpus.tokens import CountTokens
from salon.types import CutterConfig, Source, Span


def cut_whole(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Span]:
    """Each leaf section of a collection; a source without sections is one document."""
    text = source.text
    spans = []
    for stretch in outline.stretches:
        start, end = stretch.start, stretch.end
        while end > start and text[end - 1].isspace():
            end -= 1
        if text[stretch.body : end].strip():
            spans.append(Span(start, end))
    return spans
