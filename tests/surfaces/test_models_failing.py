"""A model that refuses, breaks off, falls silent or is stopped, seen from both surfaces.

Public report R12: a failure of the provider was an empty reply, and its reason only in a log. Each
failure here must be told by a short sentence of its own with a correlation id, a non-zero exit of
the command line, and no answer. Public report R11: stopping stopped only the display. Each way to
stop must close the connection to the model, at once.
Both are tried by the command line and by POST /api/query; the web page, the OpenAI-compatible
route and Discord come later.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from salon.testing.model_server import (
    ANSWERS,
    CUT,
    EMPTY,
    FAILS,
    HANGS,
    LIMITED,
    SLOW,
    UNAUTHORISED,
    UNFINISHED,
    Behaviour,
    ModelServer,
)
from tests.surfaces.conftest import Server, StartServer
from tests.surfaces.running import PATIENCE, SALON, environment, heed_ctrl_c, salon
from tests.surfaces.test_http_query import events

pytestmark = pytest.mark.models

QUERY = {"persona": "maren", "question": "How long does bread made with salt water keep?"}
FAILURES = {
    "401": (UNAUTHORISED, "refused the access (401)"),
    "429": (LIMITED, "is refusing more requests for now (429)"),
    "500": (FAILS, "failed on its side (500)"),
    "timeout": (HANGS, "sent nothing for 2 s"),
    "empty": (EMPTY, "wrote nothing"),
    "cut": (CUT, "broke off in the middle"),
    "unfinished": (UNFINISHED, "broke off in the middle"),
}
"""What the model's server does, and the words in which a reader is told of it."""

WORDS_A_SECOND = round(1 / SLOW.delay)


def settings(model: ModelServer) -> dict[str, str]:
    return {
        "SALON_MODELS_CHAT": "http:test",
        "SALON_BACKENDS_HTTP_URL": model.openai_url,
        "SALON_BACKENDS_HTTP_TIMEOUT": "2",
    }


def wait_until(happened: Callable[[], Any]) -> bool:
    """Whether it happens before patience ends."""
    end = time.monotonic() + PATIENCE / 10
    while not happened():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def hung_up(model: ModelServer, words: int) -> bool:
    """Whether the model's connection is closed before it has sent a second's words more.

    Counted from `words`, by the pace of the model and not by a clock of the test.
    """
    return wait_until(lambda: model.disconnects) and model.words <= words + WORDS_A_SECOND


def stream(server: Server) -> tuple[httpx.Response, list[tuple[str, Any]]]:
    address = f"{server.address}/api/query"
    with httpx.stream("POST", address, json={**QUERY, "stream": True}, timeout=60) as response:
        return response, list(events(response.iter_lines()))


@pytest.mark.parametrize("failure", FAILURES)
def test_http_says_what_the_model_s_server_said(
    built: Path, start_server: StartServer, failure: str
) -> None:
    """Public report R12 by POST /api/query, plain and streamed."""
    behaviour, words = FAILURES[failure]
    with ModelServer(behaviour) as model:
        server = start_server(built, **settings(model))
        plain = httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60)
        streamed, happened = stream(server)
        model.behave(ANSWERS)
        after = httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60)
    assert plain.status_code == 503
    body = plain.json()
    assert set(body) == {"error", "correlation_id"}
    assert body["error"]["code"] == "model_unavailable"
    assert words in body["error"]["message"]
    assert body["error"]["cure"]
    assert body["correlation_id"] == plain.headers["X-Correlation-ID"]
    assert plain.headers.get("Retry-After") == ("20" if failure == "429" else None)
    name, last = happened[-1]
    assert name == "error"
    assert words in last["error"]["message"]
    assert last["correlation_id"] == streamed.headers["X-Correlation-ID"]
    assert "answer" not in [name for name, _ in happened]
    assert after.status_code == 200


