"""Footnotes that stand in the middle of a text: found, so that they can stand behind it."""

from __future__ import annotations

import re

from salon.corpus.extract import Drop

_BEGIN = re.compile(
    r"^[ \t]*\[(?:Footnote|Note|Anmerkung|Fußnote|Nota|FN)[ \t]*"
    r"(?:\[?(?:\d{1,4}|[A-Z]|[*†‡§]+)\]?)?[ \t]*[:.]",
    re.MULTILINE | re.IGNORECASE,
)
_LONGEST = 20_000
_BRACKET = re.compile(r"[\[\]]")
_SPACE = re.compile(r"\s*")
_ENDS_SENTENCE = re.compile(r"[.!?:;。！？”\"’'»)\]—*_-]\s*$")


def footnotes(text: str) -> tuple[Drop, ...]:
    """The bracketed notes that are paragraphs of their own ("[Footnote 3: ...]"), as drops that
    stand apart."""
    found: list[Drop] = []
    at = 0
    while begin := _BEGIN.search(text, at):
        end = _closing(text, begin.start())
        if end < 0:
            at = begin.end()
            continue
        found.append(bridged(text, Drop(begin.start(), end, "footnote", apart=True)))
        at = end
    return tuple(found)


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens at or after `start` closes, or -1."""
    depth = 0
    for match in _BRACKET.finditer(text, start, start + _LONGEST):
        depth += 1 if match.group() == "[" else -1
        if depth == 0:
            return match.end()
    return -1


def bridged(text: str, drop: Drop) -> Drop:
    """The drop with the space around it; a sentence that it interrupts goes on over it.

    Nothing is put in but the space that stood there: a blank line, or one space in a sentence.
    """
    start, end = drop.start, drop.end
    before = text[max(0, start - 80) : start].rstrip()
    after = _SPACE.match(text, end)
    stop = after.end() if after else end
    goes_on = (
        bool(before)
        and stop < len(text)
        and text[stop].islower()
        and not _ENDS_SENTENCE.search(before)
    )
    if goes_on:
        while start > 0 and text[start - 1].isspace():
            start -= 1
        return Drop(start, stop, drop.reason, " ", drop.apart)
    line = text.rfind("\n", end, stop) + 1
    return Drop(start, line if line > end else stop, drop.reason, "", drop.apart)
