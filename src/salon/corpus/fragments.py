"""Notebooks: the boundaries between notes are kept."""

from __future__ import annotations

from salon.corpus.outline import Outline
from salon.corpus.packing import pack
from salon.corpus.tokens import CountTokens
from salon.corpus.units import Unit, joined, paragraphs_of, total
from salon.types import CutterConfig, Source, Span

# A division of the notebook holds, on average, at least so many passages.
_PASSAGES = 2
_CHARACTERS_PER_TOKEN = 4
_DEEPEST = 6
_TINY = 0.2


def cut_fragments(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Unit]:
    """Whole notes packed up to the target; a note above the maximum is parted by sentences.

    A note is a section; where a section is too long for a passage, each of its paragraphs is one.
    """
    spans: list[Unit] = []
    divisions = outline.divided(_dividing(outline, config))
    held: list[Unit] = []
    for division in divisions:
        for stretch in outline.within(division):
            for note in _notes(source.text, stretch, config, count):
                if len(note) == 1:
                    held += note
                else:
                    spans += pack(held, config) + pack(note, config)
                    held = []
        # A division too small for a passage of its own goes on into the next.
        if total(held) >= config.target * _TINY:
            spans += pack(held, config)
            held = []
    return spans + pack(held, config)


def _dividing(outline: Outline, config: CutterConfig) -> int:
    """The innermost level whose sections are chapters of the notebook rather than notes."""
    size = _PASSAGES * config.target * _CHARACTERS_PER_TOKEN
    length = outline.stretches[-1].end
    dividing = 0
    for level in range(1, _DEEPEST + 1):
        if length / len(outline.divided(level)) >= size:
            dividing = level
    return dividing


def _notes(text: str, stretch: Span, config: CutterConfig, count: CountTokens) -> list[list[Unit]]:
    """Each note as one unit, or as its sentences where it is above the maximum."""
    paragraphs = paragraphs_of(text, stretch, config.maximum, count)
    if not paragraphs:
        return []
    if total(paragraphs) <= config.maximum:
        return [[joined(paragraphs)]]
    notes: list[list[Unit]] = []
    for unit in paragraphs:
        if unit.paragraph or not notes or notes[-1][-1].ends:
            notes.append([unit])
        else:
            notes[-1].append(unit)
    return notes
