"""Spans of an answer that stand in quotation marks of any language, or in block quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from salon.answer.languages import ENGLISH
from salon.answer.typed_marks import FILLER, as_single_marks, without_filler
from salon.types import Span

_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*\s*$|\Z)|(`+)[^`\n]+\2", re.M | re.S)
_BLOCK = re.compile(r"(?:^ {0,3}>[^\n]*(?:\n|\Z))+", re.M)
_BLOCK_PREFIX = re.compile(r"^ {0,3}>[ \t]?", re.M)
_ATTRIBUTION = re.compile(r"\n[ \t]*(?:[—–]|--?)[ \t]*\S[^\n]*\s*\Z")
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
# What closes each opening mark; a mark may open in one language and close in another.
_CLOSES = {
    "“": "”",
    "‟": "”",
    "„": '“”"',
    "”": "”",
    "«": "»",
    "»": "«»",
    "‹": "›",
    "›": "‹",
    "「": "」",
    "『": "』",
    "｢": "｣",
    "﹁": "﹂",
    "﹃": "﹄",
    "《": "》",
    "〈": "〉",
    "〝": "〞〟",
    "❝": "❞",
    "❮": "❯",
    "״": "״",
    '"': '"',
    "＂": "＂",
    "‘": "’",
    "‚": "‘’",
    "'": "'",
}
_APOSTROPHES = "'’"
_DEEPEST = 8
"""Quotations within each other; what was opened further out and is still open never closes."""

_SINGLE = "'‘‚"
_CLOSERS = frozenset("".join(_CLOSES.values()))


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quoted span of an answer: `whole` with its marks, `inner` without, `text` as looked up.

    `split` has parts with marks of their own `within`. `loose` may be the answer's own words: it
    says nothing unless the corpus has it.
    """

    whole: Span
    inner: Span
    text: str
    block: bool = False
    within: tuple[Quoted, ...] = ()
    split: bool = False
    loose: bool = False


def masked_code(text: str) -> str:
    """The text with code as NULs, of the same length and lines."""
    return _CODE.sub(lambda m: re.sub(r"[^\n]", "\x00", m.group()), text)


def quoted(text: str) -> list[Quoted]:
    """The outermost quoted spans of `text` in order, block quotes among them; none in code."""
    masked = as_single_marks(masked_code(text))
    found = [_block(masked, block) for block in _BLOCK.finditer(masked)]
    masked = _BLOCK.sub(lambda m: re.sub(r"[^\n]", "\x00", m.group()), masked)
    for paragraph in _PARAGRAPH.finditer(masked):
        found.extend(_marked(masked, paragraph.start(), paragraph.end()))
    return sorted(found, key=lambda one: one.whole.start)


def _block(text: str, block: re.Match[str]) -> Quoted:
    raw = block.group().rstrip()
    end = block.start() + len(raw)
    attribution = _ATTRIBUTION.search(_BLOCK_PREFIX.sub(lambda m: " " * len(m.group()), raw))
    if attribution:
        raw = raw[: attribution.start()]
    prefix = _BLOCK_PREFIX.match(raw)
    start = block.start() + (prefix.end() if prefix else 0)
    inner = Span(start, block.start() + len(raw.rstrip()))
    return Quoted(Span(block.start(), end), inner, _BLOCK_PREFIX.sub("", raw).strip(), block=True)


@dataclass(slots=True)
class _Open:
    mark: str
    at: int
    within: list[Quoted]


def _marked(text: str, start: int, end: int) -> list[Quoted]:
    """Quoted spans of one paragraph. A double mark that is never closed runs to the paragraph's
    end."""
    outer: list[Quoted] = []
    stack: list[_Open] = []
    for at in range(start, end):
        char = text[at]
        if char not in _CLOSES and char not in _CLOSERS:
            continue
        closes = _closed_by(text, at, stack, end)
        if closes is not None:
            opened = stack[closes]
            spilled = [inner for lost in stack[closes + 1 :] for inner in lost.within]
            del stack[closes:]
            level = stack[-1].within if stack else outer
            level.append(_quoted(text, opened, at, at + 1, spilled))
        elif _opens(text, at, start):
            stack.append(_Open(char, at, []))
    lost = [one for one in stack if one.mark not in _SINGLE and one.mark != "”"]
    if lost:
        outer.append(_quoted(text, lost[0], end, end, []))
    else:
        outer.extend(inner for one in stack for inner in one.within)
    return outer


def _quoted(text: str, opened: _Open, inner_end: int, end: int, spilled: list[Quoted]) -> Quoted:
    inner = Span(opened.at + 1, inner_end)
    words = without_filler(text[inner.start : inner.end]).strip(" \u00a0\u202f\n")
    start = opened.at
    while start and text[start - 1] == FILLER:
        start -= 1
    while text[end : end + 1] == FILLER:
        end += 1
    within = tuple(sorted([*opened.within, *spilled], key=lambda one: one.whole.start))
    return Quoted(Span(start, end), inner, words, within=within)


def _closed_by(text: str, at: int, stack: Sequence[_Open], end: int) -> int | None:
    """The place in the stack of the mark that the one at `at` closes."""
    char = text[at]
    for place in range(len(stack) - 1, max(-1, len(stack) - 1 - _DEEPEST), -1):
        if char not in _CLOSES[stack[place].mark] or at == stack[place].at + 1:
            continue
        if (
            char == stack[place].mark
            and char in "»״"
            and (text[at - 1].isspace() or _is_word(text, at + 1))
        ):
            return None
        if char in _APOSTROPHES and not _closes_single(text, at, stack[place].mark, end):
            return None
        return place
    return None


def _closes_single(text: str, at: int, opener: str, end: int) -> bool:
    """Whether a single mark closes, or is an apostrophe in a word or of a genitive."""
    if _is_word(text, at + 1):
        return False
    genitive = text[at - 1] in "sSxz" and re.match(r"[ \n][a-zà-ÿ]", text[at + 1 : at + 3])
    if not genitive:
        return True
    later = _later_single(text, at + 1, end, opener)
    return not later


def _later_single(text: str, start: int, end: int, opener: str) -> bool:
    """Whether another single mark closes before one opens."""
    for at in range(start, end):
        if text[at] == opener and _opens(text, at, 0):
            return False
        if text[at] in _CLOSES[opener] and not _is_word(text, at + 1):
            return True
    return False


def _opens(text: str, at: int, start: int) -> bool:
    char = text[at]
    if char not in _CLOSES:
        return False
    if char in "「『〝“„‚‘｢﹁﹃《〈❝❮‟":
        return True
    before = text[at - 1] if at > start else " "
    after = text[at + 1] if at + 1 < len(text) else " "
    if char in "«»‹›":  # French puts a space after an opening guillemet
        return not before.isalnum() and (not after.isspace() or after in "\u00a0\u202f " or not at)
    if before.isalnum() or (not before.isspace() and before not in "([{—–-/“‘«„\"'¿¡:\x00\x01"):
        return False
    if after.isspace():
        return False
    if char == "'":
        word = re.match(r"[^\W_]+", text[at + 1 : at + 12])
        elided = word is not None and word.group().lower() in ENGLISH.elisions
        return word is not None and not elided and not word.group()[0].isdigit()
    return True


def _is_word(text: str, at: int) -> bool:
    return at < len(text) and text[at].isalnum()
