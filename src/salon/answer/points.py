"""The "quotes" form of a reply: points of a copied quote, its passage, and what it lets the persona
say."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from salon.answer.lookup import located
from salon.answer.quote_index import QuoteIndex
from salon.answer.sameness import Sameness
from salon.errors import ModelUnavailable
from salon.types import Evidence, Span

_SAY = re.compile(r'"say"\s*:\s*"')
_ESCAPES = {"n": "\n", "t": " ", "r": "", "b": "", "f": ""}


@dataclass(frozen=True, slots=True)
class Point:
    quote: str
    passage: int
    say: str

    def locate(self, evidence: Sequence[Evidence], code: str) -> tuple[int, Span] | None:
        """The evidence that has the quote word for word, the one it names first, and the exact
        place."""
        ordered = sorted(evidence, key=lambda item: item.number != self.passage)
        for item in ordered:
            passage = item.hit.passage
            index = QuoteIndex([(item.hit.source, passage.text)])
            places = located(index, self.quote, Sameness(index, code))
            if places:
                span = places[0].span
                return item.number, Span(span.start + passage.start, span.end + passage.start)
        return None


def points_of(reply: str, complete: bool = True) -> list[Point]:
    """The points of a JSON reply; of one cut off by its length, those that are whole.

    Raises ModelUnavailable when it is not JSON of the schema.
    """
    try:
        data = json.loads(reply if complete else _closed(reply))
        return [Point(str(p["quote"]), int(p["passage"]), str(p["say"])) for p in data["points"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(
            "the model's reply is not the JSON that was asked for",
            expected='{"points": [{"quote": ..., "passage": ..., "say": ...}]}',
            cure="use a model that follows a JSON schema",
        ) from error


def _closed(reply: str) -> str:
    """A JSON reply that was cut off, ended after its last whole point."""
    last = reply.rfind("}")
    return reply[: last + 1] + "]}" if last >= 0 else '{"points": []}'


class PointStream:
    """Gives the text of every "say" while the JSON streams; a space parts the points."""

    def __init__(self) -> None:
        self._buffer = ""
        self._inside = False
        self._points = 0

    def feed(self, chunk: str) -> str:
        self._buffer += chunk
        shown = ""
        while True:
            if not self._inside:
                start = _SAY.search(self._buffer)
                if start is None:
                    return shown
                self._buffer = self._buffer[start.end() :]
                self._inside = True
                shown += " " if self._points else ""
                self._points += 1
            text, taken, closed = _string(self._buffer)
            shown += text
            self._buffer = self._buffer[taken:]
            self._inside = not closed
            if not closed:
                return shown


def _string(buffer: str) -> tuple[str, int, bool]:
    """The readable part of a JSON string's body: text, characters taken, whether it ended."""
    text, at = "", 0
    while at < len(buffer):
        char = buffer[at]
        if char == '"':
            return text, at + 1, True
        if char != "\\":
            text, at = text + char, at + 1
            continue
        width = 6 if buffer[at + 1 : at + 2] == "u" else 2
        if len(buffer) < at + width:
            break
        escape = buffer[at + 1 : at + width]
        text += chr(int(escape[1:], 16)) if width == 6 else _ESCAPES.get(escape, escape)
        at += width
    return text, at, False
