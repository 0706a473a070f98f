"""Follow-ups: what points back is rewritten, what stands alone is left as it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from salon.answer.followup import by_rule, depends, stand_alone
from salon.errors import ModelUnavailable
from salon.testing.fakes import SCRIPTED_CARD, ScriptedChat
from salon.types import ChatDelta, ChatRequest, ModelCard, Turn

THREAD = (
    Turn("user", "What do you tell in your Autobiography about the Junto?"),
    Turn("persona", "The Junto was a club of mutual improvement. The Junto met on Fridays [1]."),
)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("When did you write it?", "en"),
        ("Why?", "en"),
        ("And in Paris?", "en"),
        ("What about your brother?", "en"),
        ("Who was he?", "en"),
        ("Tell me more about that.", "en"),
        ("When did that happen?", "en"),
        ("Were they paid?", "en"),
        ("Quand l'avez-vous écrit ?", "fr"),
        ("Et votre frère ?", "fr"),
        ("Que pensez-vous de cela ?", "fr"),
        ("Wann haben Sie es geschrieben?", "de"),
        ("Und Ihr Bruder?", "de"),
        ("Was halten Sie davon?", "de"),
        ("¿Cuándo lo escribió?", "es"),
        ("¿Y su hermano?", "es"),
        ("¿Qué piensa de eso?", "es"),
    ],
)
def test_questions_that_point_back(question: str, code: str) -> None:
    assert depends(question, code)


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("What is a prime number?", "en"),
        ("Who was Keimer?", "en"),
        ("What was it like to live alone in a cabin?", "en"),
        ("Is there anything you regret as a father?", "en"),
        ("Did Keimer pay the printer what he owed?", "en"),
        ("Do you believe that money is power?", "en"),
        ("Qu'est-ce qu'un nombre premier ?", "fr"),
        ("Que pensez-vous de la vertu ?", "fr"),
        ("Was ist eine Primzahl?", "de"),
        ("Was halten Sie von der Tugend?", "de"),
        ("¿Qué es un número primo?", "es"),
        ("¿Qué piensa usted de la virtud?", "es"),
    ],
)
def test_questions_that_stand_alone(question: str, code: str) -> None:
    assert not depends(question, code)


@pytest.mark.data
def test_real_questions_stand_alone(data: Path) -> None:
    rows = (data / "corpora/questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(row)["question"] for row in rows]
    pointing = [question for question in questions if depends(question, "en")]
    assert len(pointing) <= len(questions) // 40


def test_the_rule_carries_the_terms_of_the_question_and_the_subject_of_the_answer() -> None:
    found = by_rule("When did you write it?", THREAD, "en")
    assert found.text.startswith("When did you write it? (")
    assert "Autobiography" in found.text
    assert "Junto" in found.text
    assert found.via == f"follow-up rewritten by rule: {found.text}"


def test_a_chain_of_follow_ups_reaches_back_to_the_last_whole_question() -> None:
    thread = (*THREAD, Turn("user", "When did it meet?"), Turn("persona", "On Fridays."))
    found = by_rule("And who belonged to it?", thread, "en")
    assert "Junto" in found.text
    assert "Autobiography" in found.text


def test_nothing_is_rewritten_without_a_thread() -> None:
    assert by_rule("When did you write it?", (), "en").text == "When did you write it?"
    assert by_rule("When did you write it?", (), "en").via == ""


async def test_the_small_model_rewrites_what_points_back() -> None:
    small = ScriptedChat(["When did you write your Autobiography?"])
    found = await stand_alone("When did you write it?", THREAD, "en", small)
    assert found.text == "When did you write your Autobiography?"
    assert found.via.startswith("follow-up rewritten by scripted")


async def test_the_small_model_is_not_asked_about_what_stands_alone() -> None:
    small = ScriptedChat([])
    assert (await stand_alone("Who was Keimer?", THREAD, "en", small)).text == "Who was Keimer?"
    assert small.requests == []


class SilentChat:
    """A model that never answers."""

    def __init__(self) -> None:
        self.closed_early = False

    @property
    def card(self) -> ModelCard:
        return SCRIPTED_CARD

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        try:
            await asyncio.Event().wait()
            yield ChatDelta()
        finally:
            self.closed_early = True

    async def close(self) -> None:
        pass


async def test_a_silent_small_model_is_closed_and_the_rule_is_reported() -> None:
    silent = SilentChat()
    found = await stand_alone("When did you write it?", THREAD, "en", silent, seconds=0.01)
    assert "Junto" in found.text
    assert "took over 0.01 s" in found.via
    assert silent.closed_early


@pytest.mark.parametrize(
    ("reply", "told"),
    [(ModelUnavailable("no quota"), "no quota"), ("one line\nand another", "gave no question")],
)
async def test_a_small_model_that_fails_is_reported(
    reply: str | ModelUnavailable, told: str
) -> None:
    found = await stand_alone("When did you write it?", THREAD, "en", ScriptedChat([reply]))
    assert "Junto" in found.text
    assert told in found.via
