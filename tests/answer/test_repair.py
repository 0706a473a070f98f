"""Repair: an answer below the bar is written once more, then loses what no passage holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from salon.answer.compose import compose
from salon.errors import ModelUnavailable, SalonError
from salon.testing.fakes import ScriptedChat
from salon.types import Answer, Answered, GroundingConfig
from tests.answer.making import SmallCorpus, brief

CORPUS = SmallCorpus()
STORM = "What did the storm destroy in the winter of 1902?"
INVENTED = (
    "Torvald Knudsen rebuilt everything for nine thousand crowns in 1931, in marble. "
    "My cousin Beata sang operas at the harbour every Sunday for the bishop of Trondheim. "
    "Later the king himself sent chandeliers, carpets and a French cook."
)
TRUE = "In the winter of 1902 a storm destroyed the oil store [1]."


async def ask(replies: Sequence[str | SalonError], **changes: Any) -> tuple[Answer, ScriptedChat]:
    chat = ScriptedChat(replies)
    grounding = GroundingConfig(repair=changes.pop("repair", True), below=0.6)
    who = brief(**changes)
    asked = compose(
        STORM, (), type(who)(**{**_fields(who), "grounding": grounding}),
        CORPUS.find, CORPUS, chat, None, "ingr-1",
    )  # fmt: skip
    events = [event async for event in asked]
    last = events[-1]
    assert isinstance(last, Answered)
    return last.answer, chat


def _fields(who: Any) -> dict[str, Any]:
    return {name: getattr(who, name) for name in who.__dataclass_fields__}


async def test_a_good_answer_is_left_alone() -> None:
    answer, chat = await ask([TRUE])
    assert answer.rewriting is None
    assert len(chat.requests) == 1


async def test_nothing_is_repaired_unless_the_persona_asks() -> None:
    answer, chat = await ask([INVENTED], repair=False)
    assert answer.rewriting is None
    assert len(chat.requests) == 1
    assert not answer.grounding.grounded


async def test_the_second_reply_is_told_what_was_wrong_and_taken_when_it_is_better() -> None:
    answer, chat = await ask([INVENTED, TRUE])
    assert answer.rewriting is not None
    assert answer.rewriting.outcome == "regenerated"
    assert "destroyed the oil store" in answer.text
    assert answer.grounding.grounded
    assert "Torvald Knudsen" in answer.rewriting.first.text
    assert not answer.rewriting.first.grounded
    assert answer.rewriting.last.text == answer.text
    assert answer.rewriting.last.score == answer.grounding.score
    told = chat.requests[1].messages[-1].content
    assert all(sentence in told for sentence in answer.rewriting.first.unsupported)
    assert len(answer.rewriting.first.unsupported) == 3
    assert "repaired once: regenerated" in answer.via
    assert answer.usage.output_tokens == len(INVENTED.split()) + len(TRUE.split())


async def test_if_it_is_still_below_unsupported_sentences_are_dropped() -> None:
    half = f"{TRUE} We sat three nights in the dark, and the bell kept us awake [1]. {INVENTED}"
    answer, _ = await ask([INVENTED, half], quotes="report")
    assert answer.rewriting is not None
    assert answer.rewriting.outcome == "dropped"
    assert "oil store [1]. We sat three nights in the dark" in answer.text
    assert "Torvald" not in answer.text
    assert any("taken out" in warning for warning in answer.warnings)
    texts = {source.id: text for source, text in CORPUS.sources}
    assert all(texts[c.source_id][c.start : c.end] == c.quote for c in answer.citations)


async def test_what_would_leave_nothing_is_marked() -> None:
    answer, _ = await ask([INVENTED, INVENTED])
    assert answer.rewriting is not None
    assert answer.rewriting.outcome == "marked"
    assert answer.text.count("(not from my sources)") == 3
    assert answer.rewriting.last.unsupported == answer.rewriting.first.unsupported
    assert not answer.grounding.grounded


async def test_a_model_that_fails_the_second_time_costs_a_warning() -> None:
    answer, _ = await ask([INVENTED, ModelUnavailable("the server went away")])
    assert answer.rewriting is not None
    assert answer.rewriting.outcome == "marked"
    assert any("the server went away" in warning for warning in answer.warnings)


@pytest.mark.parametrize("code", ["en", "fr", "de-AT", "es"])
async def test_a_language_at_full_function_says_nothing(code: str) -> None:
    answer, _ = await ask([TRUE], language=code, repair=False)
    assert not any("the checks know no words" in warning for warning in answer.warnings)


async def test_another_language_says_what_is_not_checked() -> None:
    answer, _ = await ask([TRUE], language="sv", repair=False)
    assert any("know no words of 'sv'" in warning for warning in answer.warnings)
