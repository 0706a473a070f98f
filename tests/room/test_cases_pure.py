"""The shared cases of routing, chains, cleaning, names and commands, row by row.

Rows that speak of a server, a timer or a model are tested where those are; `ELSEWHERE` says where.
`DIFFERS` lists the rows that we answer otherwise on purpose, and why.
"""

from __future__ import annotations

from typing import Any

import pytest

from salon.answer.clean import ReplyStream, clean
from salon.errors import InputError
from salon.room import chain, intents
from salon.room.commands.parse import DeniedError, parse, resolve
from salon.room.commands.table import COMMANDS, Role
from salon.room.mentions import Directory
from salon.room.names import checked_nick, room_id, valid_room
from salon.room.speakers import Choosing, choose
from salon.rooms_settings import RoomsSettings
from salon.types import RoomOptions
from tests.room.cases import each, name_of, rows, wanted
from tests.room.pack33 import DIRECTORY, ID_OF, NICK_OF, POOL, TABLE, some

ELSEWHERE = {
    "routing": {
        '{"server"': "test_live: one default, from the settings",
        '{"topic_table_lookup"': "routes name ids, and a wrong one is an error: test_routes",
    },
    "chain": {
        '{"script"': "test_live",
        '{"max_depth": 0': "test_live",
        '{"every_reply"': "test_live",
        '{"depth": ">0"}': "test_live: the whole way is run again at each hop",
        '{"depth": ">0", "cooldown_ms"': "there is no cooldown, as there was none in force",
        '{"user_nick"': "test_live",
        '{"memory_label"': "the memory's own tests: it is told who spoke",
    },
    "stream": {
        '{"events": ["(last': "the backends' contract suite: every adapter reads to the end",
        '{"events": ["error': "the backends' contract suite: errors in a stream are raised",
        '{"events": ["delta.reasoning': "adapters yield no thinking",
        '{"transport"': "the backends' contract suite: ModelUnavailable",
        '{"payload_shapes"': "OpenAI's shape; Ollama speaks it too",
        '{"timeout_s"': "limits.answer_seconds and limits.active_answers",
    },
}

DIFFERS = {
    '{"depth": ">0"}': "spec: routing, memory and retrieval run again (row asks for none)",
    '"/join #café"': "spec: room names take letters of any script (row refuses them)",
}


def elsewhere(area: str, row: dict[str, Any]) -> bool:
    return name_of(row).startswith(tuple(ELSEWHERE.get(area, ())))


def pick(text: str, pool: Any = "default33", options: RoomOptions | None = None) -> list[str]:
    members = POOL if pool == "default33" else some(pool)
    wide = options or RoomOptions(responders=5)
    chosen = choose(Choosing(text, members, TABLE, wide), Directory(members))
    return [NICK_OF[identifier] for identifier in chosen.personas]


@each("routing")
def test_routing(row: dict[str, Any]) -> None:
    given = row["input"]
    if elsewhere("routing", row):
        pytest.skip("tested elsewhere")
    if "max_responders" in given:
        options = RoomOptions(responders=given["max_responders"])
        assert len(pick("le son", options=options)) == wanted(row)
    elif "env" in given:
        assert RoomsSettings().responders == RoomOptions().responders == wanted(row)
    elif "/persona-disable" in given:
        left = [member.nick for member in POOL if member.nick != given["/persona-disable"]]
        assert given["/persona-disable"] not in pick(given["text"], left)
    elif "(max_responders=1)" in given["text"]:
        assert pick(given["text"], options=RoomOptions(responders=1)) == ["Eno", "Cage"]
    else:
        assert pick(given["text"], given["pool"]) == wanted(row)


@each("chain")
def test_chain(row: dict[str, Any]) -> None:
    given, want = row["input"], wanted(row)
    if "delay_ms" in given:
        assert RoomsSettings().chain_delay_ms == 500  # the choice: the specification's 500
    elif "quoted_chars" in given:
        assert RoomsSettings().chain_characters == 500
    elif "reply" not in given or elsewhere("chain", row):
        pytest.skip("tested elsewhere")
    else:
        want = {"a@cage.com": None, "@Cage-Eno": "Cage"}.get(given["reply"], want)
        found = chain.next_speaker(given["reply"], ID_OF[given["speaker"]], DIRECTORY, set(NICK_OF))
        assert found == (ID_OF[want] if want else None)


