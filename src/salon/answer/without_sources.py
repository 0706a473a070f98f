"""What a persona says while its sources cannot be searched, if its folder lets it speak at all.

The answer says so in its first sentence, cites nothing and scores zero.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from salon.answer.cite import Marked
from salon.answer.finish import Written
from salon.answer.languages import language
from salon.answer.own_words import OWN_WORDS
from salon.answer.prompt import build_without_sources
from salon.answer.reply import in_marks
from salon.errors import RetrievalUnavailable
from salon.ports import ChatModel
from salon.types import Brief, Turn


async def without_sources(
    question: str,
    thread: Sequence[Turn],
    brief: Brief,
    chat: ChatModel | None,
    error: RetrievalUnavailable,
) -> AsyncGenerator[str | Written, None]:
    """Text to show, then what was written; the reason is a warning."""
    row = language(brief.language)
    via = ("search was down: answered without the sources",)
    warnings = (f"the sources could not be searched: {error.problem}",)
    if chat is None or brief.verbatim:
        yield row.down_alone
        marked = Marked(row.down_alone, ())
        yield Written(marked, (), declined=True, model=OWN_WORDS, via=via, warnings=warnings)
        return
    yield f"{row.down}\n\n"
    reply = in_marks(chat, build_without_sources(brief, thread, question), (), brief.language)
    async with aclosing(reply):
        async for piece in reply:
            if not isinstance(piece, Written):
                yield piece
                continue
            text = f"{row.down}\n\n{piece.marked.text}"
            yield replace(
                piece,
                marked=replace(piece.marked, text=text),
                declined=False,
                via=(*via, f"model {chat.card.name}"),
                warnings=(*warnings, *piece.warnings),
            )
