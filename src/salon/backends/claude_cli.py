"""Claude through the Claude Code command line that a person has installed and logged in to.

Each request runs `claude -p` in an empty folder, without tools, MCP servers or settings of the
user: the prompt holds other people's texts, and nothing in them may be acted on. The program
reports in lines of JSON; text comes in `stream_event` lines, the verdict in the `result` line.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, Literal

from salon.backends.refusals import (
    broke_off,
    json_text,
    number,
    refused,
    too_slow,
    wrote_nothing,
)
from salon.errors import ModelUnavailable
from salon.ports import BackendContext, Registry
from salon.types import ChatDelta, ChatRequest, ModelCard, Usage

_DEFAULT_MODEL = "sonnet"
_COMMAND = "claude"
_TIMEOUT = 180.0  # between two lines; the program starts slowly and may wait for its service
_LINE_BYTES = 1 << 24
_STDERR_CHARACTERS = 300
_ROLES = {"user": "User", "assistant": "You"}


def register(registry: Registry) -> None:
    registry.chat(
        "claude-cli",
        _claude,
        "Claude by the installed Claude Code (`claude -p`): install it and log in by `claude`",
        ("command", "timeout", "evidence_tokens"),
    )


def _claude(model: str, context: BackendContext) -> ClaudeCli:
    return ClaudeCli(model or _DEFAULT_MODEL, context.options)


class ClaudeCli:
    """`model` is an alias (sonnet, haiku) or a full name; the program sets the temperature."""

    def __init__(self, model: str, options: Mapping[str, str]) -> None:
        self._model = model
        self._command = options.get("command", _COMMAND)
        self._timeout = number(options, "claude-cli", "timeout", _TIMEOUT, 0.1)
        self._card = ModelCard(
            f"claude-cli:{model}",
            context_tokens=200_000,
            evidence_tokens=int(number(options, "claude-cli", "evidence_tokens", 9_000, 256)),
        )
        self._who = f"Claude Code ({model})"

    @property
    def card(self) -> ModelCard:
        return self._card

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        reply = _Reply(self._who)
        held = "" if request.schema is not None else None
        async with aclosing(self._lines(request)) as lines:
            async for line in lines:
                text = reply.take(line)
                if text and held is None:
                    yield ChatDelta(text=text)
                elif held is not None:
                    held += text
                if reply.ended:
                    break
        finish, usage = reply.end()
        if held is not None:
            yield ChatDelta(text=self._json(held))
        yield ChatDelta(finish=finish, usage=usage)

    async def close(self) -> None:
        """Nothing is kept between requests."""

    def _json(self, text: str) -> str:
        found = json_text(text)
        if found is None:
            raise ModelUnavailable(
                f"{self._who} did not answer in the form that was asked for",
                expected="JSON",
                cure="ask again",
            )
        return found

    async def _lines(self, request: ChatRequest) -> AsyncGenerator[Mapping[str, Any], None]:
        """The program's lines; when it ends badly without a verdict, ModelUnavailable."""
        system, prompt = _prompt(request)
        async with self._running(system) as process:
            assert process.stdin is not None and process.stdout is not None
            writing = asyncio.create_task(_write(process.stdin, prompt))
            try:
                while line := await self._line(process.stdout):
                    if parsed := _parsed(line):
                        yield parsed
                await self._exit(process)
            finally:
                writing.cancel()

    async def _line(self, stdout: asyncio.StreamReader) -> bytes:
        try:
            async with asyncio.timeout(self._timeout):
                return await stdout.readline()
        except TimeoutError:
            raise too_slow(self._who, self._timeout) from None

    async def _exit(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        complaint = (await process.stderr.read()).decode(errors="replace").strip()
        code = await process.wait()
        if code:
            raise ModelUnavailable(
                f"{self._who} stopped with exit code {code}: {complaint[-_STDERR_CHARACTERS:]}",
                cure="run `claude -p hello` in a terminal to see whether it works and is logged in",
            )

    @asynccontextmanager
    async def _running(self, system: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """The program, in a group of its own that does not outlive the block."""
        command = shutil.which(self._command)
        if command is None:
            raise ModelUnavailable(
                f"there is no program '{self._command}' on this machine",
                expected="Claude Code, installed and logged in",
                cure="install it, or set the option 'command' of [backends.claude-cli] to its path",
            )
        with tempfile.TemporaryDirectory(prefix="salon-") as empty:
            try:
                process = await asyncio.create_subprocess_exec(
                    command,
                    *_arguments(self._model, system),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    cwd=empty,
                    start_new_session=True,
                    limit=_LINE_BYTES,
                )
            except OSError as problem:
                raise ModelUnavailable(
                    f"{command} cannot be run: {problem.strerror or problem}",
                    expected="a program",
                    cure="install Claude Code again",
                ) from problem
            try:
                yield process
            finally:
                _kill(process)
                await asyncio.shield(process.wait())


def _arguments(model: str, system: str) -> Sequence[str]:
    return (
        *("-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"),
        *("--model", model, "--system-prompt", system),
        *("--tools", "", "--strict-mcp-config", "--setting-sources", ""),
    )


def _prompt(request: ChatRequest) -> tuple[str, str]:
    """System prompt and input. A conversation is written out, since the program takes one text."""
    system = [m.content for m in request.messages if m.role == "system"]
    if request.schema is not None:
        system.append(
            "Answer with JSON alone, without a code fence, that satisfies this JSON schema:\n"
            + json.dumps(request.schema, ensure_ascii=False)
        )
    thread = [m for m in request.messages if m.role != "system"]
    if len(thread) == 1:
        return "\n\n".join(system), thread[0].content
    turns = [f"{_ROLES[m.role]}: {m.content}" for m in thread]
    return "\n\n".join(system), "\n\n".join(turns)


async def _write(stdin: asyncio.StreamWriter, prompt: str) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # its exit code says why it ended
        stdin.write(prompt.encode())
        await stdin.drain()
        stdin.close()


def _parsed(line: bytes) -> Mapping[str, Any]:
    """A line of JSON; what is not one (a notice of the program) says nothing to us."""
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _kill(process: asyncio.subprocess.Process) -> None:
    """Ends the program and what it started, which may outlive it."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()


class _Reply:
    """Reads the lines of one run: `take` returns new text, `end` the finish or the error."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._written = ""
        self._stop_reason = ""
        self._result: Mapping[str, Any] | None = None

    @property
    def ended(self) -> bool:
        return self._result is not None

    def take(self, line: Mapping[str, Any]) -> str:
        text = ""
        match line.get("type"):
            case "stream_event":
                text = self._event(line.get("event", {}))
            case "assistant":
                text = self._message(line.get("message", {}))
            case "result":
                self._result = line
                if not self._written and not line.get("is_error"):
                    text = str(line.get("result") or "")
        self._written += text
        return text

    def _event(self, event: Mapping[str, Any]) -> str:
        delta = event.get("delta", {})
        if event.get("type") == "content_block_delta" and delta.get("type") == "text_delta":
            return str(delta.get("text", ""))
        if event.get("type") == "message_delta":
            self._stop_reason = str(delta.get("stop_reason") or self._stop_reason)
        return ""

    def _message(self, message: Mapping[str, Any]) -> str:
        """A whole message repeats its deltas; it counts where a version sends no deltas."""
        self._stop_reason = str(message.get("stop_reason") or self._stop_reason)
        if self._written:
            return ""
        blocks = message.get("content") or ()
        return "".join(str(b.get("text", "")) for b in blocks if b.get("type") == "text")

    def end(self) -> tuple[Literal["stop", "length"], Usage]:
        if self._result is None:
            raise broke_off(self._who) if self._written else wrote_nothing(self._who)
        if self._result.get("is_error") or self._result.get("subtype", "success") != "success":
            raise self._error(self._result)
        if not self._written.strip():
            raise wrote_nothing(self._who)
        usage = self._result.get("usage") or {}
        read = sum(
            int(usage.get(name) or 0)
            for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        )
        finish: Literal["stop", "length"] = (
            "length" if self._stop_reason == "max_tokens" else "stop"
        )
        return finish, Usage(read, int(usage.get("output_tokens") or 0))

    def _error(self, result: Mapping[str, Any]) -> ModelUnavailable:
        detail = str(result.get("result") or result.get("subtype") or "no reason given")
        status = result.get("api_error_status")
        if isinstance(status, int):
            return refused(self._who, status, detail)
        return ModelUnavailable(
            f"{self._who} reports an error: {detail[:_STDERR_CHARACTERS]}",
            cure="run `claude` in a terminal to see whether it works and is logged in",
        )
