"""The web socket with a client of another make, over a real server that is stopped and started."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import websockets
from jsonschema import Draft202012Validator
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from salon.surfaces.ws import asyncapi, frames
from tests.surfaces.conftest import SECRET, Server, StartServer

PATIENCE = 60


class Client:
    """Keeps every frame, each checked against the protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.frames: list[dict[str, Any]] = []

    async def send(self, kind: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": kind, **fields}))

    async def until(self, wanted: str | Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            while True:
                frame = json.loads(await self.socket.recv())
                Draft202012Validator(frames.OUTBOUND[frame["type"]]).validate(frame)
                self.frames.append(frame)
                if frame["type"] == wanted or (callable(wanted) and wanted(frame)):
                    return frame

    def seqs(self) -> list[int]:
        return [frame["seq"] for frame in self.frames if frame["type"] == "message"]


def url(server: Server, query: str = "") -> str:
    return server.address.replace("http", "ws") + "/ws" + query


async def enter(
    socket: ClientConnection, nick: str | None, room: str = "#salon", **join: Any
) -> tuple[Client, dict[str, Any]]:
    client = Client(socket)
    await client.send("hello", nick=nick)
    welcome = await client.until("welcome")
    if nick and welcome["role"] == "guest":
        return client, welcome
    await client.send("join", room=room, **join)
    await client.until("joined")
    return client, welcome


def line(number: int) -> str:
    """A message; one in twenty is answered."""
    return f"line {number}" + (" @maren" if number % 20 == 0 else "")


@pytest.fixture
def serve(start_server: StartServer, house: Path) -> Callable[..., Server]:
    return lambda *a, **more: start_server(house, *a, SALON_MODELS_CHAT="none", **more)


async def test_a_question_is_acknowledged_answered_and_seen_by_others(
    serve: Callable[..., Server],
) -> None:
    server = serve()
    async with connect(url(server)) as one, connect(url(server)) as two:
        ana, _ = await enter(one, "Ana")
        ben, _ = await enter(two, "Ben")
        await ana.send("message", room="#salon", text="@maren how do you trim a lamp?", id="a1")
        ack = await ana.until("ack")
        assert ack == {"type": "ack", "id": "a1", "room": "salon", "seq": 1, "unknown": []}
        reply = await ben.until(lambda f: f["type"] == "message" and f["seq"] == 2)
        assert reply["speaker"]["id"] == "maren"
        assert 0 <= reply["answer"]["rag_confidence"] <= 1
        assert isinstance(reply["answer"]["citations"], list)
        end = await ben.until("end")
        assert (end["status"], end["seq"]) == ("done", 2)
        kinds = [frame["type"] for frame in ben.frames]
        assert kinds.index("turn") < kinds.index("token") < kinds.index("end")


async def test_two_hundred_messages_through_restarts_none_lost_none_doubled(
    serve: Callable[..., Server],
) -> None:
    server = serve(SALON_ROOMS_MESSAGES="1000")
    port = server.address.rsplit(":", 1)[1]
    token, last, heard = None, 0, []
    for part in range(4):
        if part:
            server.stop()
            server = serve("--port", port, SALON_ROOMS_MESSAGES="1000")
        async with connect(url(server)) as socket:
            client = Client(socket)
            await client.send("hello", nick="Ana", token=token)
            token = (await client.until("welcome"))["token"]
            await client.send("join", room="#salon", after=last)
            await client.until("joined")
            if not part:
                await client.send("command", room="#salon", text="/strategy manual")
            first = part * 50 - (1 if part else 0)  # one is sent again after each restart
            for number in range(first, part * 50 + 50):
                await client.send("message", room="#salon", text=line(number), id=f"m{number}")
            await client.until(
                lambda f, n=part * 50 + 49: f.get("id") == f"m{n}" and f["type"] == "ack"
            )
            await client.send("ping")
            await client.until("pong")
            new = client.seqs()
            assert all(seq > last for seq in new)
            heard += [f for f in client.frames if f["type"] == "message"]
            last = max(new)
    async with connect(url(server)) as socket:
        ben, _ = await enter(socket, "Ben", after=last)
        await ben.send("history", room="#salon", before=10**9, limit=1)
        await ben.until("history")
        assert [seq for seq in ben.seqs() if seq <= last] == []
    people = [f["text"] for f in heard if f["speaker"]["kind"] == "person"]
    assert people == [line(number) for number in range(200)]
    assert len(heard) > 200  # some were answered
    assert [f["seq"] for f in heard] == list(range(1, len(heard) + 1))


async def test_nobody_takes_the_name_of_a_persona_or_of_another(
    serve: Callable[..., Server],
) -> None:
    server = serve(SALON_ROOMS_BANNED="Troll, Spam")
    async with connect(url(server)) as one, connect(url(server)) as two:
        _, welcome = await enter(one, "Ana")
        assert welcome["you"]["nick"] == "Ana"
        for nick in ("Maren", "mаren", "MAREN_", "陶工", "ANA", "Аnа", "A n a", "x", "sys tem"):
            other = Client(two)
            await other.send("hello", nick=nick)
            error = await other.until("error")
            assert error["code"] in ("nick", "input"), nick
            assert other.frames[0].get("role", "guest") == "guest"
        await other.send("message", room="#salon", text="hi", id="1")
        assert "guest" in (await other.until("error"))["message"]
        await other.send("hello", nick="tr0ll")
        with pytest.raises(ConnectionClosed) as closed:
            await other.until("pong")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4003


async def test_frames_that_are_none_are_told_and_the_socket_stays(
    serve: Callable[..., Server],
) -> None:
    server = serve()
    async with connect(url(server, "?nick=Ana")) as socket:
        client = Client(socket)
        await client.until("personas")
        for text in (
            *("not json", "[]", "null", '{"type": 1}', '{"type": "nothing"}', "[" * 5000),
            *('{"type": "join"}', '{"type": "join", "room": "#!"}', '{"type": "ping", "x": 1}'),
        ):
            await socket.send(text)
            assert (await client.until("error"))["code"] == "input", text
        await socket.send(b"\xff\xfe")
        await client.until("error")
        await client.send("join", room="#a1")
        await client.until("joined")
        for text in ("x" * 8_193, " ", "\0"):
            await client.send("message", room="#a1", text=text, id="1")
            assert (await client.until("error"))["id"] == "1"
        await client.send("ping")
        await client.until("pong")


async def test_commands_have_roles_and_languages(serve: Callable[..., Server]) -> None:
    server = serve(SALON_ROOMS_ADMIN_SECRET=SECRET)
    async with connect(url(server)) as one, connect(url(server)) as two:
        ana, _ = await enter(one, "Ana")
        await ana.send("command", room="#salon", text="/responders 3")
        assert (await ana.until("error"))["code"] == "denied"
        boss = Client(two)
        await boss.send("hello", nick="Boss", admin=SECRET, language="fr")
        assert (await boss.until("welcome"))["role"] == "admin"
        await boss.send("join", room="#salon")
        await boss.until("joined")
        await boss.send("command", room="#salon", text="/responders 3")
        changed = await ana.until("room")
        assert (changed["options"]["responders"], changed["by"]) == (3, "Boss")
        await boss.send("command", text="/help")
        assert "qui est ici" in (await boss.until("system"))["text"]
        await ana.send("command", text="/help")
        helped = (await ana.until("system"))["text"]
        assert "/nick NAME" in helped
        assert "/ban" not in helped
        for line, said in {
            "/join lounge": "#",
            "/unknown": "unknown",
            "/web cats": "unavailable",
            "/nick ben ": None,
            "/join #café": None,
            "/export": None,
            "/who": None,
        }.items():
            await ana.send("command", room="#salon", text=line)
            if said is not None:
                assert said in (await ana.until("error"))["message"], line
        await ana.until(lambda f: f["type"] == "you" and f["you"]["nick"] == "ben")
        assert (await ana.until("joined"))["room"] == "café"


async def test_limits_of_messages_and_connections(serve: Callable[..., Server]) -> None:
    server = serve(SALON_ROOMS_CONNECTIONS="5")
    sockets = [await connect(url(server)) for _ in range(5)]
    client, _ = await enter(sockets[0], "Ana")
    for number in range(16):
        await client.send("message", room="#salon", text="@nobody hi", id=f"m{number}")
    assert (await client.until("error"))["id"] == "m15"
    sixth = await connect(url(server))
    with pytest.raises(websockets.ConnectionClosed) as closed:
        await sixth.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4029
    for socket in sockets[1:]:
        await socket.close()
    async with connect(url(server)) as again:
        await enter(again, "Ben")
    await sockets[0].close()


async def test_other_pages_and_wrong_secrets_stay_out(serve: Callable[..., Server]) -> None:
    server = serve(SALON_SERVER_SECRET=SECRET)
    with pytest.raises(websockets.InvalidStatus):
        async with connect(url(server), origin="https://evil.test"):
            pass
    async with connect(url(server)) as socket:
        client = Client(socket)
        await client.send("hello", nick="Ana", secret="wrong")
        with pytest.raises(ConnectionClosed):
            await client.until("welcome")
    async with connect(url(server)) as socket:
        client = Client(socket)
        await client.send("hello", nick="Ana", secret=SECRET)
        assert (await client.until("welcome"))["role"] == "admin"


def test_the_published_protocol_is_that_of_the_code() -> None:
    published = Path(__file__).parents[2] / "docs" / "schema" / "asyncapi.yaml"
    assert published.read_text(encoding="utf-8") == asyncapi.text()
