"""What a reader takes out of a file, before cleaning.

A part is a unit of the original that offsets refer to: the whole of a plain file, a page of a PDF,
a member of an EPUB. Its text is the decoded (for markup: extracted) text with every line end as
"\\n"; that text is what `Piece`, `Cut` and `OriginalSpan` offsets count in.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from salon.types import Repair


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that the format itself marks, at `start:end` of its part's text; 1 is outermost."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Drop:
    """A stretch of a part that cleaning leaves out; an empty reason is layout, not worth a cut.

    `put` takes its place (the hyphen of a word that a PDF breaks at the line end). With `apart` it
    is not left out but stands behind the text, as footnotes do.
    """

    start: int
    end: int
    reason: str
    put: str = ""
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One unit of the original. `drops` are what only the reader can know to leave out.

    `join` is what stands between the part before and this one: a page may go on in mid-word.
    `base` is where the text begins in the part, when this is not all of it. `flows` says that its
    lines end where a page was full: those of a paragraph are joined.
    """

    name: str
    text: str
    headings: tuple[Heading, ...] = ()
    drops: tuple[Drop, ...] = ()
    join: str = "\n\n"
    base: int = 0
    flows: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file says of itself; an empty string is not known."""

    title: str = ""
    author: str = ""
    date: str = ""
    language: str = ""
    licence: str = ""
    origin: str = ""

    def over(self, other: Facts) -> Facts:
        """These facts, and where they are silent the other's."""
        return Facts(
            self.title or other.title,
            self.author or other.author,
            self.date or other.date,
            self.language or other.language,
            self.licence or other.licence,
            self.origin or other.origin,
        )


@dataclass(frozen=True, slots=True)
class Extract:
    """All that a reader gives. `marked` says that the format marks its headings itself.

    `scans` names parts that are pictures without text. `goes_on` says that the extract continues a
    file of Project Gutenberg whose header an earlier one had.
    """

    kind: str
    parts: tuple[Part, ...]
    facts: Facts = field(default_factory=Facts)
    encoding: str = ""
    marked: bool = False
    notes: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    scans: tuple[str, ...] = ()
    goes_on: bool = False
