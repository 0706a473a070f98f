"""Whole documents: a poem or a letter is one passage, whatever its length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from salon.corpus.blocks import blocks
from salon.corpus.genre import is_verse
from salon.corpus.headings import is_bare_number, is_matter, numeral
from salon.corpus.outline import Outline
from salon.corpus.tokens import CountTokens
from salon.corpus.units import Unit
from salon.types import CutterConfig, Section, Source, Span

# So many blank lines part what is not the same document.
_APART = re.compile(r"\n(?:[^\S\n]*\n){5,}")
_NUMBERED_PARTS = 12
_STANZA = 3
_IMPRINT = re.compile(
    r"(?-i:(?:[Bb]y|BY) [A-Z][\w.]+ [A-Z][\w. ]+$)|par$|von$"
    r"|(?:edited|translated|selected|collected|printed|published) by|in \w+ volumes"
    r"|(?:first|second|third|fourth) series|(?:copyright|entered according|all rights)"
    r"|.*\b(?:press|publishers?|printers?|librairie|verlag|édition|edition|& co\.?)\b",
    re.IGNORECASE,
)
_TITLE_PAGE_LINES = 14
_TITLE_PAGE_WIDTH = 62


def cut_whole(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Unit]:
    """Each document of a source, without its heading; a source without sections is one document.

    A file that is a collection has one document a section: the innermost, but a poem in numbered
    parts stays in one. Title pages and editors' prefaces are left out unless they are verse.
    """
    spans = _documents_of(source)
    counts = count([source.text[span.start : span.end] for span in spans])
    return [
        Unit(span.start, span.end, tokens, True) for span, tokens in zip(spans, counts, strict=True)
    ]


def _documents_of(source: Source) -> list[Span]:
    text = source.text
    if not source.sections:
        return _trimmed(text, Span(0, len(text)))
    documents = list(_documents(source.sections, len(text)))
    spans: list[Span] = []
    for piece in _apart(text, Span(0, source.sections[0].start)):
        if _is_poem(text[piece.start : piece.end]):
            spans.append(piece)
    for section, body in documents:
        for piece in _apart(text, body):
            words = text[piece.start : piece.end]
            if _is_poem(words) or not (is_matter(section.title) or _is_title_page(words)):
                spans.append(piece)
    return spans or _trimmed(text, Span(0, len(text)))


def _documents(sections: Sequence[Section], end: int) -> Iterator[tuple[Section, Span]]:
    """The sections that are documents, each with the span of its body."""
    place = 0
    while place < len(sections):
        section = sections[place]
        after = place + 1
        while after < len(sections) and sections[after].level > section.level:
            after += 1
        inner = sections[place + 1 : after]
        if _are_parts(section, inner):
            stop = sections[after].start if after < len(sections) else end
            yield section, Span(section.heading_end, stop)
            place = after
            continue
        stop = sections[place + 1].start if place + 1 < len(sections) else end
        yield section, Span(section.heading_end, stop)
        place += 1


def _are_parts(section: Section, inner: Sequence[Section]) -> bool:
    """Whether the sections in a section are the numbered parts of one poem, counted from one."""
    return (
        1 < len(inner) <= _NUMBERED_PARTS
        and not is_bare_number(section.title)
        and all(is_bare_number(each.title) for each in inner)
        and numeral(inner[0].title) == 1
    )


def _apart(text: str, span: Span) -> list[Span]:
    """The span parted where many blank lines stand, without empty pieces."""
    pieces: list[Span] = []
    at = span.start
    for gap in _APART.finditer(text, span.start, span.end):
        pieces += _trimmed(text, Span(at, gap.start()))
        at = gap.end()
    return pieces + _trimmed(text, Span(at, span.end))


def _trimmed(text: str, span: Span) -> list[Span]:
    """The span from the line of its first word to its last word, if it has any."""
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start == end:
        return []
    # The indent of a poem's first line belongs to it.
    return [Span(max(text.rfind("\n", span.start, start) + 1, span.start), end)]


def _is_title_page(text: str) -> bool:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) > _TITLE_PAGE_LINES or any(len(line) > _TITLE_PAGE_WIDTH for line in lines):
        return False
    capitals = sum(1 for line in lines if line.isupper())
    return 2 * capitals > len(lines) or any(map(_IMPRINT.match, lines))


def _is_poem(text: str) -> bool:
    """Verse throughout: no paragraph of prose among the stanzas, and no title page."""
    stanzas = [text[block.start : block.end] for block in blocks(text)]
    long = [stanza for stanza in stanzas if stanza.count("\n") >= _STANZA - 1]
    return is_verse(text) and all(map(is_verse, long)) and not _is_title_page(text)
