"""Finds what an answer puts in quotation marks and looks each up in the whole corpus.

A claim of quotation is a quoted span of at least three words and twelve letters (six characters in
scripts without spaces), or a block quote. Shorter ones are scare quotes, words spoken of, single
words: they claim nothing. A title in title case that the corpus does not have is a title, not a
quotation. An outer quotation that is found covers what is quoted inside it; when it is absent, the
inner ones are looked up for themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from salon.answer.languages import ENGLISH
from salon.answer.quote_index import Place, QuoteIndex, fold
from salon.answer.words import UNSPACED
from salon.types import QuoteCheck, QuotePlace, Span

_LEAST_WORDS = 3
_LEAST_LETTERS = 12
_LEAST_UNSPACED = 6
_CODE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*\s*$|\Z)|(`+)[^`\n]+\2", re.M | re.S)
_BLOCK = re.compile(r"(?:^ {0,3}>[^\n]*(?:\n|\Z))+", re.M)
_BLOCK_PREFIX = re.compile(r"^ {0,3}>[ \t]?", re.M)
_ATTRIBUTION = re.compile(r"\n[ \t]*(?:[—–]|--?)[ \t]*\S[^\n]*\s*\Z")
_PARAGRAPH = re.compile(r"\S(?:.|\n(?!\s*\n))*")
# What closes each opening mark; a mark may open in one language and close in another.
_CLOSES = {
    "“": "”",
    "„": "“”",
    "”": "”",
    "«": "»",
    "»": "«",
    "‹": "›",
    "›": "‹",
    "「": "」",
    "『": "』",
    "〝": "〞〟",
    '"': '"',
    "＂": "＂",
    "‘": "’",
    "‚": "‘’",
    "'": "'",
}
_APOSTROPHES = "'’"
_SINGLE = "'‘‚"
_CLOSERS = frozenset("".join(_CLOSES.values()))
_SMALL_WORDS = frozenset(
    "a an and as at but by for from in into of on or the to upon with".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quoted span of an answer: `whole` with its marks, `inner` without, `text` as looked up."""

    whole: Span
    inner: Span
    text: str
    block: bool = False
    within: tuple[Quoted, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim of quotation and its place, None when the corpus does not have it."""

    quoted: Quoted
    place: Place | None

    def report(self) -> QuoteCheck:
        inner, text = self.quoted.inner, self.quoted.text
        if self.place is None:
            return QuoteCheck(inner.start, inner.end, text, "absent")
        source, span = self.place.source, self.place.span
        place = QuotePlace(
            source.name, source.id, source.title, span.start, span.end, self.place.text
        )
        return QuoteCheck(inner.start, inner.end, text, "found", (place,))


def check(
    text: str, index: QuoteIndex, prefer: Callable[[Quoted, Place], int] | None = None
) -> list[Checked]:
    """Every claim of quotation in `text`, in order.

    Of several places the one with the highest `prefer` is taken, the first by default.
    """
    found: list[Checked] = []
    waiting = list(reversed(quoted(text)))
    while waiting:
        one = waiting.pop()
        places = index.find(one.text) if is_claim(one) else []
        if places:
            place = max(places, key=lambda p: prefer(one, p)) if prefer else places[0]
            found.append(Checked(one, place))
            continue
        if is_claim(one) and not is_title(one):
            found.append(Checked(one, None))
        waiting.extend(reversed(one.within))
    return found


def is_claim(one: Quoted) -> bool:
    letters = fold(one.text)
    if UNSPACED.search(letters):
        return len(letters) >= _LEAST_UNSPACED
    words = re.findall(r"[^\W_]+(?:['’][^\W_]+)*", one.text)
    return len(words) >= _LEAST_WORDS and len(letters) >= _LEAST_LETTERS


def is_title(one: Quoted) -> bool:
    """Up to eight words in title case without a sentence's end: the name of a work."""
    words = re.findall(r"[^\W\d_][\w'’-]*", one.text)
    if one.block or not 2 <= len(words) <= 8 or re.search(r"[.!?;:]\W*$", one.text):
        return False
    return words[0][0].isupper() and all(
        word[0].isupper() or word.lower() in _SMALL_WORDS for word in words
    )


def quoted(text: str) -> list[Quoted]:
    """The outermost quoted spans of `text` in order, block quotes among them; none in code."""
    masked = _CODE.sub(lambda m: re.sub(r"[^\n]", "\x00", m.group()), text)
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
    words = text[inner.start : inner.end].strip(" \u00a0\u202f\n")
    within = tuple(sorted([*opened.within, *spilled], key=lambda one: one.whole.start))
    return Quoted(Span(opened.at, end), inner, words, within=within)


def _closed_by(text: str, at: int, stack: Sequence[_Open], end: int) -> int | None:
    """The place in the stack of the mark that the one at `at` closes."""
    char = text[at]
    for place in range(len(stack) - 1, -1, -1):
        if char not in _CLOSES[stack[place].mark] or at == stack[place].at + 1:
            continue
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
    if char in "「『〝“„‚‘":
        return True
    before = text[at - 1] if at > start else " "
    after = text[at + 1] if at + 1 < len(text) else " "
    if char in "«»‹›":  # French puts a space after an opening guillemet
        return not before.isalnum() and (not after.isspace() or after in "\u00a0\u202f " or not at)
    if before.isalnum() or (not before.isspace() and before not in "([{—–-/“‘«„\"'¿¡:\x00"):
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


def claims(text: str) -> Iterator[Quoted]:
    """The outermost quoted spans that claim to be quotations."""
    return (one for one in quoted(text) if is_claim(one))
