"""Reads citation marks as a reply streams: [1], [1, 2], [[1]], 【1】, ［１］, [1-3],
[passage 2], [1; source 3], [^1].

Marks are renumbered 1..n in the order in which passages are first cited; numbers that point nowhere
are removed and counted. Inside code nothing is a mark. What comes out does not depend on how the
reply was cut into chunks: nothing is decided before everything that could change the decision is
there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

_LONGEST = 60
_NUMBERS = r"\d{1,3}(?!\d)(?:\s*[-–—]\s*\d{1,3}(?!\d))?"
_OPEN, _CLOSE = r"\[［【〔⟦", r"\]］】〕⟧"
_BETWEEN = ",;、，；&"
_PARTED = rf"(?:[{_BETWEEN}]|\b(?:and|et|und|y)\b)"
_NOUNS = r"(?:passages?|sources?|refs?\.?|docs?|notes?|nos?\.?|#|\^)[ \t]*:?[ \t]*"
_MARK = re.compile(
    rf"(?P<open>[{_OPEN}]{{1,2}})[ \t]*(?:{_NOUNS})?"
    rf"(?P<numbers>{_NUMBERS}(?:[ \t]*{_PARTED}[ \t]*(?:{_NOUNS})?{_NUMBERS})*)"
    rf"[ \t]*(?:†[^{_CLOSE}\n]{{0,40}})?(?P<close>[{_CLOSE}])",
    re.I,
)
_UNFINISHED = re.compile(
    rf"[{_OPEN}]{{1,2}}(?:[ \t]*(?:[a-z^#:.]{{1,9}}|[\d{_BETWEEN}\-–—]+))*[ \t]*"
    rf"(?:†[^{_CLOSE}\n]*)?\Z",
    re.I,
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNFINISHED_FENCE = re.compile(r" {0,3}(`*|~*)\Z")
_SPECIAL = re.compile(rf"[`\n \t{_OPEN}]")
_RANGE_LIMIT = 20


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of the reply: `numbers` of evidence, at this place of the text without marks."""

    at: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A reply taken apart: `text` without marks, where they stood, and how many pointed nowhere."""

    text: str
    marks: tuple[Mark, ...]
    dangling: int = 0


class MarkStream:
    """Feed chunks, get text to show; `result` after `finish` is the reply taken apart.

    `known` are the numbers of the evidence.
    """

    def __init__(self, known: Collection[int]) -> None:
        self._known = frozenset(known)
        self._buffer = ""
        self._plain: list[str] = []
        self._length = 0
        self._marks: list[Mark] = []
        self._notes: dict[int, int] = {}
        self._dangling = 0
        self._line_start = True
        self._fence = ""
        self._space = ""  # spaces that are shown once it is known that no mark follows them
        self._after_mark = False

    @property
    def result(self) -> Marked:
        return Marked("".join(self._plain), tuple(self._marks), self._dangling)

    def feed(self, chunk: str) -> str:
        self._buffer += chunk
        return self._run(final=False)

    def finish(self) -> str:
        return self._run(final=True) + self._flush_space()

    def _run(self, final: bool) -> str:
        shown: list[str] = []
        at = 0
        while at < len(self._buffer):
            step = self._line(at, final) if self._line_start or self._fence else None
            if step is None:
                step = self._inline(at, final)
            text, taken = step
            if not taken:
                break
            shown.append(text)
            at += taken
        self._buffer = self._buffer[at:]
        return "".join(shown)

    def _line(self, at: int, final: bool) -> tuple[str, int] | None:
        """A line's start, or a line in a code fence: (shown, characters taken), 0 to wait."""
        rest = self._buffer[at:]
        if self._line_start:
            if not final and _UNFINISHED_FENCE.match(rest):
                return "", 0
            fence = _FENCE.match(rest)
            if self._fence:
                if fence and fence[1].startswith(self._fence):
                    self._fence = ""
                    self._line_start = False
                    return self._emit(fence[0]), fence.end()
            elif fence:
                self._fence, self._line_start = fence[1], False
                return self._emit(fence[0]), fence.end()
            self._line_start = False
            if not self._fence:
                return None
        end = rest.find("\n") + 1 or len(rest)
        self._line_start = rest[:end].endswith("\n")
        return self._emit(rest[:end]), end

    def _inline(self, at: int, final: bool) -> tuple[str, int]:
        buffer = self._buffer
        char = buffer[at]
        if char == "`":
            return self._code(at, final)
        if char in " \t":
            self._space += char
            return "", 1
        if char in "[［【〔⟦":
            return self._bracket(at, final)
        if char == "\n":
            self._line_start = True
            return self._emit(char), 1
        special = _SPECIAL.search(buffer, at + 1)
        end = special.start() if special else len(buffer)
        return self._emit(buffer[at:end]), end - at

    def _code(self, at: int, final: bool) -> tuple[str, int]:
        """Inline code up to its closing run in the same line; an unclosed run is plain text."""
        after = at + len(self._buffer[at:]) - len(self._buffer[at:].lstrip("`"))
        ticks = self._buffer[at:after]
        if after == len(self._buffer) and not final:
            return "", 0
        line_end = self._buffer.find("\n", at)
        stop = line_end if line_end >= 0 else len(self._buffer)
        closing = re.compile(rf"(?<!`){ticks}(?!`)").search(self._buffer, after, stop)
        if closing and (closing.end() < len(self._buffer) or final):
            return self._emit(self._buffer[at : closing.end()]), closing.end() - at
        if line_end < 0 and not final:
            return "", 0
        return self._emit(ticks), len(ticks)

    def _bracket(self, at: int, final: bool) -> tuple[str, int]:
        buffer = self._buffer
        mark = _MARK.match(buffer, at, at + _LONGEST)
        if mark is None:
            if not final and len(buffer) - at < _LONGEST and _UNFINISHED.match(buffer, at):
                return "", 0
            return self._emit(buffer[at]), 1
        end = mark.end()
        if len(buffer) < end + 2 and not final:  # a second bracket, or a link's "(", may follow
            return "", 0
        if len(mark["open"]) == 2 and buffer[end : end + 1] in tuple("]］】〕⟧"):
            end += 1
        if buffer[end : end + 1] == "(":
            return self._emit(buffer[at:end]), end - at
        return self._take(_expand(mark["numbers"])), end - at

    def _take(self, numbers: Sequence[int]) -> str:
        """A mark: shown with its notes' numbers, glued to the mark before it."""
        known = tuple(dict.fromkeys(n for n in numbers if n in self._known))
        self._dangling += len(set(numbers) - self._known)
        self._space = ""
        if not known:
            return ""
        gap = "" if self._after_mark or self._at_line_start() else " "
        if self._after_mark:
            before = self._marks.pop()
            known = tuple(n for n in known if n not in before.numbers)
            self._marks.append(Mark(before.at, before.numbers + known))
        else:
            self._marks.append(Mark(self._length, known))
        for number in known:
            self._notes.setdefault(number, len(self._notes) + 1)
        self._after_mark = True
        return gap + "".join(f"[{self._notes[number]}]" for number in known)

    def _at_line_start(self) -> bool:
        return not self._length or self._plain[-1].endswith("\n")

    def _emit(self, text: str) -> str:
        space = self._flush_space()
        self._after_mark = False
        self._keep(text)
        return space + text

    def _flush_space(self) -> str:
        """The spaces that were waiting; those after a mark that opens a line are no part of the
        text."""
        space, self._space = self._space, ""
        if self._after_mark and self._at_line_start():
            return " "
        self._keep(space)
        return space

    def _keep(self, text: str) -> None:
        if text:
            self._plain.append(text)
            self._length += len(text)


def _expand(numbers: str) -> list[int]:
    """The numbers of "1, 3-5"; a range that is turned or too long counts by its two ends."""
    found: list[int] = []
    for item in re.split(_PARTED, numbers):
        ends = [int(n) for n in re.findall(r"\d+", item)]
        if len(ends) == 2 and 0 <= ends[1] - ends[0] <= _RANGE_LIMIT:
            found.extend(range(ends[0], ends[1] + 1))
        else:
            found.extend(ends)
    return found


def take_apart(reply: str, known: Collection[int]) -> Marked:
    """A whole reply at once."""
    stream = MarkStream(known)
    stream.feed(reply)
    stream.finish()
    return stream.result
