"""The sections of a source as a tree: which one a place is in, and the stretches they divide."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

from salon.corpus.headings import is_matter
from salon.types import Section, Source, Span


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text up to the next heading, with the sections it stands in, outermost first."""

    start: int
    end: int
    path: tuple[Section, ...]

    @property
    def level(self) -> int:
        return self.path[-1].level if self.path else 0

    @property
    def body(self) -> int:
        """Where the words after the stretch's own heading begin."""
        return self.path[-1].heading_end if self.path else self.start


class Outline:
    """Answers where a place is; built once for a source."""

    def __init__(self, source: Source) -> None:
        self.stretches = tuple(_stretches(source))
        self._starts = [each.start for each in self.stretches]

    def at(self, offset: int) -> Stretch:
        return self.stretches[max(bisect_right(self._starts, offset) - 1, 0)]

    @property
    def chapter_level(self) -> int:
        """The level of chapters: one below the outermost that has more than one section.

        A title that heads the whole book is no division of it, and a preface no chapter.
        """
        paths = [each.path for each in self.stretches if each.path]
        counts = Counter(path[-1].level for path in paths if not is_matter(path[-1].title))
        outermost = min((level for level, count in counts.items() if count > 1), default=1)
        return outermost + 1

    def within(self, span: Span) -> list[Span]:
        """The stretches of a span that `divided` gave."""
        first = max(bisect_right(self._starts, span.start) - 1, 0)
        found: list[Span] = []
        for each in self.stretches[first:]:
            if each.start >= span.end:
                break
            found.append(Span(each.start, each.end))
        return found

    def divided(self, level: int) -> list[Span]:
        """The text divided before each heading of `level` or further out."""
        spans: list[Span] = []
        for each in self.stretches:
            if spans and each.level > level:
                spans[-1] = Span(spans[-1].start, each.end)
            else:
                spans.append(Span(each.start, each.end))
        return spans


def _stretches(source: Source) -> list[Stretch]:
    found: list[Stretch] = []
    path: list[Section] = []
    sections = source.sections
    if not sections or source.text[: sections[0].start].strip():
        end = sections[0].start if sections else len(source.text)
        found.append(Stretch(0, end, ()))
    for place, section in enumerate(sections):
        while path and path[-1].level >= section.level:
            path.pop()
        path.append(section)
        end = sections[place + 1].start if place + 1 < len(sections) else len(source.text)
        found.append(Stretch(section.start, end, tuple(path)))
    return found
