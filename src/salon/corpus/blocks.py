"""A text's blocks: lines that no blank line parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORD = re.compile(r"\S")
_BLANK = re.compile(r"\n[^\S\n]*\n")


@dataclass(frozen=True, slots=True)
class Block:
    """Lines at `start:end`, without the last line's end; `gap` blank lines stand before it."""

    start: int
    end: int
    gap: int


def blocks(text: str, start: int = 0, end: int | None = None) -> Iterator[Block]:
    """The blocks of `text[start:end]` in order; a block begins with its first line's indent.

    Takes time proportional to the text, however it is made of spaces.
    """
    end = len(text) if end is None else end
    at = start
    while word := _WORD.search(text, at, end):
        first = max(text.rfind("\n", at, word.start()) + 1, at)
        blank = _BLANK.search(text, word.start(), end)
        last = blank.start() if blank else end
        yield Block(first, last, text.count("\n", at, first))
        if blank is None:
            return
        at = blank.start() + 1
