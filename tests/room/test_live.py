"""A room in use: who answers, chains, stops, what is heard, what is kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from salon.errors import InputError, ModelUnavailable
from salon.rooms_settings import RoomsSettings
from salon.types import (
    Breach,
    Participant,
    Posted,
    RoomOptions,
    Routes,
    Speaker,
    TurnEnded,
    TurnRestarted,
    TurnStarted,
    TurnToken,
)
from tests.room.making import ANA, BEN, Script, a_room, said
from tests.room.pack33 import ROUTES, some

POOL = some(["Pharmacius", "Cage", "Eno", "Oram"])


async def test_a_message_is_kept_then_answered_and_everything_is_shown(tmp_path: Path) -> None:
    script = Script({"cage": "Silence is full."})
    async with a_room(tmp_path, script, POOL, routes=ROUTES) as live:
        events = [event async for event in live.converse(ANA, "@Cage what is silence?")]
        kinds = [type(event) for event in events]
        assert kinds[:2] == [Posted, TurnStarted]
        tokens = [event for event in events if isinstance(event, TurnToken)]
        assert "".join(token.text for token in tokens).strip() == "Silence is full."
        assert isinstance(events[-2], Posted)
        reply = events[-2].message
        assert (reply.seq, reply.reply_to, reply.depth) == (2, 1, 0)
        assert reply.answer is not None
        assert reply.answer["rag_confidence"] == 0.9
        assert events[-1] == TurnEnded("salon", reply.turn_id or "", "done", 2)


@pytest.mark.parametrize(
    ("depth", "speakers"),
    [(0, ["Pharmacius"]), (1, ["Pharmacius", "Cage"]), (3, ["Pharmacius", "Cage"] * 2)],
)
async def test_two_who_call_each_other_stop_at_the_depth(
    tmp_path: Path, depth: int, speakers: list[str]
) -> None:
    script = Script({"pharmacius": "Un mot. @Cage sait.", "cage": "@Pharmacius then."})
    settings = RoomsSettings(chain_delay_ms=0, chain_depth=depth)
    async with a_room(tmp_path, script, POOL, routes=ROUTES, settings=settings) as live:
        await live.say(ANA, "well")
        assert [nick for nick, _ in (await said(live))[1:]] == speakers


async def test_a_relay_addresses_one_persona_and_runs_the_whole_way(tmp_path: Path) -> None:
    every = "@Eno @Cage @Oram"
    script = Script(dict.fromkeys(("cage", "eno", "oram"), every))
    options = RoomOptions(responders=2)
    settings = RoomsSettings(chain_delay_ms=0, chain_depth=2)
    async with a_room(tmp_path, script, POOL, options=options, settings=settings) as live:
        await live.say(ANA, "@Cage begin")
        assert [nick for nick, _ in (await said(live))[1:]] == ["Cage", "Eno", "Cage"]
        _, question, scene = script.asked[1]
        assert question == "Cage a dit : « @Eno @Cage @Oram ». @Eno, réponds-lui."
        assert [line.nick for line in scene.heard] == ["Ana"]


async def test_the_token_budget_ends_a_chain(tmp_path: Path) -> None:
    script = Script({"eno": "one two three @Cage", "cage": "four five @Eno"})
    settings = RoomsSettings(chain_delay_ms=0, chain_depth=9, chain_tokens=6)
    async with a_room(tmp_path, script, POOL, settings=settings) as live:
        await live.say(ANA, "@Eno")
        assert [nick for nick, _ in (await said(live))[1:]] == ["Eno", "Cage"]


async def test_responders_answer_in_parallel_each_once(tmp_path: Path) -> None:
    script = Script({"eno": "a " * 20, "cage": "b " * 20}, delay=0.001)
    async with a_room(tmp_path, script, POOL) as live:
        events = [event async for event in live.converse(ANA, "@Eno @Cage @eno")]
        started = [e.persona.nick for e in events if isinstance(e, TurnStarted)]
        assert started == ["Eno", "Cage"]
        first_end = next(i for i, e in enumerate(events) if isinstance(e, TurnEnded))
        turns = {e.turn_id for e in events[:first_end] if isinstance(e, TurnToken)}
        assert len(turns) == 2


async def test_stopping_reaches_the_models_and_keeps_what_was_written(tmp_path: Path) -> None:
    script = Script({"eno": "@Cage " + "word " * 1000}, delay=0.002)
    async with a_room(tmp_path, script, POOL) as live:
        watching = live.watch()
        await live.say(ANA, "@Eno")
        while (shared := await watching.next()) is not None:
            if isinstance(shared.event, TurnToken) and "word" in shared.event.text:
                break
        assert await live.stop() == 1
        assert script.stopped == ["eno"]
        kept = (await live.store.messages("salon"))[-1]
        assert kept.stopped
        assert kept.text.startswith("@Cage word")
        assert len(script.asked) == 1  # the chain ended with it


async def test_a_message_sent_twice_is_answered_once(tmp_path: Path) -> None:
    script = Script({"eno": "Yes."})
    async with a_room(tmp_path, script, POOL) as live:
        first, again = await asyncio.gather(
            live.say(ANA, "@Eno", "c1"), live.say(ANA, "@Eno", "c1")
        )
        assert {first.fresh, again.fresh} == {True, False}
        assert first.message.seq == again.message.seq
        other = await live.say(BEN, "@Eno", "c1")
        assert other.fresh
        assert [nick for nick, _ in await said(live)].count("Eno") == 2


async def test_programs_are_not_answered_unless_the_room_says_so(tmp_path: Path) -> None:
    bot = Speaker("person", "v-bot", "Robot", bot=True)
    async with a_room(tmp_path, Script({"eno": "Yes."}), POOL) as live:
        await live.say(bot, "@Eno hi")
        assert await said(live) == [("Robot", "@Eno hi")]
        await live.change(replace(live.room.options, answer_bots=True), "Ana")
        await live.say(bot, "@Eno hi")
        assert (await said(live))[-1] == ("Eno", "Yes.")


async def test_one_that_fails_is_told_and_the_others_answer(tmp_path: Path) -> None:
    failing = ModelUnavailable("the model is away", cure="wait")
    async with a_room(tmp_path, Script({"eno": failing, "cage": "Yes."}), POOL) as live:
        events = [event async for event in live.converse(ANA, "@Eno @Cage")]
        ends = {e.status: e for e in events if isinstance(e, TurnEnded)}
        assert ends["failed"].problem == "the model is away"
        assert ends["failed"].code == "model_unavailable"
        assert await said(live) == [("Ana", "@Eno @Cage"), ("Cage", "Yes.")]


async def test_a_persona_hears_only_what_was_said_while_it_was_there(tmp_path: Path) -> None:
    script = Script({"eno": "Hm.", "cage": "Hm."})
    async with a_room(tmp_path, script, POOL[:3]) as live:
        await live.say(ANA, "@Eno the secret is 41")
        await live.idle()
        await live.store.leave("salon", "cage", 2)
        await live.say(ANA, "@Eno the secret is 42")
        await live.idle()
        await live.store.arrive("salon", "cage", 4)
        await live.say(ANA, "@Cage what is the secret?")
        await live.idle()
        heard = [line.text for line in script.asked[-1][2].heard]
        assert heard == ["@Eno the secret is 41", "Hm."]
        await live.change(replace(live.room.options, hears="all"), "Ana")
        await live.say(ANA, "@Cage and now?")
        await live.idle()
        assert "@Eno the secret is 42" in [line.text for line in script.asked[-1][2].heard]


async def test_rooms_do_not_hear_each_other(tmp_path: Path) -> None:
    script = Script({"eno": "Hm."})
    async with a_room(tmp_path, script, POOL) as live:
        other = type(live)(await live.store.room("#other"), live.parts)
        await live.say(ANA, "@Eno the secret is 41")
        await live.idle()
        await other.say(BEN, "@Eno what is the secret?")
        await other.idle()
        assert script.asked[-1][2].heard == ()


async def test_a_rule_that_is_broken_is_named_once_and_then_mended(tmp_path: Path) -> None:
    class Short:
        def check(self, turn, reply):
            return [Breach("words", "use two words")] if len(reply.split()) > 2 else []

        def trim(self, turn, reply, breaches):
            return " ".join(reply.split()[:2])

    script = Script({"eno": ["one two three", "four five six"]})
    async with a_room(tmp_path, script, POOL, rules=Short()) as live:
        events = [event async for event in live.converse(ANA, "@Eno")]
        assert [e.rule for e in events if isinstance(e, TurnRestarted)] == ["words"]
        assert "use two words" in script.asked[1][2].guidance
        assert (await said(live))[-1] == ("Eno", "four five")


async def test_an_orchestrator_that_lectures_is_held_to_its_rules(tmp_path: Path) -> None:
    script = Script({"pharmacius": "- Un.\n- Deux. Trois.", "cage": "Oui.", "eno": "Oui."})
    async with a_room(tmp_path, script, POOL, routes=ROUTES) as live:
        await live.say(ANA, "bonjour à tous")
        found = await said(live)
        assert found[1] == ("Pharmacius", "Un. @Cage peut approfondir.")
        assert found[2][0] == "Cage"


async def test_long_histories_are_summed_up_and_stay(tmp_path: Path) -> None:
    async def wording(task: str, text: str) -> str:
        return "They spoke of numbers." if task == "summarise" else ""

    script = Script({"eno": "Hm."})
    settings = RoomsSettings(chain_delay_ms=0, compact_characters=1_000)
    async with a_room(tmp_path, script, POOL, settings=settings, wording=wording) as live:
        for number in range(12):
            await live.say(ANA, f"@Eno {number} " + "x" * 100)
            await live.idle()
        assert len(await live.store.messages("salon")) == 24
        summaries = await live.store.summaries("salon")
        assert summaries[0].from_seq == 1
        assert script.asked[-1][2].summary == "They spoke of numbers."
        assert "@Eno 0" not in " ".join(line.text for line in script.asked[-1][2].heard)


async def test_a_model_that_cannot_sum_up_loses_nothing(tmp_path: Path) -> None:
    async def wording(task: str, text: str) -> str:
        return ""

    script = Script({"eno": "Hm."})
    settings = RoomsSettings(chain_delay_ms=0, compact_characters=1_000)
    async with a_room(tmp_path, script, POOL, settings=settings, wording=wording) as live:
        for number in range(12):
            await live.say(ANA, f"@Eno {number} " + "x" * 100)
            await live.idle()
        assert await live.store.summaries("salon") == []
        assert len(await live.store.messages("salon")) == 24


async def test_joining_again_brings_what_was_missed_once(tmp_path: Path) -> None:
    script = Script({"eno": "word " * 50}, delay=0.001)
    manual = RoomOptions(strategy="manual")
    async with a_room(tmp_path, script, POOL, options=manual) as live:
        subscription, missed, _ = await live.join(0, 50)
        assert missed == []
        for number in range(5):
            await live.say(ANA, f"line {number} @Eno" if number == 4 else f"@nobody {number}")
        while (shared := await subscription.next()) is not None:
            if isinstance(shared.event, TurnToken):
                break
        live.unwatch(subscription)
        again, missed, turns = await live.join(2, 50)
        assert [m.seq for m in missed if m.seq > 2] == [m.seq for m in missed]
        last = missed[-1].seq
        assert len(turns) >= 1
        await live.idle()
        again.finish()
        seqs = []
        while (shared := await again.next()) is not None:
            if isinstance(shared.event, Posted):
                seqs.append(shared.event.message.seq)
        assert [*range(3, last + 1), *seqs] == list(range(3, last + 1 + len(seqs)))


@pytest.mark.parametrize("text", ["", "  \n", "\0", "x" * 8_193, "half \ud800"])
async def test_messages_that_cannot_be_kept_are_refused(tmp_path: Path, text: str) -> None:
    async with a_room(tmp_path, Script({}), ()) as live:
        with pytest.raises(InputError):
            await live.say(ANA, text)
        assert await said(live) == []


async def test_disabled_personas_are_neither_asked_nor_called(tmp_path: Path) -> None:
    script = Script({"eno": "@Cage knows."})
    options = RoomOptions(disabled=("cage",))
    async with a_room(tmp_path, script, POOL, options=options) as live:
        sent = await live.say(ANA, "@Cage @Eno")
        assert sent.unknown == ("Cage",)
        assert await said(live) == [("Ana", "@Cage @Eno"), ("Eno", "@Cage knows.")]


async def test_an_empty_house_says_nothing(tmp_path: Path) -> None:
    async with a_room(tmp_path, Script({}), (), routes=Routes()) as live:
        await live.say(ANA, "hello")
        assert await said(live) == [("Ana", "hello")]


async def test_a_moderator_names_who_speaks(tmp_path: Path) -> None:
    async def wording(task: str, text: str) -> str:
        return "**Oram**.\nBecause." if task == "moderate" else ""

    script = Script({"oram": "Yes."})
    options = RoomOptions(strategy="moderated")
    pool: tuple[Participant, ...] = POOL
    async with a_room(tmp_path, script, pool, options=options, wording=wording) as live:
        await live.say(ANA, "who knows?")
        assert (await said(live))[-1][0] == "Oram"
