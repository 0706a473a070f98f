"""Takes out of a streamed reply what is not for a reader: thinking, the speaker's own name in front
of its words, other speakers' lines, and markdown where a surface wants none.

Forms of thinking: tags in angle or square brackets, the turn marks of several chat formats; over
any cut of the stream, nested, in any case, unclosed, or closed without having been opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WORDS = "think|thinking|thought|thoughts|reason|reasoning|reflection|scratchpad|seed:think"
_OPEN = re.compile(
    rf"<\s*(?:{_WORDS})(?:\s[^<>]*)?>|\[\s*(?:think|thinking|reasoning)\s*\]"
    r"|◁\s*think\s*▷|<\|\s*(?:begin_of_thought|start_thinking)\s*\|>"
    r"|(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*(?:analysis|commentary)[^<]*<\|message\|>",
    re.I,
)
_CLOSE = re.compile(
    rf"<\s*/\s*(?:{_WORDS})\s*>|\[\s*/\s*(?:think|thinking|reasoning)\s*\]"
    r"|◁\s*/\s*think\s*▷|<\|\s*(?:end_of_thought|end_thinking)\s*\|>",
    re.I,
)
_CHANNEL_END = re.compile(
    r"<\|end\|>(?:\s*<\|start\|>\s*assistant)?(?:\s*<\|channel\|>\s*final[^<]*<\|message\|>)?"
    r"|(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*final[^<]*<\|message\|>|<\|return\|>",
    re.I,
)
_CHANNEL_BEGINS = re.compile(r"(?:<\|start\|>|<\|channel\|>)(?!.*<\|message\|>)", re.I | re.S)
_LONGEST_TAG = 160
_TAG_STARTS = "<[◁"
_PEOPLE = ("User", "Human", "Assistant", "Utilisateur")
_LABEL_SPACE = 12


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What one piece of a stream became. `restart`: all shown before was thinking, forget it.

    `thinking` is the number of characters of thinking in the piece. `over`: another speaker's line
    began, and nothing that follows is the persona's.
    """

    text: str = ""
    thinking: int = 0
    restart: bool = False
    over: bool = False


class ThinkingFilter:
    """Thinking out of a stream. `finish` gives what was held back."""

    def __init__(self) -> None:
        self._held = ""
        self._depth = 0
        self._channel = False
        self._shown = False
        self.thoughts = ""

    def feed(self, piece: str) -> Cleaned:
        self._held += piece
        return self._take(final=False)

    def finish(self) -> Cleaned:
        """What is left; within an unclosed block that is nothing."""
        return self._take(final=True)

    def _take(self, final: bool) -> Cleaned:
        before = len(self.thoughts)
        shown: list[str] = []
        restart = False
        while (tag := self._next_tag()) is not None:
            text, self._held = self._held[: tag.start()], self._held[tag.end() :]
            if self._depth:
                self.thoughts += text
                self._depth += 1 if self._opens(tag) else -1
                self._channel = self._channel and self._depth > 0
            elif self._opens(tag):
                shown.append(text)
                self._depth = 1
                self._channel = "channel" in tag.group().lower()
            elif "<|" in tag.group() and not _CLOSE.fullmatch(tag.group()):
                shown.append(text)
            else:
                self.thoughts += "".join(shown) + text
                restart, shown, self._shown = True, [], False
        keep = 0 if final else self._tail()
        rest = self._held[: len(self._held) - keep]
        self._held = self._held[len(self._held) - keep :]
        if self._depth:
            self.thoughts += rest
        else:
            shown.append(rest)
        text = "".join(shown)
        if not self._shown:
            text = text.lstrip()
        self._shown = self._shown or bool(text)
        return Cleaned(text, max(0, len(self.thoughts) - before), restart)

    def _next_tag(self) -> re.Match[str] | None:
        if not any(start in self._held for start in _TAG_STARTS):
            return None
        kinds = (_CHANNEL_END,) if self._channel else (_OPEN, _CLOSE, _CHANNEL_END)
        found = [match for kind in kinds if (match := kind.search(self._held))]
        return min(found, key=lambda match: (match.start(), -match.end()), default=None)

    def _opens(self, tag: re.Match[str]) -> bool:
        return not self._channel and _OPEN.fullmatch(tag.group()) is not None

    def _tail(self) -> int:
        """How much of the end may yet turn out to be a tag."""
        text = self._held
        half = _CHANNEL_BEGINS.search(text) if "<|" in text else None
        if half and len(text) - half.start() <= _LONGEST_TAG:
            return len(text) - half.start()
        place = max(text.rfind(start) for start in _TAG_STARTS)
        if place < 0 or len(text) - place > _LONGEST_TAG:
            return 0
        tail = text[place:]
        if tail[0] == "[" and not re.fullmatch(r"\[\s*/?\s*[a-z]*\s*", tail, re.I):
            return 0
        if tail[0] == "<" and not re.fullmatch(r"<\s*/?\s*[|a-z][^<>]*(?:\|?)", tail + "a", re.I):
            return 0
        return 0 if ">" in tail or "]" in tail or "▷" in tail else len(tail)


