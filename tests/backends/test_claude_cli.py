from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from salon.backends.claude_cli import register
from salon.errors import ModelUnavailable
from salon.plugins import Plugins
from salon.ports import BackendContext, ChatModel
from salon.testing.chat_contract import ASK, LONG, SCHEMA, collect
from salon.testing.contracts import ChatModelContract
from salon.types import ChatRequest, Message

STAND_IN = '''#!{python}
"""Plays the program's part: notes how it was run, then prints the lines of `script`."""
import json, os, pathlib, subprocess, sys, time

here = pathlib.Path(__file__).parent
sent = sys.stdin.read() if not (here / "deaf").exists() else ""
note = dict(arguments=sys.argv[1:], prompt=sent, pid=os.getpid(), files=os.listdir("."))
if (here / "child").exists():
    note["child"] = subprocess.Popen(["sleep", "600"]).pid
(here / "note.json").write_text(json.dumps(note))
for line in (here / "script").read_text().splitlines():
    if line.startswith("sleep "):
        time.sleep(float(line[6:]))
    elif line.startswith("exit "):
        print(line[7:], file=sys.stderr)
        sys.exit(int(line[5]))
    else:
        print(line, flush=True)
'''


def _delta(text: str) -> dict:
    delta = {"type": "text_delta", "text": text}
    return {
        "type": "stream_event",
        "event": {"type": "content_block_delta", "index": 0, "delta": delta},
    }


def _message(text: str) -> dict:
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}}


def _result(text: str, **more: object) -> dict:
    usage = {"input_tokens": 4, "cache_read_input_tokens": 10, "output_tokens": 6}
    result = {"type": "result", "subtype": "success", "is_error": False, "result": text}
    return result | {"usage": usage} | more


INIT = {"type": "system", "subtype": "init", "tools": []}
THINKING = {
    "type": "stream_event",
    "event": {
        "type": "content_block_delta",
        "delta": {"type": "thinking_delta", "thinking": "hmm"},
    },
}
WHOLE = [INIT, THINKING, _delta("A grey"), _delta(" whale."), _message("A grey whale.")]


