"""Headings of a cleaned text, and what they head."""

from __future__ import annotations

from salon.corpus.clean import Cleaned
from salon.types import Section


def find_sections(cleaned: Cleaned, *, marked: bool) -> tuple[Section, ...]:
    """Sections in order; the format's own headings where it marks them."""
    return (
        tuple(Section(each.start, each.end, each.level, each.title) for each in cleaned.headings)
        if marked
        else ()
    )
