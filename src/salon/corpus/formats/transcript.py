"""What was said, by whom and when, as a text: the one form of chats and subtitles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from salon.corpus.extract import Heading, Part


@dataclass(frozen=True, slots=True)
class Said:
    """One turn. `day` is an ISO date and `time` a clock, both "" where they are not known."""

    speaker: str
    text: str
    day: str = ""
    time: str = ""


def transcript(turns: Iterable[Said]) -> Part:
    """A paragraph a turn, "[12:03] Ann: Hello.", under a heading for each day."""
    written: list[str] = []
    headings: list[Heading] = []
    length = 0
    day = ""
    for turn in turns:
        text = turn.text.strip()
        if not text:
            continue
        if turn.day and turn.day != day:
            day = turn.day
            gap = "\n\n" if length else ""
            headings.append(Heading(length + len(gap), length + len(gap) + len(day), 1, day))
            written.append(gap + day)
            length += len(gap) + len(day)
        head = f"[{turn.time}] " if turn.time else ""
        head += f"{_one_line(turn.speaker)}: " if turn.speaker else ""
        line = ("\n\n" if length else "") + head + _as_paragraph(text)
        written.append(line)
        length += len(line)
    return Part("", "".join(written), tuple(headings))


def _one_line(name: str) -> str:
    return " ".join(name.replace(":", " ").split())[:60]


def _as_paragraph(text: str) -> str:
    """A turn is one paragraph: its own blank lines are line ends."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return "\n".join(line for line in lines if line)
