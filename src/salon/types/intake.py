"""What intake measures of a source, and which gates it passes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """A line that shows the trouble: its number in the cleaned text (from 1, 0 unknown), and why.

    `text` is the line's beginning, made safe to print.
    """

    line: int
    text: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class JunkWindow:
    """A stretch of the text, in characters, and its damaged words per 1,000."""

    start: int
    end: int
    rate: float


@dataclass(frozen=True, slots=True)
class JunkRate:
    """`rate` is damaged words per 1,000; `errors` the estimated share of wrong characters, 0 to 1.

    `words` is how many were measured: 0 where the language has no lexicon, when only signs that no
    text has are counted. `lines` are the worst, `examples` the likeliest damaged words.
    """

    language: str
    words: int
    rate: float
    errors: float
    windows: tuple[JunkWindow, ...] = ()
    lines: tuple[EvidenceLine, ...] = ()
    examples: tuple[str, ...] = ()