@pytest.mark.parametrize("failure", FAILURES)
def test_the_command_line_says_so_and_fails(
    built: Path, tmp_path: Path, models_dir: Path, failure: str
) -> None:
    """Public report R12 by `salon ask`."""
    behaviour, words = FAILURES[failure]
    with ModelServer(behaviour) as model:
        done = salon(
            "--house", built, "ask", "maren", QUERY["question"],
            home=tmp_path, models=models_dir, **settings(model),
        )  # fmt: skip
    assert done.returncode == 6
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert words in done.stderr
    assert re.search(r"^Correlation id: mare-[0-9a-f]{6}$", done.stderr, re.M)
    assert done.stderr.count("\n") <= 4
    assert "Traceback" not in done.stderr


def test_a_failed_reply_is_no_part_of_the_conversation(
    built: Path, tmp_path: Path, models_dir: Path
) -> None:
    """Public report R12 by `salon chat`: the next question is asked as if this one was not."""
    with ModelServer(CUT, Behaviour(text="Nine days [1].")) as model:
        done = salon(
            "--house", built, "chat", "maren",
            home=tmp_path, models=models_dir, **settings(model),
            stdin=f"What did the goat hear?\n{QUERY['question']}\n/quit\n",
        )  # fmt: skip
    assert done.returncode == 6
    assert "broke off in the middle" in done.stderr
    assert done.stdout.count("Score") == 1
    assert "1847" in CUT.text
    assert "1847" not in done.stdout
    sent = model.requests[-1].body["messages"]
    assert not any("What did the goat hear?" in message["content"] for message in sent)


def test_a_model_s_stream_ends_with_what_the_plain_answer_says(
    built: Path, start_server: StartServer
) -> None:
    """Public report R03, when a model writes."""
    reply = Behaviour(text="Salt water makes a bread that keeps for nine days [1].")
    with ModelServer(reply) as model:
        server = start_server(built, **settings(model))
        plain = httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60).json()
        _, happened = stream(server)
    tokens = "".join(data["text"] for name, data in happened if name == "token")
    assert "nine days" in tokens
    last = happened[-1][1]
    same = ("answer", "sources", "rag_confidence", "rag_grounded", "citations")
    assert {name: last[name] for name in same} == {name: plain[name] for name in same}
    assert plain["sources"] == ["log.txt"]
    assert plain["model"] == "http:test"


@pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])
def test_a_client_that_leaves_stops_the_model(
    built: Path, start_server: StartServer, streamed: bool
) -> None:
    """Public report R11: a tab or client that is closed; the next question need not wait."""
    with ModelServer(SLOW) as model:
        server = start_server(built, **settings(model))
        body = {**QUERY, "stream": streamed}
        with httpx.Client(timeout=60) as client:
            request = client.build_request("POST", f"{server.address}/api/query", json=body)
            if streamed:
                response = client.send(request, stream=True)
                lines = response.iter_lines()
                assert any(line.startswith("event: token") for line in lines)
                words = model.words
                response.close()
            else:
                words = _leave_once_asked(server, body, model)
        assert hung_up(model, words)
        model.behave(ANSWERS)
        after = httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60)
        assert after.status_code == 200


def _leave_once_asked(server: Server, body: dict[str, Any], model: ModelServer) -> int:
    """Sends a request by hand, and hangs up when the model writes: after how many words."""
    host, port = server.address.removeprefix("http://").split(":")
    content = json.dumps(body).encode()
    head = (
        f"POST /api/query HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + content)
        assert wait_until(lambda: model.words)
        return model.words


def test_more_answers_than_allowed_are_refused_with_a_time(
    built: Path, start_server: StartServer
) -> None:
    with ModelServer(SLOW) as model:
        server = start_server(built, SALON_LIMITS_ACTIVE_ANSWERS="1", **settings(model))
        address = f"{server.address}/api/query"
        body = {**QUERY, "stream": True}
        with httpx.stream("POST", address, json=body, timeout=60) as first:
            assert first.status_code == 200
            second = httpx.post(address, json=QUERY, timeout=60)
        assert second.status_code == 503
        assert second.json()["error"]["code"] == "busy"
        assert int(second.headers["Retry-After"]) > 0


def test_an_answer_that_takes_too_long_is_given_up(built: Path, start_server: StartServer) -> None:
    with ModelServer(ANSWERS, SLOW) as model:
        server = start_server(built, SALON_LIMITS_ANSWER_SECONDS="8", **settings(model))
        first = httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60)
        assert first.status_code == 200
        late = httpx.post(f"{server.address}/api/query", json=QUERY, timeout=60)
        assert late.status_code == 503
        assert "limits.answer_seconds" in late.json()["error"]["cure"]
        assert wait_until(lambda: model.disconnects)


