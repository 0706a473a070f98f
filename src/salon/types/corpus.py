"""Sources and passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from salon.types.reading import Repair


@dataclass(frozen=True, slots=True)
class Span:
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Cut:
    """A stretch of the extracted original that cleaning left out; `text` is its first words.

    `reason` is its kind, in plain words: "page number", "running head", "footnote", ...
    """

    part: int
    start: int
    end: int
    reason: str
    text: str

    @property
    def place(self) -> str:
        """The name of this one cut, for `ReadOptions.keep`."""
        return f"{self.part}:{self.start}-{self.end}"


@dataclass(frozen=True, slots=True)
class Piece:
    """`length` characters of the cleaned text at `start`, copied from `part_start` of part `part`.

    A line end of the original may stand as a space in the cleaned text; all else is the same.
    Cleaned text that no piece covers was put in by cleaning (a blank line between parts).
    """

    start: int
    length: int
    part: int
    part_start: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the cleaned text; its section runs to the next of the same or a higher level.

    `level` 1 is the outermost. `heading_end` is where the heading's own words stop.
    """

    start: int
    heading_end: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What is known of a source without its text. `name` is the path below `sources/`, with '/'."""

    id: str
    name: str
    title: str
    kind: str
    sha256: str
    characters: int
    author: str = ""
    date: str = ""
    language: str = ""
    licence: str = ""
    origin: str = ""
    encoding: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A source after reading and cleaning, with its way back to the original.

    `parts` names the units of the original that offsets refer to: one empty name for a plain file,
    "page 12" for a PDF, a member's name for an EPUB. `text` is built from `pieces` of those parts.
    `scans` names parts that are pictures without a text that could be read.
    """

    info: SourceInfo
    text: str
    parts: tuple[str, ...]
    pieces: tuple[Piece, ...]
    sections: tuple[Section, ...] = ()
    cuts: tuple[Cut, ...] = ()
    notes: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    scans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OriginalSpan:
    """A place in the original: the part's name ("" for a plain file) and offsets in its text."""

    part: str
    start: int
    end: int


CutterName = Literal["prose", "fragments", "whole", "topics", "genres"]


@dataclass(frozen=True, slots=True)
class CutterConfig:
    """How a corpus is cut. Sizes in tokens; `target` 0 means never cut."""

    strategy: CutterName = "prose"
    target: int = 750
    maximum: int = 1000
    overlap: int = 100
    tokens: Literal["cl100k", "embedder"] = "cl100k"


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a source: `text` is exactly `source.text[start:end]`.

    `header` situates it ("Autobiography, Chapter III") and is searched, never quoted. `time` is the
    clock of a transcript, as it stands there ("04 06:45:52").
    """

    id: str
    source_id: str
    start: int
    end: int
    text: str
    tokens: int
    section: str = ""
    page: str = ""
    date: str = ""
    place: str = ""
    speaker: str = ""
    header: str = ""
    time: str = ""