class LabelFilter:
    """Own names at the head of a line taken off, and an end where another speaker's label begins.

    A label is the name with a colon, asterisks around it or not; at the very beginning the own
    name may stand on a line of its own. Only line heads are held back, and only while they may
    still turn into a label.
    """

    def __init__(self, own: Sequence[str], others: Sequence[str] = ()) -> None:
        self._own = _label(own)
        self._alone = _alone(own)
        folded = {name.casefold() for name in own}
        kept = [name for name in (*others, *_PEOPLE) if name and name.casefold() not in folded]
        self._others = _label(kept, brackets=True) if others else None
        self._names = [name.casefold() for name in (*own, *(kept if others else ()))]
        self._held = ""
        self._at_head = True
        self._first = True
        self._over = False
        self._after_label = False

    def feed(self, piece: str) -> Cleaned:
        if self._over:
            return Cleaned(over=True)
        self._held += piece
        return self._take(final=False)

    def finish(self) -> Cleaned:
        return Cleaned(over=True) if self._over else self._take(final=True)

    def _take(self, final: bool) -> Cleaned:
        shown = ""
        while self._held:
            if self._at_head and not self._past_head(final):
                break
            if self._over:
                self._held = ""
                return Cleaned(shown.rstrip(), over=True)
            line, newline, rest = self._held.partition("\n")
            shown += line + newline
            self._held = rest
            self._first = self._first and not line.strip()
            self._at_head = bool(newline)
        return Cleaned(shown)

    def _past_head(self, final: bool) -> bool:
        """Takes labels off the head of the held line; false while it may still become one."""
        while match := self._own.match(self._held) or (
            self._alone.match(self._held) if self._first else None
        ):
            self._held = self._held[match.end() :]
            self._after_label = True
        if self._after_label:
            self._held = self._held.lstrip(" \t\n" if self._first else " \t")
        if self._others is not None and self._others.match(self._held):
            self._over = True
            return True
        if not final and self._may_be_label():
            return False
        if final and self._own_only():
            self._held = ""
        self._at_head = not self._held
        self._after_label = self._after_label and not self._held
        return bool(self._held)

    def _may_be_label(self) -> bool:
        head = self._held.lstrip(" \t\r\n*_[").casefold()
        if "\n" in head:
            return False
        if not head:
            return len(self._held) < _LABEL_SPACE
        return any(
            name.startswith(head)
            or (
                head.startswith(name)
                and re.fullmatch(r"[*_\]]{0,3}\s{0,3}", head[len(name) :]) is not None
            )
            for name in self._names
        )

    def _own_only(self) -> bool:
        return (
            self._first
            and self._own.match(self._held + ":") is not None
            and (self._held.rstrip().endswith((":", "：")))
        )