def test_ctrl_c_ends_a_server_and_the_model_behind_it(
    built: Path, start_server: StartServer
) -> None:
    with ModelServer(SLOW) as model:
        server = start_server(built, **settings(model))
        address = f"{server.address}/api/query"
        with httpx.stream("POST", address, json={**QUERY, "stream": True}, timeout=60) as answer:
            assert any(line.startswith("event: token") for line in answer.iter_lines())
            words = model.words
            assert server.stop() == 0
        assert hung_up(model, words)
    assert "Traceback" not in server.log.read_text()


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, home: Path, *arguments: str, **more: str) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [SALON, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=home,
            env=environment(home, TERM="xterm-256color", **more),
            preexec_fn=heed_ctrl_c,
            start_new_session=True,
        )
        os.close(theirs)
        self._ahead = b""

    def type(self, line: str) -> None:
        os.write(self._ours, line.encode() + b"\n")

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def until(self, wanted: bytes) -> bytes:
        """What is shown up to `wanted`, or to the end of the program when that comes first."""
        shown = self._ahead
        while wanted not in shown:
            readable, _, _ = select.select([self._ours], [], [], PATIENCE)
            assert readable, shown
            try:
                piece = os.read(self._ours, 65536)
            except OSError:  # the program has ended
                return shown
            shown += piece
        end = shown.index(wanted) + len(wanted)
        self._ahead = shown[end:]
        return shown[:end]

    def rest(self) -> bytes:
        return self.until(b"no program shows this")


def test_ctrl_c_stops_the_model_and_keeps_what_was_written(
    built: Path, tmp_path: Path, models_dir: Path
) -> None:
    """Public report R11: Ctrl-C; what was written stays, marked as stopped."""
    with ModelServer(SLOW) as model:
        terminal = Terminal(
            tmp_path, "--house", str(built), "ask", "maren", QUERY["question"],
            SALON_MODELS=str(models_dir), **settings(model),
        )  # fmt: skip
        terminal.until(b"and then and then")
        words = model.words
        terminal.interrupt()
        rest = terminal.rest()
        assert terminal.process.wait(PATIENCE) == 130
        assert hung_up(model, words)
    assert b"and then and then" in rest
    assert b"[stopped" in rest
    assert b"Traceback" not in rest


def test_ctrl_c_in_a_conversation_stops_the_answer_and_not_the_conversation(
    built: Path, tmp_path: Path, models_dir: Path
) -> None:
    with ModelServer(SLOW) as model:
        terminal = Terminal(
            tmp_path, "--house", str(built), "chat", "maren",
            SALON_MODELS=str(models_dir), **settings(model),
        )  # fmt: skip
        terminal.until(b"> ")
        terminal.type("How long does bread keep?")
        terminal.until(b"and then and then")
        words = model.words
        terminal.interrupt()
        assert b"and then and then" in terminal.until(b"[stopped")
        assert hung_up(model, words)
        model.behave(Behaviour(text="Nine days [1]."))
        terminal.until(b"> ")
        terminal.type("And on the tenth?")
        terminal.until(b"Score")
        terminal.until(b"> ")
        terminal.type("/quit")
        terminal.rest()
        assert terminal.process.wait(PATIENCE) == 0
