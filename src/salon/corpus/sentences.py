"""Sentences of a text as spans: nupunkt, with rules of ours.

nupunkt (MIT, 0.6 MB, Punkt with a trained model, pure Python with offsets, about 10 MB/s) knows
abbreviations far better than a pattern does; blingfire is somewhat more accurate and a hundred
times larger. Ours are: literary and French abbreviations; what follows a quotation's end in small
letters ("'Come!' said he") stays with it; a closing mark or a note number belongs to the sentence
before; the full stops of Chinese and Japanese end sentences; a blank line ends one; and a line
that is no continuation (a heading, a line of a list or a speech) stands alone. The lines of a verse
are not sentences: a stanza is cut where its sentences end.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from salon.corpus.blocks import blocks
from salon.types import Span

_ABBREVIATIONS = (
    "m", "mm", "mme", "mlle", "mmes", "mgr", "éd", "ed", "t", "p", "pp", "av", "j.-c", "cf", "ch",
    "chap", "s", "d", "vol", "liv", "sq", "esq", "messrs", "gen", "col", "st", "no", "nos", "viz",
    "bk", "pt", "fig", "l", "ll", "sc", "act", "hon", "rev", "capt", "lieut", "maj", "gov",
    "q.e.d", "i.e", "e.g", "&c",
)  # fmt: skip
_CONTINUES = re.compile(
    r"""\s*(?:[a-zà-öø-ÿœ]|[”’»"')\]]+(?:\s|$)|\[\d+\]|\*+(?:\s|$)|[—–-]{1,2}\s*[a-zà-ÿ])"""
)
_NOTE_MARK = re.compile(r"\s*(?:\[(?:\d+|[A-Z])\])")
_NOTED_END = re.compile(r"[.!?][”’\"')]*\[(?:\d+|[A-Z])\](?=\s+[\"“‘'(]?[A-Z])")
_GERMAN_ORDINAL = re.compile(r"\b(?:am|vom|bis|zum|der|des|den|dem|im)\s\d{1,2}\.$", re.IGNORECASE)
_CJK_END = re.compile("[。！？!?…]+[”’」』）)》]*|[；;](?=[\u3400-\u9fff])")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_SPEECH = re.compile(r"[^\S\n]*(?:[A-Z][\w.' -]{0,30}:\s|\[[\d:. ]+\]|[•*-]\s|\(?\d{1,3}[.)]\s)")


@functools.cache
def _tokenizer() -> Callable[[str], Iterable[tuple[int, int]]]:
    import copy

    import nupunkt

    # The default model is a cache that every user of nupunkt shares: it is not changed in place.
    tokenizer = copy.deepcopy(nupunkt.load_default_model())
    tokenizer.add_abbreviations(list(_ABBREVIATIONS))
    spans: Callable[[str], Iterable[tuple[int, int]]] = tokenizer.span_tokenize
    return spans


def sentences(text: str) -> list[Span]:
    """Sentences in order, without the space around them; together they hold every character
    that is not space."""
    found: list[Span] = []
    for block in blocks(text):
        for start, lines in _runs(text[block.start : block.end]):
            base = block.start + start
            found += [Span(base + first, base + last) for first, last in _split(lines)]
    return found


def _runs(paragraph: str) -> Iterator[tuple[int, str]]:
    """The paragraph, parted before each line that begins a speech or an item of a list."""
    if "\n" not in paragraph:
        yield 0, paragraph
        return
    begin = at = 0
    for line in paragraph.split("\n"):
        if at and _SPEECH.match(line):
            yield begin, paragraph[begin : at - 1]
            begin = at
        at += len(line) + 1
    yield begin, paragraph[begin:]


def _split(block: str) -> list[tuple[int, int]]:
    """Sentences of one block. Line ends count as spaces: same length, so offsets hold."""
    flat = block.replace("\n", " ")
    spans = _cjk(flat) if _CJK.search(flat) else _after_notes(flat, list(_tokenizer()(flat)))
    merged: list[tuple[int, int]] = []
    at = 0
    for _, last in spans:
        start, end = _strip(flat, at, last)
        at = last
        if start >= end:
            continue
        if merged and (mark := _NOTE_MARK.match(flat, merged[-1][1])) and mark.end() <= end:
            merged[-1] = (merged[-1][0], mark.end())
            start, end = _strip(flat, mark.end(), end)
            if start >= end:
                continue
        before = flat[max(merged[-1][1] - 8, 0) : merged[-1][1]] if merged else ""
        unfinished = bool(_GERMAN_ORDINAL.search(before))
        if merged and (unfinished or _CONTINUES.match(flat, start)):
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    start, end = _strip(flat, at, len(flat))
    if start < end:
        merged.append((start, end))
    return merged


def _after_notes(flat: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A sentence that ends in the number of a note ends there, though no space follows its stop."""
    ends = [match.end() for match in _NOTED_END.finditer(flat)]
    if not ends:
        return spans
    return list(pairwise(sorted({0, *(last for _, last in spans), *ends})))


def _cjk(flat: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    at = 0
    for match in _CJK_END.finditer(flat):
        spans.append((at, match.end()))
        at = match.end()
    if at < len(flat):
        spans.append((at, len(flat)))
    return spans


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
