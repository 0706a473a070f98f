"""Verbatim personas: whole pieces, exactly, and no verse that the corpus does not have."""

from __future__ import annotations

import json

import pytest

from salon.answer.compose import compose
from salon.testing.fakes import ScriptedChat
from salon.types import Answer, Answered, ModelCard
from tests.answer.making import HOPE_POEM, SNOW_POEM, brief, poems

CORPUS = poems()
LAMP = "\n".join(f"> {line}" if line else ">" for line in HOPE_POEM.strip().split("\n"))
SNOW = "\n".join(f"> {line}" if line else ">" for line in SNOW_POEM.strip().split("\n"))
QUESTION = "What does the lamp forgive?"


async def ask(reply: str | None, question: str = QUESTION, form: str = "marks") -> Answer:
    card = ModelCard("scripted", 8192, 900, form="quotes" if form == "quotes" else "marks")
    chat = ScriptedChat([reply], card=card) if reply is not None else None
    stream = compose(question, (), brief(verbatim=True), CORPUS.find, CORPUS, chat, None, "i")
    answered = [event async for event in stream][-1]
    assert isinstance(answered, Answered)
    return answered.answer


async def test_the_piece_stands_whole_where_the_model_says() -> None:
    answer = await ask("I kept a light once.\n\n[1]\n\nThat is all I know of it.")
    assert answer.text.split("\n\n")[0] == "I kept a light once."
    assert LAMP in answer.text
    assert answer.text.endswith("That is all I know of it.")
    (citation,) = answer.citations
    assert citation.quote == HOPE_POEM.strip("\n")
    assert citation.verbatim
    assert answer.text[citation.answer_start : citation.answer_end] == LAMP
    assert [q.verdict for q in answer.grounding.quotes] == ["found"]


@pytest.mark.parametrize(
    "reply",
    [
        "> Roses grow upon the rock\n> And violets in the sea",
        "Roses grow upon the rock\nAnd violets in the sea",
        'I wrote "Roses grow upon the rock" once.',
        "I wrote Roses grow upon the rock / And violets in the sea.",
    ],
)
async def test_verse_that_the_corpus_does_not_have_is_taken_out(reply: str) -> None:
    answer = await ask(f"A light.\n\n[1]\n\n{reply}")
    assert "Roses" not in answer.text
    assert LAMP in answer.text
    assert any("Roses grow upon the rock" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    "piece",
    [
        "> It does not ask to stay;\n> It writes one line, and writes alone,",
        'I wrote "It writes one line, and writes alone" once.',
        "It does not ask to stay / It writes one line.",
    ],
)
async def test_a_piece_of_a_poem_brings_the_whole_and_goes(piece: str) -> None:
    answer = await ask(f"A light.\n\n[1]\n\n{piece}")
    assert SNOW in answer.text
    assert answer.text.count("It writes one line") == 1


async def test_a_poem_may_be_named_by_its_first_line() -> None:
    answer = await ask('See "The lamp forgives the dark its size".\n\n[1]')
    assert answer.text.startswith('See "The lamp forgives the dark its size".')
    assert answer.text.count("And asks no thanks of day") == 1


async def test_prose_without_a_mark_gets_the_best_piece() -> None:
    answer = await ask("I kept a light once.")
    assert LAMP in answer.text


async def test_numbers_of_no_piece_bring_nothing() -> None:
    answer = await ask("A light.\n\n[7]\n\n[1]")
    assert answer.text.count(">\n") == LAMP.count(">\n")
    assert "[7]" not in answer.text


async def test_the_json_form_gives_the_same() -> None:
    reply = json.dumps({"piece": 1, "before": "I kept a light once.", "after": ""})
    answer = await ask(reply, form="quotes")
    assert answer.text.startswith("I kept a light once.\n\n" + LAMP)


async def test_the_json_form_may_find_none() -> None:
    before = "My sources do not speak of that."
    answer = await ask(json.dumps({"piece": 0, "before": before, "after": ""}), form="quotes")
    assert answer.declined
    assert answer.text == before


async def test_a_question_that_no_piece_answers_is_declined() -> None:
    answer = await ask(None, "How is tungsten smelted in a furnace?")
    assert answer.declined
    assert ">" not in answer.text
    assert answer.citations == ()