@each("clean")
def test_clean(row: dict[str, Any]) -> None:
    text, nick, want = row["input"]["text"], row["input"]["nick"], wanted(row)
    want = "" if want.startswith("strip it") else want
    assert clean(text, nick) == want


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@each("clean")
def test_clean_over_any_cut(row: dict[str, Any], size: int) -> None:
    text, nick = row["input"]["text"], row["input"]["nick"]
    stream, shown = ReplyStream((nick,)), ""
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    for cleaned in (*map(stream.feed, pieces), stream.finish()):
        shown = cleaned.text if cleaned.restart else shown + cleaned.text
    assert shown.strip() == clean(text, nick)


@each("stream")
def test_stream(row: dict[str, Any]) -> None:
    if elsewhere("stream", row):
        pytest.skip("tested elsewhere")
    stream = ReplyStream(("Bot",))
    cleaned = [*map(stream.feed, row["input"]["events"]), stream.finish()]
    want = wanted(row)
    assert [piece.text for piece in cleaned if piece.text] == want["visible"]
    assert stream.thoughts == "".join(want.get("thinking", ()))


_MESSAGES = {
    "len<40": ("why?",),
    "len>=40 with '?'": ("would you say so of your own life and work?",),
    "len>=40 with explain/why/how/analyse/compare/tell/describe (fr stems)": (
        "please explain to me what you meant by that line",
        "raconte-moi comment tu as appris ce métier",
    ),
    "len>120": ("word " * 25,),
    "len 40..120 plain": ("this is a plain remark of quite some length",),
    "Hi": ("Hi",),
}


@each("think_gate")
def test_think_gate(row: dict[str, Any]) -> None:
    want = row["expected"]
    for message in _MESSAGES[row["input"]["message"]]:
        assert intents.wants_thinking(message) is (want is True)


@each("max_tokens")
def test_max_tokens(row: dict[str, Any]) -> None:
    given = row["input"]
    assert intents.reply_tokens("x" * given["message_len"], given["persona_max"]) == wanted(row)


@each("gen_intent")
def test_gen_intent(row: dict[str, Any]) -> None:
    want, text = wanted(row), row["input"]["text"]
    found = intents.wish(text)
    assert (found.kind or None) == want["type"]
    if want["type"]:
        assert found.prompt == want["prompt"]


@each("slash_parse")
def test_slash_parse(row: dict[str, Any]) -> None:
    text, want = row["input"], row["expected"]
    role = Role.ADMIN if text.endswith(" as admin") else Role.MEMBER
    typed = parse(text.removesuffix(" as admin").removesuffix(" as non-admin"))
    if want is None:
        assert typed is None
    elif "name" in want:
        assert typed is not None
        assert (typed.name, typed.arguments) == (want["name"], want["args"])
    elif want.get("denied"):
        with pytest.raises(DeniedError):
            resolve(typed, role, "en")
    elif "command" in want:
        with pytest.raises(InputError, match="unknown"):
            resolve(typed, role, "en")
    else:
        assert resolve(typed, role, "en").name == "model"


@each("channels")
def test_channels(row: dict[str, Any]) -> None:
    given, want = row["input"], row["expected"]
    if "valid" in given:
        assert valid_room(given["valid"]) is want
    elif "normalise" in given:
        assert room_id(given["normalise"]) == want
    else:
        pytest.skip("history and roles: test_heard; no room for each model: personas have theirs")


_OURS = (
    *("help", "clear", "nick", "who", "personas", "channels", "join", "web", "imagine", "compose"),
    *("status", "models", "context", "memory", "export", "responders", "model", "persona"),
    "reload",
)


def test_every_command_of_the_specification_is_there() -> None:
    assert set(_OURS) <= set(COMMANDS)


_MISUSED = {
    "/nick X": "2-24",
    "/nick A*25": "2-24",
    "/join": "usage",
    "/join #a*30": "2-30",
    "/web": "usage",
    "/imagine": "usage",
    "/compose": "usage",
}


@pytest.mark.parametrize(("line", "said"), _MISUSED.items())
def test_misused_commands_say_what_was_expected(line: str, said: str) -> None:
    typed = parse(line.replace("A*25", "A" * 25).replace("a*30", "a" * 31))
    with pytest.raises(InputError) as caught:
        command = resolve(typed, Role.MEMBER, "en")
        if command.name == "nick":
            checked_nick(typed.arguments)
        else:
            room_id(typed.arguments)
    assert said in str(caught.value)


def test_the_rows_that_differ_are_still_there() -> None:
    """A row that the cases drop or that we come to agree with must leave the list."""
    if not rows("chain"):
        pytest.skip("no shared cases here")
    known = {name_of(row) for area in ("chain", "commands") for row in rows(area)}
    assert set(DIFFERS) <= known
    assert room_id("#café") == "café"
