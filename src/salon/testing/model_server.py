"""A small model server on a loopback port that speaks OpenAI's and Anthropic's wire formats.

It answers as it is told, well or badly, and writes down what it was asked and when a client hung
up. It is a real server for real clients: backends, the command line and browsers can be pointed at
it.

    with ModelServer(CUT) as server:
        ... server.openai_url ... server.requests ... server.disconnects
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from salon.testing.fakes import HashEmbedder

TEXT = "The lamp was lit in 1847 [1]."
DIMENSIONS = 16


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One answer. Words of `text` are sent one by one, `delay` seconds apart, and then comes `end`.

    "whole" ends with a finish reason; "quiet" ends the response without one; "cut" drops the
    connection; "hang" sends nothing more. Of a status that is not 200 nothing is streamed.
    `vectors` says how embeddings are wrong: "long" are not of length 1, "short" lack a dimension.
    """

    status: int = 200
    retry_after: str = ""
    text: str = TEXT
    delay: float = 0.0
    end: Literal["whole", "quiet", "cut", "hang"] = "whole"
    finish: Literal["stop", "length", "content_filter"] = "stop"
    vectors: Literal["unit", "long", "short", "zero", "nan", "missing"] = "unit"


ANSWERS = Behaviour()
UNAUTHORISED = Behaviour(status=401)
LIMITED = Behaviour(status=429, retry_after="20")
FAILS = Behaviour(status=500)
HANGS = Behaviour(text="", end="hang")
EMPTY = Behaviour(text="")
SILENT = Behaviour(text="", end="quiet")
CUT = Behaviour(end="cut")
UNFINISHED = Behaviour(end="quiet")
SLOW = Behaviour(text="and then " * 60, delay=0.2)

