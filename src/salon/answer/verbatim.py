"""A verbatim persona: its own prose around whole pieces that we insert, exactly.

The model only says where a piece stands. Verse that it writes itself is looked up: a line that the
corpus has brings its whole piece in instead, one that it does not have is taken out. Nothing is
shown before that, so a reply is not streamed word by word.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from salon.answer.cite import Mark, Marked
from salon.answer.finish import Written, evidence_at
from salon.answer.languages import language
from salon.answer.lookup import located
from salon.answer.notes import Rest
from salon.answer.own_words import OWN_WORDS
from salon.answer.quote_index import Corpus, QuoteIndex, index_of
from salon.answer.quotes import claims
from salon.answer.reply import admits, cut_short, deltas_of
from salon.answer.sameness import Sameness
from salon.answer.typeset import is_verse
from salon.corpus.sentences import sentences
from salon.errors import ModelUnavailable
from salon.ports import ChatModel
from salon.types import ChatDelta, ChatRequest, Evidence, Span, Usage

_MOST_PIECES = 3
_MARK = re.compile(r"[ \t]*[\[［【]{1,2}\s*(\d{1,3})\s*[\]］】]{1,2}")
_QUOTE_PREFIX = re.compile(r"^ {0,3}>[ \t]?", re.M)
_SLASHED = re.compile(r"\w[,;.!?—–-]*\s+/\s+\S")


def whole_piece(evidence: Sequence[Evidence], covered: bool, code: str) -> Written:
    """Without a model: the best piece, whole, or the way to decline."""
    page = _Page(list(evidence))
    if covered and evidence:
        page.insert(evidence[0].number)
    else:
        page.say(language(code).no_poem)
    return page.written(model=OWN_WORDS)


async def around_pieces(
    chat: ChatModel, request: ChatRequest, evidence: Sequence[Evidence], corpus: Corpus, code: str
) -> AsyncGenerator[str | Written, None]:
    """The arranged text at once, then what was written."""
    reply = ""
    last = ChatDelta()
    async with aclosing(deltas_of(chat, request)) as deltas:
        async for delta in deltas:
            last = delta
            reply += delta.text
    prose = _of_json(reply) if request.schema else reply
    page = arrange(prose, evidence, corpus, code)
    if not page.inserted and not page.blocks:
        page.say(language(code).no_poem)
    written = page.written(chat.card.name, last.usage or Usage(), cut_short(last))
    yield written.marked.text
    yield written


def _of_json(reply: str) -> str:
    """The reply of the verse schema as prose with a mark where the piece stands."""
    try:
        data = json.loads(reply)
        before, piece, after = str(data["before"]), int(data["piece"]), str(data["after"])
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(
            "the model's reply is not the JSON that was asked for",
            expected='{"piece": ..., "before": ..., "after": ...}',
            cure="use a model that follows a JSON schema",
        ) from error
    return "\n\n".join(part for part in (before, f"[{piece}]" if piece else "", after) if part)


def arrange(reply: str, evidence: Sequence[Evidence], corpus: Corpus, code: str) -> _Page:
    """A reply's prose with whole pieces where it marks or quotes them, and no verse of its own.

    A reply that marks none gets the best piece at its end, unless it says that there is none.
    Blocking.
    """
    page = _Page(list(evidence))
    index = index_of(corpus)
    same = Sameness(index, code)
    for paragraph in re.split(r"\n\s*\n", reply.strip()):
        marked = [int(number) for number in _MARK.findall(paragraph)]
        prose = _MARK.sub("", paragraph).strip()
        bare = _QUOTE_PREFIX.sub("", prose)
        if bare != prose or is_verse(bare):
            marked += page.pieces_of(bare, index, same, corpus)
            prose = ""
        kept = []
        for span in sentences(prose):
            sentence = prose[span.start : span.end]
            lines = [one.text for one in claims(sentence)]
            if not lines and _SLASHED.search(sentence):
                lines = [sentence]
            named = [page.pieces_of(line, index, same, corpus) for line in lines]
            marked += [number for numbers in named for number in numbers]
            if all(page.names(line, n) for line, n in zip(lines, named, strict=True)):
                kept.append(sentence)
        page.say(" ".join(kept))
        for number in marked:
            page.insert(number)
    if not page.inserted and evidence and not admits(reply, code):
        page.insert(evidence[0].number)
    return page


@dataclass(slots=True)
class _Page:
    """An answer being set: blocks of prose and of whole pieces."""

    evidence: list[Evidence]
    blocks: list[str] = field(default_factory=list)
    places: list[tuple[Span, int]] = field(default_factory=list)
    inserted: set[int] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)

    def say(self, prose: str) -> None:
        if prose:
            self.blocks.append(prose)

    def insert(self, number: int) -> None:
        """The piece of this evidence, whole, once; numbers of no evidence are ignored."""
        item = next((item for item in self.evidence if item.number == number), None)
        if item is None or number in self.inserted or len(self.inserted) >= _MOST_PIECES:
            return
        self.inserted.add(number)
        start = sum(len(block) + 2 for block in self.blocks)
        text = blockquote(item.hit.passage.text)
        self.places.append((Span(start, start + len(text)), number))
        self.blocks += [text, f"— {item.hit.passage.section or item.hit.source.title}"]

    def pieces_of(self, line: str, index: QuoteIndex, same: Sameness, corpus: Corpus) -> list[int]:
        """The evidence whose whole piece has this line, added where need be; else it is refused."""
        for place in located(index, line, same):
            number = evidence_at(self.evidence, place, corpus)
            if self.evidence[number - 1].hit.passage.id:
                return [number]
        self.refused.append(line)
        return []

    def names(self, line: str, numbers: Sequence[int]) -> bool:
        """Whether a quoted line is the first line or the title by which its piece is called."""
        return any(
            _letters(line) in (_letters(each) for each in _openings(item))
            for item in self.evidence
            if item.number in numbers
        )

    def written(
        self, model: str, usage: Usage | None = None, warnings: tuple[str, ...] = ()
    ) -> Written:
        text = "\n\n".join(self.blocks)
        marks, rests = [], []
        by_number = {item.number: item.hit.passage for item in self.evidence}
        for span, number in self.places:
            below = text.find("\n", span.end + 2)
            marks.append(Mark(below if below >= 0 else len(text), (number,)))
            passage = by_number[number]
            piece = Span(passage.start, passage.end)
            rests.append(Rest(span, number, piece, verbatim=True))
        refused = tuple(
            f'verse that is not in the sources was taken out: "{v}"' for v in self.refused
        )
        return Written(
            Marked(text, tuple(marks)),
            tuple(self.evidence),
            tuple(rests),
            declined=not self.inserted,
            sure=True,
            model=model,
            usage=usage or Usage(),
            warnings=(*warnings, *refused),
        )


def blockquote(piece: str) -> str:
    """Every line of the piece behind "> ", nothing else changed."""
    lines = piece.strip("\n").split("\n")
    return "\n".join(f"> {line}" if line.strip() else ">" for line in lines)


def _openings(item: Evidence) -> list[str]:
    """The lines by which a piece may be named: its titles' and the first of its verse."""
    lines = [line for line in item.hit.passage.text.splitlines() if line.strip()]
    first = next((i for i, line in enumerate(lines) if _is_verse_line(line)), 0)
    return [item.hit.passage.section, item.hit.source.title, *lines[: first + 1]]


def _is_verse_line(line: str) -> bool:
    """Whether a line is none of a heading's: a number, capitals, an editor's note."""
    return any(c.islower() for c in line) and not line.lstrip().startswith("[")


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())