def _names(names: Sequence[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(set(names), key=len, reverse=True)) or "(?!)"


def _label(names: Sequence[str], brackets: bool = False) -> re.Pattern[str]:
    left, right = (r"\[?", r"\]?") if brackets else ("", "")
    return re.compile(
        rf"\s*(?:[*_]{{0,2}}){left}(?:{_names(names)}){right}"
        r"(?:[*_]{0,2})\s*[:：](?:[*_]{0,2})[ \t]*\n?[ \t]*",
        re.I,
    )


def _alone(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\s*[*_]{{0,2}}(?:{_names(names)})[*_]{{0,2}}[ \t]*\n\s*", re.I)


_MARKER = re.compile(r"[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+•][ \t]+|\d{1,3}[.)][ \t]+)")
_MAY_BE_MARKER = re.compile(r"[ \t]*(?:#{0,6}[ \t]*|>|[-*+•]|\d{1,3}[.)]?)")
_FENCE = re.compile(r"```[^\n]*\n?|~~~[^\n]*\n?")
_INLINE = re.compile(r"(?<=\S)\*{1,3}|\*{1,3}(?=\S)|`+|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|~~")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")


class PlainFilter:
    """Markdown out of a stream: the words stay, headings, bullets, emphasis and links go.

    Numbers in square brackets are citations and stay.
    """

    def __init__(self) -> None:
        self._held = ""
        self._before = ""
        self._at_head = True

    def feed(self, piece: str) -> Cleaned:
        self._held += piece
        return Cleaned(self._take(final=False))

    def finish(self) -> Cleaned:
        return Cleaned(self._take(final=True))

    def _take(self, final: bool) -> str:
        shown = ""
        while self._held:
            if self._at_head:
                if not final and _MAY_BE_MARKER.fullmatch(self._held):
                    break
                for form in (_MARKER, _FENCE):
                    if mark := form.match(self._held):
                        self._held = self._held[mark.end() :]
                self._at_head = False
            line, newline, rest = self._held.partition("\n")
            keep = 0 if newline or final else self._unsure(line)
            shown += plain_line(line[: len(line) - keep], self._before) + newline
            self._before = "" if newline else (self._before + line[: len(line) - keep])[-1:]
            self._at_head = bool(newline)
            if keep:
                self._held = line[len(line) - keep :]
                break
            self._held = rest
        return shown

    @staticmethod
    def _unsure(line: str) -> int:
        """How much of the end may be half of a mark or of a link."""
        place = line.rfind("[")
        if place >= 0 and len(line) - place < 700 and not _LINK.match(line, place):
            tail = line[place:]
            if "]" not in tail or tail.endswith("]") or re.fullmatch(r"\[[^\]]*\]\([^)]*", tail):
                return len(line) - place
        marks = re.search(r"\w?[*_`~]+$", line)
        return len(marks.group()) if marks else 0


def plain_line(line: str, before: str = "") -> str:
    """A line, or the rest of one after `before`, without its emphasis and links."""
    whole = before + _LINK.sub(r"\1", line)
    kept, place = [], len(before)
    for mark in _INLINE.finditer(whole, len(before)):
        kept.append(whole[place : mark.start()])
        place = mark.end()
    return "".join(kept) + whole[place:]


class ReplyStream:
    """All of it in one: thinking, labels, markdown. Feed pieces, then `finish`."""

    def __init__(
        self, own: Sequence[str] = (), others: Sequence[str] = (), markdown: bool = True
    ) -> None:
        self._own, self._others, self._markdown = own, others, markdown
        self._thinking = ThinkingFilter()
        self._begin()

    def _begin(self) -> None:
        self._labels = LabelFilter(self._own, self._others) if self._own else None
        self._plain = None if self._markdown else PlainFilter()

    @property
    def thoughts(self) -> str:
        """What was taken for thinking so far."""
        return self._thinking.thoughts

    def feed(self, piece: str) -> Cleaned:
        return self._pass_on(self._thinking.feed(piece), final=False)

    def finish(self) -> Cleaned:
        return self._pass_on(self._thinking.finish(), final=True)

    def _pass_on(self, cleaned: Cleaned, final: bool) -> Cleaned:
        if cleaned.restart:
            self._begin()
        text, over = cleaned.text, False
        if self._labels is not None:
            labelled = self._labels.feed(text)
            text, over = labelled.text, labelled.over
            if final:
                text += self._labels.finish().text
        if self._plain is not None:
            text = self._plain.feed(text).text
            if final or over:
                text += self._plain.finish().text
        return Cleaned(text, cleaned.thinking, cleaned.restart, over)


def clean(text: str, nick: str = "", others: Sequence[str] = (), markdown: bool = True) -> str:
    """A whole reply, cleaned and trimmed."""
    stream = ReplyStream((nick,) if nick else (), others, markdown)
    first = stream.feed(text)
    last = stream.finish()
    return (last.text if last.restart else first.text + last.text).strip()