_MESSAGES = {401: "the key is not valid", 429: "too many requests", 500: "something broke"}


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came: path, headers in lower case, and the JSON of its body."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ModelServer:
    """Behaviours are used up one request at a time; the last one stays.

    `disconnects` has the `time.monotonic()` of each hang-up before the end of an answer; `words`
    counts all that were sent.
    """

    def __init__(self, *behaviours: Behaviour) -> None:
        self._behaviours = list(behaviours or (ANSWERS,))
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self.requests: list[Received] = []
        self.disconnects: list[float] = []
        self.words = 0
        handler = type("BoundExchange", (_Exchange,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        """Base address; Anthropic clients take it as it is."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    def behave(self, *behaviours: Behaviour) -> None:
        """Answers like this from now on."""
        with self._lock:
            self._behaviours = list(behaviours)

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, received: Received) -> Behaviour:
        """Notes the request and says how to answer it."""
        with self._lock:
            self.requests.append(received)
            return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]

    def wait(self, connection: socket.socket, seconds: float) -> bool:
        """Lets time pass; false, and noted, as soon as the client has hung up."""
        until = time.monotonic() + seconds
        while True:
            left = max(0.0, until - time.monotonic())
            readable, _, _ = select.select([connection], [], [], min(left, 0.05))
            if readable and not connection.recv(1, socket.MSG_PEEK):
                self.disconnects.append(time.monotonic())
                return False
            if left == 0 or self._stopping.is_set():
                return not self._stopping.is_set()


class _Exchange(BaseHTTPRequestHandler):
    model: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the requests are kept, not printed."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        headers = {name.lower(): value for name, value in self.headers.items()}
        behaviour = self.model.take(Received(self.path, headers, body))
        answer = self._routes().get(self.path)
        if answer is None:
            behaviour = replace(behaviour, status=404)
        if answer is None or behaviour.status != 200:
            return self._refuse(behaviour)
        try:
            answer(behaviour, body)
        except (BrokenPipeError, ConnectionResetError):
            self.model.disconnects.append(time.monotonic())
            self.close_connection = True

    def _routes(self) -> Mapping[str, Callable[[Behaviour, Mapping[str, Any]], None]]:
        return {
            "/v1/chat/completions": self._openai,
            "/v1/messages": self._anthropic,
            "/v1/embeddings": self._embeddings,
        }

    def _refuse(self, behaviour: Behaviour) -> None:
        message = _MESSAGES.get(behaviour.status, "this cannot be done")
        error = {"message": message, "type": "error"}
        extra = {"Retry-After": behaviour.retry_after} if behaviour.retry_after else {}
        self._json({"type": "error", "error": error}, behaviour.status, extra)

    def _openai(self, behaviour: Behaviour, body: Mapping[str, Any]) -> None:
        def chunk(delta: Mapping[str, Any], finish: str | None = None) -> str:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return _data(_chunk_of(body) | {"choices": [choice]})

        self._events(
            behaviour,
            start=[chunk({"role": "assistant", "content": ""})],
            word=lambda text: chunk({"content": text}),
            end=[chunk({}, behaviour.finish), _data(_openai_usage(behaviour, body)), _DONE],
        )

    def _anthropic(self, behaviour: Behaviour, body: Mapping[str, Any]) -> None:
        reasons = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
        usage = {"input_tokens": _count(body), "output_tokens": 1}
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": body["model"],
            "stop_reason": None,
            "usage": usage,
        }
        empty_block = {"type": "text", "text": ""}
        self._events(
            behaviour,
            start=[
                _event("message_start", message=message),
                _event("content_block_start", index=0, content_block=empty_block),
            ],
            word=lambda text: _event(
                "content_block_delta", index=0, delta={"type": "text_delta", "text": text}
            ),
            end=[
                _event("content_block_stop", index=0),
                _event(
                    "message_delta",
                    delta={"stop_reason": reasons[behaviour.finish], "stop_sequence": None},
                    usage={"output_tokens": len(behaviour.text.split())},
                ),
                _event("message_stop"),
            ],
        )

    def _events(
        self,
        behaviour: Behaviour,
        *,
        start: Sequence[str],
        word: Callable[[str], str],
        end: Sequence[str],
    ) -> None:
        """Sends a stream of events; the connection is closed after it."""
        self.close_connection = True
        if behaviour.end == "hang" and not behaviour.text:
            self.model.wait(self.connection, 3600)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if behaviour.text or behaviour.end == "whole":
            self._send(start)
        for text in _words(behaviour.text):
            self._send([word(text)])
            self.model.words += 1
            if not self.model.wait(self.connection, behaviour.delay):
                return
        if behaviour.end == "hang":
            self.model.wait(self.connection, 3600)
        elif behaviour.end != "cut":
            self._send(end if behaviour.end == "whole" else ())
            self.wfile.write(b"0\r\n\r\n")

    def _embeddings(self, behaviour: Behaviour, body: Mapping[str, Any]) -> None:
        if behaviour.end == "hang":
            self.model.wait(self.connection, 3600)
            self.close_connection = True
            return
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        embedder = HashEmbedder(dimensions=DIMENSIONS, window=100_000)
        rows = [_spoiled(row.tolist(), behaviour) for row in embedder.embed(texts)]
        if behaviour.vectors == "missing":
            rows = rows[:-1]
        # In no particular order, as the format allows: the index says which text a row is for.
        data = [
            {"object": "embedding", "index": index, "embedding": row}
            for index, row in reversed(list(enumerate(rows)))
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._json({"object": "list", "model": body["model"], "data": data, "usage": usage}, 200)

    def _json(self, value: object, status: int, extra: Mapping[str, str] | None = None) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, text in (extra or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(content)

    def _send(self, events: Sequence[str]) -> None:
        for event in events:
            data = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()


_DONE = "data: [DONE]\n\n"


def _words(text: str) -> Iterator[str]:
    for number, word in enumerate(text.split(" ")):
        piece = f" {word}" if number else word
        if piece:
            yield piece


def _data(value: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(value)}\n\n"


def _event(kind: str, **fields: object) -> str:
    return f"event: {kind}\n{_data({'type': kind} | fields)}"


def _count(body: Mapping[str, Any]) -> int:
    return sum(len(str(message["content"]).split()) for message in body["messages"])


def _chunk_of(body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": body["model"],
    }


def _openai_usage(behaviour: Behaviour, body: Mapping[str, Any]) -> dict[str, Any]:
    prompt, written = _count(body), len(behaviour.text.split())
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": written,
        "total_tokens": prompt + written,
    }
    return _chunk_of(body) | {"choices": [], "usage": usage}


def _spoiled(row: list[float], behaviour: Behaviour) -> list[float]:
    match behaviour.vectors:
        case "long":
            return [value * 7 for value in row]
        case "short":
            return row[:-1]
        case "zero":
            return [0.0] * len(row)
        case "nan":
            return [float("nan"), *row[1:]]
        case _:
            return row
