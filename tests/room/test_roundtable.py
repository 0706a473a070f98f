"""Roundtables: every turn once, through stops and failures; transcripts."""

from __future__ import annotations

import json
from contextlib import aclosing
from pathlib import Path

import pytest

from salon.errors import InputError, ModelUnavailable
from salon.room.roundtable import Plan, held, hold, steps
from salon.room.transcript import as_json, markdown, page
from salon.types import Posted, RoomMessage, Speaker
from tests.room.making import Script, a_room
from tests.room.pack33 import some

POOL = some(["Cage", "Eno", "Oram"])
PLAN = Plan("On silence", ("cage", "eno"), 3)


def test_the_steps_of_a_plan() -> None:
    parts = [(step.part, step.persona) for step in steps(PLAN)]
    assert parts == [
        ("topic", ""),
        ("opening", "cage"),
        ("opening", "eno"),
        ("turn", "cage"),
        ("turn", "eno"),
        ("turn", "cage"),
        ("closing", "cage"),
        ("closing", "eno"),
    ]
    led = steps(Plan("On silence", ("cage", "eno"), 1, moderator="oram"))
    assert [s.persona for s in led] == ["", "oram", "cage", "eno", "cage", "cage", "eno", "oram"]


async def test_it_stops_anywhere_and_goes_on_without_repeating_or_skipping(tmp_path: Path) -> None:
    script = Script({"cage": "I hold silence.", "eno": "I hold sound."})
    async with a_room(tmp_path, script, POOL) as live:
        for _ in range(20):  # stopped in the middle of each turn
            posted = 0
            async with aclosing(hold(live, PLAN)) as events:
                async for event in events:
                    posted += isinstance(event, Posted)
                    if posted and not isinstance(event, Posted):
                        break
        found = await held(live, PLAN)
        assert [message.turn_id for message in found] == [
            f"{PLAN.id}-{number}" for number in range(8)
        ]
        assert len(await live.store.messages("salon")) == 8


async def test_each_turn_answers_the_point_before_and_names_who_made_it(tmp_path: Path) -> None:
    script = Script({"cage": "I hold silence.", "eno": "I hold sound."})
    async with a_room(tmp_path, script, POOL) as live:
        async with aclosing(hold(live, PLAN)) as events:
            async for _ in events:
                pass
        asked = [question for _, question, _ in script.asked]
        assert asked[2].startswith("On “On silence”, Eno said: “I hold sound.”")
        assert "naming Eno" in asked[2]


async def test_a_turn_that_fails_is_not_skipped(tmp_path: Path) -> None:
    failing = ModelUnavailable("away")
    script = Script({"cage": ["One.", failing, "Two."], "eno": "Yes."})
    async with a_room(tmp_path, script, POOL) as live:
        with pytest.raises(ModelUnavailable, match="turn 3 failed: away"):
            async for _ in hold(live, PLAN):
                pass
        async for _ in hold(live, PLAN):
            pass
        assert [m.turn_id for m in await held(live, PLAN)] == [f"{PLAN.id}-{n}" for n in range(8)]


@pytest.mark.parametrize(
    "plan",
    [Plan("x", ("a",)), Plan("x", ("a", "a")), Plan(" ", ("a", "b")), Plan("x", ("a", "b"), 0)],
)
async def test_plans_that_cannot_be_held_are_refused(tmp_path: Path, plan: Plan) -> None:
    async with a_room(tmp_path, Script({}), POOL) as live:
        with pytest.raises(InputError):
            async for _ in hold(live, plan):
                pass


def test_transcripts_have_the_citations_and_are_safe() -> None:
    note = {
        **{"number": 1, "title": "A <b>book</b>", "source": "b.txt", "section": "I", "page": "7"},
        "quote": "so\nit is",
    }
    answer = {"citations": [note], "rag_confidence": 0.8}
    said = RoomMessage(
        *("salon", 1, Speaker("persona", "eno", "<Eno>"), "<script>x</script>", 0), answer=answer
    )
    text = markdown("T", [said])
    assert "> [1] A <b>book</b>, I, p. 7: “so it is”" in text
    html = page("<T>", [said])
    assert "<script>" not in html
    assert "<Eno>" not in html
    assert json.loads(as_json("T", [said]))["messages"][0]["answer"]["citations"] == [note]