class StandIn:
    """The scripted program, first on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        program = folder / "claude"
        program.write_text(STAND_IN.replace("{python}", sys.executable))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.plays(*WHOLE, _result("A grey whale."))

    def plays(self, *lines: dict | str) -> None:
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        (self.folder / "script").write_text("\n".join(texts))

    @property
    def note(self) -> dict:
        return json.loads((self.folder / "note.json").read_text())


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    return StandIn(tmp_path)


def _made(model: str = "", **options: str) -> ChatModel:
    plugins = Plugins()
    register(plugins)
    context = BackendContext(Path("nowhere"), options)
    return plugins.chat_factory("claude-cli")(model, context)


class TestClaudeCli(ChatModelContract):
    @pytest.fixture
    def model(self, claude: StandIn) -> ChatModel:
        claude.plays(INIT, _delta('{"animal":'), _delta(' "whale"}'), _result(""))
        return _made()


def _text(deltas) -> str:
    return "".join(delta.text for delta in deltas)


async def test_deltas_come_once_and_usage_counts_the_cache(claude: StandIn) -> None:
    deltas = await collect(_made(), ASK)
    assert [delta.text for delta in deltas] == ["A grey", " whale.", ""]
    assert (deltas[-1].usage.input_tokens, deltas[-1].usage.output_tokens) == (14, 6)


async def test_versions_without_deltas_give_their_messages(claude: StandIn) -> None:
    claude.plays(INIT, _message("A grey whale."), _result("A grey whale."))
    assert _text(await collect(_made(), ASK)) == "A grey whale."


async def test_result_alone_is_a_reply(claude: StandIn) -> None:
    claude.plays(INIT, _result("A grey whale."))
    assert _text(await collect(_made(), ASK)) == "A grey whale."


async def test_notices_between_the_lines_are_no_text(claude: StandIn) -> None:
    claude.plays("A new version is available!", "", "[1]", *WHOLE, _result("A grey whale."))
    assert _text(await collect(_made(), ASK)) == "A grey whale."


async def test_program_is_run_without_tools_in_an_empty_folder(claude: StandIn) -> None:
    await collect(_made("haiku"), ASK)
    arguments = claude.note["arguments"]
    assert arguments[:6] == [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        "--model",
    ]
    assert arguments[arguments.index("--model") + 1] == "haiku"
    assert arguments[arguments.index("--system-prompt") + 1] == ASK.messages[0].content
    assert arguments[arguments.index("--tools") + 1] == ""
    assert "--strict-mcp-config" in arguments
    assert claude.note["files"] == []


async def test_question_goes_by_standard_input(claude: StandIn) -> None:
    await collect(_made(), ASK)
    assert claude.note["prompt"] == ASK.messages[1].content


async def test_conversation_is_written_out_in_order(claude: StandIn) -> None:
    thread = (Message("user", "first"), Message("assistant", "second"), Message("user", "third"))
    await collect(_made(), ChatRequest(thread))
    assert claude.note["prompt"] == "User: first\n\nYou: second\n\nUser: third"


async def test_schema_is_asked_for_and_its_fence_removed(claude: StandIn) -> None:
    claude.plays(_delta("```json\n"), _delta('{"animal": "whale"}\n```'), _result(""))
    deltas = await collect(_made(), ChatRequest(ASK.messages, schema=SCHEMA))
    assert _text(deltas) == '{"animal": "whale"}'
    arguments = claude.note["arguments"]
    assert '"maxLength": 30' in arguments[arguments.index("--system-prompt") + 1]


async def test_prose_instead_of_json_is_an_error(claude: StandIn) -> None:
    with pytest.raises(ModelUnavailable, match="the form that was asked for"):
        await collect(_made(), ChatRequest(ASK.messages, schema=SCHEMA))


async def test_cut_at_its_length_is_told(claude: StandIn) -> None:
    stop = {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}
    claude.plays(_delta("A grey"), {"type": "stream_event", "event": stop}, _result("A grey"))
    assert (await collect(_made(), ASK))[-1].finish == "length"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([_result("Not logged in · Please run /login", is_error=True)], "Not logged in"),
        ([_result("", subtype="error_during_execution")], "error_during_execution"),
        ([INIT], "wrote nothing"),
        ([INIT, _result("")], "wrote nothing"),
        ([INIT, _delta("A grey")], "broke off in the middle"),
        ([INIT, "exit 1 unknown option '--tools'"], "exit code 1: unknown option '--tools'"),
        ([INIT, _delta("A grey"), "exit 3 out of memory"], "exit code 3: out of memory"),
        ([], "wrote nothing"),
    ],
)
async def test_failure_is_an_error_with_its_reason(
    claude: StandIn, lines: list, words: str
) -> None:
    claude.plays(*lines)
    with pytest.raises(ModelUnavailable) as caught:
        await collect(_made(), ASK)
    assert words in str(caught.value)


async def test_status_of_the_service_is_kept(claude: StandIn) -> None:
    claude.plays(_result("rate limited", is_error=True, api_error_status=429))
    with pytest.raises(ModelUnavailable, match="ask again") as caught:
        await collect(_made(), ASK)
    assert caught.value.status == 429


async def test_silent_program_is_an_error(claude: StandIn) -> None:
    claude.plays(INIT, "sleep 600")
    with pytest.raises(ModelUnavailable, match="sent nothing for"):
        await collect(_made(timeout="1"), ASK)
    assert not _alive(claude.note["pid"])


async def test_program_that_does_not_read_is_no_deadlock(claude: StandIn) -> None:
    (claude.folder / "deaf").touch()
    long = ChatRequest((Message("user", "word " * 200_000),))
    assert _text(await collect(_made(), long)) == "A grey whale."


async def test_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelUnavailable, match="there is no program 'claude'"):
        await collect(_made(), ASK)


async def test_program_that_cannot_run_is_an_error(claude: StandIn) -> None:
    (claude.folder / "claude").write_text("#!/no/such/interpreter\n")
    with pytest.raises(ModelUnavailable, match="cannot be run"):
        await collect(_made(), ASK)


async def test_closing_the_reply_ends_the_program_and_its_children(claude: StandIn) -> None:
    (claude.folder / "child").touch()
    claude.plays(_delta("Once"), "sleep 600")
    async with aclosing(_made().stream(LONG)) as deltas:
        async for _ in deltas:
            break
    assert not _alive(claude.note["pid"])
    await _until_dead(claude.note["child"])


async def test_cancelling_the_task_ends_the_program(claude: StandIn) -> None:
    claude.plays(_delta("Once"), "sleep 600")
    began = asyncio.Event()

    async def read() -> None:
        async for _ in _made().stream(LONG):
            began.set()

    task = asyncio.create_task(read())
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not _alive(claude.note["pid"])


def _alive(pid: int) -> bool:
    """A zombie that nobody has reaped yet does not count."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def _until_dead(pid: int) -> None:
    async with asyncio.timeout(10):
        while _alive(pid):  # noqa: ASYNC110 -- the system ends it in its own time
            await asyncio.sleep(0.01)
