"""The whole of an answer, with scripted models and a small corpus: said, cited, scored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from salon.answer.compose import compose
from salon.errors import ModelUnavailable, RetrievalUnavailable
from salon.ports import ChatModel
from salon.testing.fakes import ScriptedChat
from salon.types import (
    Answer,
    Answered,
    AnswerEvent,
    Found,
    ModelCard,
    Retrieved,
    Token,
    Turn,
)
from tests.answer.making import SmallCorpus, brief, poems

CORPUS = SmallCorpus()
STORM = "What did the storm destroy in the winter of 1902?"
PRIME = "What is a prime number?"
QUOTES_CARD = ModelCard("small", context_tokens=4096, evidence_tokens=900, form="quotes")


async def events(
    question: str,
    chat: ChatModel | None = None,
    *,
    corpus: SmallCorpus = CORPUS,
    thread: Sequence[Turn] = (),
    find: Callable[[str], Retrieved] | None = None,
    small: ChatModel | None = None,
    **changes: Any,
) -> list[AnswerEvent]:
    stream = compose(
        question, thread, brief(**changes), find or corpus.find, corpus, chat, small, "ingr-1"
    )
    async with aclosing(stream):
        return [event async for event in stream]


async def ask(question: str, chat: ChatModel | None = None, **changes: Any) -> Answer:
    last = (await events(question, chat, **changes))[-1]
    assert isinstance(last, Answered)
    return last.answer


def signal(answer: Answer, name: str) -> float:
    return next(s.penalty for s in answer.grounding.signals if s.name == name)


def exact(answer: Answer, corpus: SmallCorpus = CORPUS) -> bool:
    texts = {source.id: text for source, text in corpus.sources}
    return all(texts[c.source_id][c.start : c.end] == c.quote for c in answer.citations)


async def test_without_a_model_the_sources_own_sentences_are_the_answer() -> None:
    answer = await ask(STORM)
    assert "In the winter of 1902 a storm destroyed the oil store." in answer.text
    assert "\n" not in answer.text.replace("\n\n", "")
    assert answer.model == "own-words"
    assert answer.grounding.grounded
    assert answer.citations
    assert all(citation.verbatim for citation in answer.citations)
    assert exact(answer)
    assert answer.sources == ("logbook.txt",)
    for citation in answer.citations:
        said = answer.text[citation.answer_start : citation.answer_end]
        assert said.split() == citation.quote.split()


async def test_events_come_in_order_and_tokens_add_up_to_the_text() -> None:
    reply = "A storm destroyed the oil store [1]. I did not like the electric light [1]."
    found, *tokens, answered = await events(STORM, ScriptedChat([reply]))
    assert isinstance(found, Found)
    assert isinstance(answered, Answered)
    assert "".join(t.text for t in tokens if isinstance(t, Token)) == answered.answer.text


async def test_a_question_the_sources_do_not_cover_is_declined_whatever_came_before() -> None:
    on_corpus = Turn("persona", "A storm destroyed the oil store [1].")
    threads = ((), (Turn("user", STORM), on_corpus))
    for thread in threads:
        answer = await ask(PRIME, thread=thread)
        assert answer.declined
        assert answer.sources == ()
        assert not answer.grounding.grounded
        assert answer.asked == PRIME


async def test_a_model_that_answers_from_elsewhere_is_flagged_and_lists_no_sources() -> None:
    bluff = "A prime number is a natural number with exactly two divisors [1]. Seven is one [2]."
    answer = await ask(PRIME, ScriptedChat([bluff]))
    assert answer.sources == ()
    assert answer.grounding.score < 0.3
    assert not answer.grounding.grounded


async def test_a_small_model_is_not_asked_what_the_sources_do_not_cover() -> None:
    chat = ScriptedChat([], card=QUOTES_CARD)
    answer = await ask(PRIME, chat)
    assert answer.declined
    assert chat.requests == []


async def test_marks_are_renumbered_and_each_opens_at_its_supporting_words() -> None:
    reply = "The oil store was lost to a storm [2]. A keeper counts the ships and the gulls [1]."

    def find(question: str) -> Retrieved:
        hits = (CORPUS.hit("counted the ships", 1), CORPUS.hit("storm destroyed", 2))
        return Retrieved(hits, question, 1.0, 1.0, "one")

    answer = await ask(
        "What of the storm, and what do keepers count?", ScriptedChat([reply]), find=find
    )
    assert answer.text == reply.replace("[2]", "[x]").replace("[1]", "[2]").replace("[x]", "[1]")
    first, second = answer.citations
    assert (first.number, second.number) == (1, 2)
    assert "storm destroyed the oil store" in first.quote
    assert "I counted the ships" in second.quote
    assert exact(answer)


async def test_a_reply_without_marks_is_cited_by_its_words() -> None:
    reply = "A storm destroyed the oil store in the winter of 1902."
    answer = await ask(STORM, ScriptedChat([reply]))
    assert answer.text == reply + " [1]"
    assert "destroyed the oil store" in answer.citations[0].quote


async def test_marks_that_point_nowhere_are_removed_and_counted() -> None:
    answer = await ask(STORM, ScriptedChat(["A storm destroyed the oil store [1][42]."]))
    assert "[42]" not in answer.text
    assert signal(answer, "citations") > 0
    assert any("pointed to no passage" in warning for warning in answer.warnings)


async def test_quotations_are_found_and_cited_at_their_exact_place() -> None:
    reply = 'My uncle told me that "a keeper who sleeps is a thief of ships".'
    answer = await ask("What did your uncle say of a keeper who sleeps?", ScriptedChat([reply]))
    (check,) = answer.grounding.quotes
    assert check.verdict == "found"
    assert check.places[0].text == "a keeper who sleeps is a thief of ships"
    assert answer.text[check.start : check.end] == "a keeper who sleeps is a thief of ships"
    assert answer.citations[0].verbatim
    assert exact(answer)


STITCHED = '"the lamp burned whale oil then, and I bake on Thursdays"'


async def test_a_stitched_quotation_is_flagged_and_costs() -> None:
    honest = await ask(STORM, ScriptedChat(["A storm destroyed the oil store [1]."]))
    answer = await ask(
        STORM, ScriptedChat([f"A storm destroyed the oil store [1]. {STITCHED} [1]."])
    )
    (check,) = answer.grounding.quotes
    assert check.verdict == "stitched"
    assert [place.source for place in check.places] == ["logbook.txt", "letters.txt"]
    assert answer.grounding.score < honest.grounding.score
    assert any("whale oil then" in warning for warning in answer.warnings)


async def test_a_quotation_under_the_wrong_number_is_put_right_and_costs() -> None:
    def find(question: str) -> Retrieved:
        hits = (CORPUS.hit("storm destroyed", 1), CORPUS.hit("three hundred passengers", 2))
        return Retrieved(hits, question, 1.0, 1.0, "one")

    reply = 'I wrote "We sat three nights in the dark" [2].'
    answer = await ask(STORM, ScriptedChat([reply]), find=find)
    assert [c.source for c in answer.citations] == ["logbook.txt"]
    assert signal(answer, "quotations") > 0
    assert any("another passage's number" in warning for warning in answer.warnings)


async def test_a_quotation_from_outside_the_hits_gets_its_own_note() -> None:
    def find(question: str) -> Retrieved:
        return Retrieved((CORPUS.hit("storm destroyed"),), question, 1.0, 1.0, "one")

    reply = 'A storm destroyed the oil store [1]. "I mean to grow beans" I told my sister.'
    answer = await ask(STORM, ScriptedChat([reply]), find=find)
    assert answer.sources == ("logbook.txt", "letters.txt")
    assert '"I mean to grow beans" [2]' in answer.text
    assert answer.citations[1].passage_id
    assert exact(answer)


async def test_strict_personas_lose_the_marks_of_absent_quotations_only() -> None:
    reply = (
        f'The oil store burned [1]. {STITCHED} and "three nights in the dark" [1].\n\n'
        "> Not a word of it"
    )
    answer = await ask(STORM, ScriptedChat([reply]), quotes="strict")
    assert STITCHED not in answer.text
    assert STITCHED.strip('"') in answer.text
    assert '"three nights in the dark"' in answer.text
    assert ">" not in answer.text
    absent = [q for q in answer.grounding.quotes if not q.verbatim]
    assert [q.verdict for q in absent] == ["stitched", "absent"]
    assert [answer.text[q.start : q.end] for q in absent] == [q.text for q in absent]


async def test_names_and_numbers_of_no_passage_are_listed() -> None:
    reply = "A storm destroyed the oil store, and in 1911 my friend Torvald came [1]."
    answer = await ask(STORM, ScriptedChat([reply]))
    reasons = {s.name: s.reason for s in answer.grounding.signals}
    assert reasons["support_names"] == "names of no passage: Torvald"
    assert reasons["support_numbers"] == "numbers, dates or units of no passage: 1911"
    lacks = [lack.text for claim in answer.grounding.claims for lack in claim.lacks]
    assert {"Torvald", "1911"} <= set(lacks)


async def test_a_model_may_say_that_the_sources_do_not_cover_it() -> None:
    answer = await ask(STORM, ScriptedChat(["My sources do not say what became of it."]))
    assert answer.declined
    assert answer.sources == ()


async def test_quotes_form_rests_each_sentence_on_its_quote() -> None:
    reply = (
        '{"points": [{"quote": "a storm destroyed the oil store", "passage": 1, '
        '"say": "The storm took our oil store."}, {"quote": "the gulls, the seconds", '
        '"passage": 1, "say": "I counted \\"gulls\\" and seconds."}]}'
    )
    got = await events(STORM, ScriptedChat([reply], card=QUOTES_CARD))
    assert isinstance(got[-1], Answered)
    answer = got[-1].answer
    shown = "".join(e.text for e in got if isinstance(e, Token))
    assert shown == 'The storm took our oil store. I counted "gulls" and seconds.'
    assert [c.quote for c in answer.citations] == [
        "a storm destroyed the oil store",
        "the gulls, the seconds",
    ]
    assert exact(answer)


async def test_quotes_form_without_points_declines() -> None:
    question = "Which storm did my grandmother mention to the parson?"
    answer = await ask(question, ScriptedChat(['{"points": []}'], card=QUOTES_CARD))
    assert answer.declined


async def test_a_reply_that_is_not_the_json_asked_for_is_an_error() -> None:
    with pytest.raises(ModelUnavailable):
        await ask(STORM, ScriptedChat(["I would rather talk."], card=QUOTES_CARD))


@pytest.mark.parametrize(
    "reply",
    [
        ModelUnavailable("quota is used up", status=429, retry_after=30),
        ("A storm destroyed", ModelUnavailable("the connection broke")),
        "",
    ],
)
async def test_a_failing_model_gives_no_answer(reply: Any) -> None:
    seen: list[AnswerEvent] = []
    stream = compose(STORM, (), brief(), CORPUS.find, CORPUS, ScriptedChat([reply]), None, "i")
    with pytest.raises(ModelUnavailable):
        async for event in stream:
            seen.append(event)
    assert not any(isinstance(event, Answered) for event in seen)


async def test_closing_the_stream_stops_the_model() -> None:
    chat = ScriptedChat(["A storm destroyed the oil store [1]. " * 50], delay=0.001)
    stream = compose(STORM, (), brief(), CORPUS.find, CORPUS, chat, None, "i")
    async for event in stream:
        if isinstance(event, Token):
            break
    await stream.aclose()
    assert chat.stopped == 1


async def test_cancelling_the_task_stops_the_model() -> None:
    chat = ScriptedChat(["A storm destroyed the oil store [1]. " * 50], delay=0.001)
    first = asyncio.Event()

    async def consume() -> None:
        stream = compose(STORM, (), brief(), CORPUS.find, CORPUS, chat, None, "i")
        async with aclosing(stream):
            async for event in stream:
                if isinstance(event, Token):
                    first.set()

    task = asyncio.create_task(consume())
    await first.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert chat.stopped == 1


def down(question: str) -> Retrieved:
    raise RetrievalUnavailable("the store does not answer")


async def test_a_search_that_is_down_is_refused() -> None:
    with pytest.raises(RetrievalUnavailable):
        await events(STORM, ScriptedChat(["Anything."]), find=down)


@pytest.mark.parametrize("reply", ["I kept the light at Halden.", None])
async def test_a_persona_that_may_answer_while_search_is_down_says_so(reply: str | None) -> None:
    chat = ScriptedChat([reply]) if reply else None
    answer = await ask(STORM, chat, find=down, when_down="answer")
    assert "cannot be searched" in answer.text
    assert answer.grounding.score == 0.0
    assert not answer.grounding.grounded
    assert answer.sources == ()
    assert any("does not answer" in warning for warning in answer.warnings)


async def test_a_follow_up_is_searched_for_as_a_question_that_stands_alone() -> None:
    asked: list[str] = []

    def find(question: str) -> Retrieved:
        asked.append(question)
        return CORPUS.find(question)

    thread = (Turn("user", STORM), Turn("persona", "It destroyed the oil store [1]."))
    answer = await ask("When did it happen?", thread=thread, find=find)
    assert answer.question == "When did it happen?"
    assert answer.asked == asked[0]
    assert "storm" in answer.asked
    assert answer.via[0].startswith("follow-up rewritten by rule")


async def test_a_verbatim_persona_without_a_model_gives_the_whole_piece() -> None:
    answer = await ask("What does the lamp forgive?", corpus=poems(), verbatim=True)
    assert "> The lamp forgives the dark its size\n> And asks no thanks of day;" in answer.text
    assert "Of ships that lost their way." in answer.text
    assert exact(answer, poems())


async def test_empty_hits_are_an_answer_not_an_error() -> None:
    def nothing(question: str) -> Retrieved:
        return Retrieved((), question, 1.0, 1.0, "one")

    for chat in (None, ScriptedChat(["My sources do not cover that."])):
        answer = await ask(STORM, chat, find=nothing)
        assert answer.declined
        assert not answer.grounding.grounded


async def test_a_mark_on_the_wrong_passage_is_turned_to_the_right_one() -> None:
    def find(question: str) -> Retrieved:
        hits = (CORPUS.hit("three hundred passengers", 1), CORPUS.hit("storm destroyed", 2))
        return Retrieved(hits, question, 1.0, 1.0, "one")

    answer = await ask(STORM, ScriptedChat(["A storm destroyed the oil store [1]."]), find=find)
    assert answer.sources == ("logbook.txt",)
    assert any("wrong passage" in warning for warning in answer.warnings)


async def test_a_paraphrase_keeps_the_mark_that_its_model_gave() -> None:
    def find(question: str) -> Retrieved:
        return Retrieved((CORPUS.hit("three hundred passengers"),), question, 1.0, 1.0, "one")

    reply = "Folk travel by boat in crowds nowadays [1]."
    answer = await ask(
        "How many passengers does the ferry carry?", ScriptedChat([reply]), find=find
    )
    assert answer.sources == ("letters.txt",)
    assert "three hundred passengers" in answer.citations[0].quote
