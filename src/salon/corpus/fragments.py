"""Notebooks: the boundaries between notes are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from salon.corpus.outline import Outline
from salon.corpus.packing import pack
from salon.corpus.tokens import CountTokens
from salon.corpus.units import Unit, total, units_of
from salon.types import CutterConfig, Source, Span

_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_NUMBER = re.compile(r"\s*(?:\d{1,5}|[IVXLC]+)[.)]?(?:\s|$)")


def cut_fragments(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Span]:
    """Whole notes packed up to the target; a note above the maximum is parted by sentences."""
    spans: list[Span] = []
    for stretch in outline.divided(99):
        held: list[Unit] = []
        for note in _notes(source.text, stretch):
            sentences = units_of(source.text, note, config.maximum, count)
            tokens = total(sentences)
            if tokens > config.maximum:
                spans += pack(held, config)
                spans += pack(sentences, config)
                held = []
            elif sentences:
                held.append(Unit(sentences[0].start, sentences[-1].end, tokens, True))
        spans += pack(held, replace(config, maximum=config.maximum))
    return spans


def _notes(text: str, span: Span) -> Iterator[Span]:
    """Paragraphs; where notes are numbered, a note runs from one number to the next."""
    at = span.start
    for blank in _BLANK.finditer(text, span.start, span.end):
        if blank.start() > at:
            yield Span(at, blank.start())
        at = blank.end()
    if at < span.end:
        yield Span(at, span.end)
