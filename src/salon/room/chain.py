"""Chains: a reply that mentions another persona calls it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from salon.room.mentions import Directory

DEFAULT_DEPTH = 3

Ending = Literal["", "depth", "tokens", "loop", "stopped"]

_RELAYS = {
    "fr": "{nick} a dit : « {text} ». @{next}, réponds-lui.",
    "en": '{nick} said: "{text}". @{next}, answer that.',
}


@dataclass(frozen=True, slots=True)
class Relay:
    """What the next persona is handed: `text` quotes the reply; it is addressed to `persona`
    alone."""

    persona: str
    text: str
    depth: int


def next_speaker(
    reply: str, speaker: str, directory: Directory, there: Collection[str]
) -> str | None:
    """The first mentioned persona that is there and is not the speaker."""
    for identifier in directory.scan(reply).personas:
        if identifier != speaker and identifier in there:
            return identifier
    return None


def relay_text(reply: str, nick: str, next_nick: str, language: str, most: int) -> str:
    """The words that hand a reply over, in the next persona's language where we have them."""
    form = _RELAYS.get(language.partition("-")[0], _RELAYS["en"])
    return form.format(nick=nick, text=cut_at_word(reply, most), next=next_nick)


def cut_at_word(text: str, most: int) -> str:
    """At most `most` characters, an ellipsis included, ending where a word ends."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    room = flat[:most]
    cut = room[:-1] if most else ""
    if " " in cut and not flat[len(cut)].isspace():
        cut = cut.rsplit(" ", 1)[0]
    return cut.rstrip(" ,;:") + "…" if most else ""


def ending(
    depth: int, most_depth: int, speakers: Sequence[str], following: str, tokens: int, most: int
) -> Ending:
    """Why the chain ends before `following` speaks, or "".

    `speakers` are those of the chain so far, `depth` that of the last. Two who call each other are
    held by the depth limit; a house that allows more than the default stops them after A-B-A-B.
    """
    if depth >= most_depth:
        return "depth"
    if tokens >= most:
        return "tokens"
    last = [*speakers[-4:], following]
    if (
        len(speakers) > DEFAULT_DEPTH
        and len(last) == 5
        and last[0] == last[2] == last[4]
        and last[1] == last[3]
    ):
        return "loop"
    return ""
