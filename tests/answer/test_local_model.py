"""Answering with the small chat model itself: whatever it writes, what we say of it is true."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from salon.answer.compose import compose
from salon.backends.llama import register
from salon.plugins import Plugins
from salon.ports import BackendContext, ChatModel
from salon.types import Answer, Answered, Token
from tests.answer.making import SmallCorpus, brief, poems

pytestmark = pytest.mark.models

STORM = "What did the storm destroy in the winter of 1902?"


@pytest.fixture(scope="module")
def chat(models_dir: Path) -> Iterator[ChatModel]:
    plugins = Plugins()
    register(plugins)
    context = BackendContext(models_dir, {}, fetch=False)
    model = plugins.chat_factory("local")("smollm2-135m", context)
    yield model
    asyncio.run(model.close())


async def ask(chat: ChatModel, corpus: SmallCorpus, verbatim: bool = False) -> tuple[str, Answer]:
    stream = compose(
        STORM, (), brief(verbatim=verbatim, max_tokens=300), corpus.find, corpus, chat, None, "i"
    )
    async with aclosing(stream):
        events = [event async for event in stream]
    assert isinstance(events[-1], Answered)
    return "".join(e.text for e in events if isinstance(e, Token)), events[-1].answer


async def test_every_note_opens_at_its_exact_words(chat: ChatModel) -> None:
    corpus = SmallCorpus()
    shown, answer = await ask(chat, corpus)
    texts = {source.id: text for source, text in corpus.sources}
    assert answer.text
    assert shown
    assert answer.model == "smollm2-135m"
    assert answer.usage.output_tokens > 0
    for citation in answer.citations:
        assert texts[citation.source_id][citation.start : citation.end] == citation.quote
        assert f"[{citation.number}]" in answer.text
    for check in answer.grounding.quotes:
        assert answer.text[check.start : check.end].strip()


async def test_a_verbatim_persona_keeps_its_pieces_whole(chat: ChatModel) -> None:
    corpus = poems()
    _, answer = await ask(chat, corpus, verbatim=True)
    for citation in answer.citations:
        piece = "\n".join(f"> {line}" if line else ">" for line in citation.quote.split("\n"))
        assert piece in answer.text
