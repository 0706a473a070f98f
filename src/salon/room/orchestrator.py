"""The orchestrator's own rules, checked on what it wrote and mended. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from salon.room.mentions import Directory
from salon.room.names import fold
from salon.types import Breach

MOST_SENTENCES = 2

_END = re.compile(r"(?<=[.!?…。！？])[\"'»”’)\]]*(?:\s+|(?<=[。！？])(?=\S))")
_LAYOUT = re.compile(r"^[ \t]*(?:#{1,6}\s|[-*+•]\s|\d{1,2}[.)]\s)|\*\*|__|```|^\|", re.M)
_HEAD = re.compile(r"^[ \t]*(?:#{1,6}\s+|[-*+•]\s+|\d{1,2}[.)]\s+)", re.M)
_MARKS = re.compile(r"\*{1,3}|_{2,3}|`+")
_HANDOVER = {"fr": "@{nick} peut approfondir.", "en": "@{nick} can go deeper."}


def sentences(text: str) -> list[str]:
    """The sentences of a short reply, in order."""
    return [part.strip() for part in _END.split(text) if part and part.strip()]


def check(
    text: str, directory: Directory, there: Collection[str], earlier: str = ""
) -> list[Breach]:
    """What the reply breaks. `earlier` is the orchestrator's reply before: it never repeats it."""
    found = []
    parts = sentences(text)
    if len(parts) > MOST_SENTENCES:
        found.append(Breach("sentences", f"use at most {MOST_SENTENCES} sentences"))
    if _LAYOUT.search(text):
        found.append(Breach("layout", "no lists, titles or markdown"))
    if not parts or not hands_over(parts[-1], directory, there):
        found.append(Breach("handover", "end by handing over to one specialist with an @mention"))
    if earlier and fold(" ".join(earlier.split())) == fold(" ".join(text.split())):
        found.append(Breach("repeated", "do not repeat what was said before"))
    return found


def hands_over(sentence: str, directory: Directory, there: Collection[str]) -> bool:
    return any(name in there for name in directory.scan(sentence).personas)


def mend(
    text: str, directory: Directory, there: Collection[str], next_nick: str, language: str
) -> str:
    """The reply within the rules: without layout, one sentence of response, then the hand-over.

    A hand-over that the reply makes anywhere is kept; else it goes to `next_nick`, if not "".
    """
    plain = " ".join(_MARKS.sub("", _HEAD.sub("", text)).split())
    parts = sentences(plain)
    calling = [part for part in parts if hands_over(part, directory, there)]
    saying = [part for part in parts if part not in calling]
    handover = calling[0] if calling else ""
    if not handover and next_nick:
        form = _HANDOVER.get(language.partition("-")[0], _HANDOVER["en"])
        handover = form.format(nick=next_nick)
    kept = [*saying[: MOST_SENTENCES - 1 if handover else MOST_SENTENCES], handover]
    return " ".join(part for part in kept if part)
