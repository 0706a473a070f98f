from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from salon.backends.llama import register
from salon.errors import ConfigError, ModelFileError, ModelUnavailable, NotFoundError
from salon.model_files import path_of
from salon.plugins import Plugins
from salon.ports import BackendContext, ChatModel, Progress, no_progress
from salon.testing.chat_contract import ASK, LONG, collect
from salon.testing.contracts import ChatModelContract
from salon.types import ChatRequest, Message

pytestmark = pytest.mark.models

SMALL = "smollm2-135m"


def _made(
    model: str,
    models_dir: Path,
    options: dict[str, str] | None = None,
    progress: Progress = no_progress,
) -> ChatModel:
    plugins = Plugins()
    register(plugins)
    context = BackendContext(models_dir, options or {}, progress, fetch=False)
    return plugins.chat_factory("local")(model, context)


@pytest.fixture(scope="module")
def small(models_dir: Path) -> Iterator[ChatModel]:
    model = _made(SMALL, models_dir)
    yield model
    asyncio.run(model.close())


class TestSmallLocalModel(ChatModelContract):
    @pytest.fixture
    def model(self, small: ChatModel) -> ChatModel:
        return small


def _workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "local-model"]


async def _all_stopped(within: float) -> None:
    async with asyncio.timeout(within):
        while _workers():  # noqa: ASYNC110 -- threads end on their own
            await asyncio.sleep(0.01)


async def test_same_question_gets_the_same_reply(small: ChatModel) -> None:
    first, second = ["".join(delta.text for delta in await collect(small, ASK)) for _ in range(2)]
    assert first == second


async def test_length_is_kept_and_told(small: ChatModel) -> None:
    request = ChatRequest(LONG.messages, max_tokens=12)
    last = (await collect(small, request))[-1]
    assert last.finish == "length"
    assert last.usage.output_tokens == 12


async def test_closing_while_it_writes_stops_the_model(small: ChatModel) -> None:
    async with aclosing(small.stream(LONG)) as deltas:
        async for _ in deltas:
            break
    await _all_stopped(within=2.0)  # the whole story takes several times as long


async def test_cancelling_while_it_reads_stops_the_model(models_dir: Path) -> None:
    began = asyncio.Event()
    loop = asyncio.get_running_loop()
    read: list[tuple[int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "reading" and done:
            read.append((done, total))
            loop.call_soon_threadsafe(began.set)

    model = _made(SMALL, models_dir, progress=progress)
    long_prompt = ChatRequest((Message("user", "The sea was calm that day. " * 500),))
    task = asyncio.create_task(collect(model, long_prompt))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _all_stopped(within=30.0)
    done, total = read[-1]
    assert done < total
    await model.close()


async def test_cancelling_while_another_has_the_turn_does_not_wait(small: ChatModel) -> None:
    async with aclosing(small.stream(LONG)) as first:
        await anext(first)
        waiting = asyncio.create_task(collect(small, ASK))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await anext(first)).text


async def test_loading_is_shown(models_dir: Path) -> None:
    stages: list[str] = []
    model = _made(SMALL, models_dir, progress=lambda stage, done, total: stages.append(stage))
    await model.close()  # which frees it for everyone
    await collect(model, ASK)
    assert stages[0] == "loading model"
    assert "reading" in stages
    await model.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_failure_that_nobody_foresaw_is_an_error_too(models_dir: Path) -> None:
    def progress(stage: str, done: int, total: int) -> None:
        raise ZeroDivisionError

    model = _made(SMALL, models_dir, progress=progress)
    await model.close()
    with pytest.raises(ModelUnavailable, match="the local model failed"):
        await collect(model, ASK)


async def test_prompt_that_begins_the_same_is_not_read_again(models_dir: Path) -> None:
    read: list[int] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "reading" and done < total:
            read.append(done)

    model = _made(SMALL, models_dir, progress=progress)
    persona = Message("system", "You are the keeper of a lighthouse. " * 40)
    for question in ("Who are you?", "Where do you live?"):
        read.clear()
        await collect(model, ChatRequest((persona, Message("user", question)), max_tokens=4))
    assert read[0] > 200  # the first report of the second prompt starts after the shared part
    await model.close()


async def test_prompt_that_does_not_fit_is_an_error(small: ChatModel) -> None:
    with pytest.raises(ModelUnavailable, match="at most 4096 tokens"):
        await collect(small, ChatRequest((Message("user", "word " * 9000),)))


async def test_schema_that_cannot_be_used_is_an_error(small: ChatModel) -> None:
    with pytest.raises(ModelUnavailable, match="refused the request"):
        await collect(small, ChatRequest(ASK.messages, schema={"type": "nonsense"}))


async def test_missing_file_names_the_command(tmp_path: Path) -> None:
    model = _made(SMALL, tmp_path)
    with pytest.raises(ModelFileError, match=f"salon models get {SMALL}"):
        await collect(model, ASK)


async def test_damaged_file_of_ours_names_the_command(tmp_path: Path, models_dir: Path) -> None:
    damaged = path_of(tmp_path, SMALL)
    damaged.parent.mkdir()
    data = path_of(models_dir, SMALL).read_bytes()
    damaged.write_bytes(data[:1000] + b"\0" * 1000 + data[2000:])
    with pytest.raises(ModelFileError, match=f"is damaged(.|\n)*salon models get {SMALL}"):
        await collect(_made(SMALL, tmp_path), ASK)


@pytest.mark.parametrize("content", [b"", b"not a model", b"GGUF" + b"\0" * 5000])
async def test_file_that_is_no_model_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=r"mine\.gguf cannot be loaded"):
        await collect(_made(str(path), tmp_path), ASK)


async def test_own_file_answers_and_takes_its_options(models_dir: Path) -> None:
    path = path_of(models_dir, SMALL)
    model = _made(str(path), models_dir, {"evidence_tokens": "500", "form": "marks"})
    assert (model.card.name, model.card.evidence_tokens) == (path.stem, 500)
    assert model.card.form == "marks"
    assert (await collect(model, ASK))[-1].finish
    await model.close()


def test_absent_own_file_and_unknown_name_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no local model 'gpt'"):
        _made("gpt", tmp_path)
    with pytest.raises(ModelFileError, match="there is no model file"):
        asyncio.run(collect(_made(str(tmp_path / "absent.gguf"), tmp_path), ASK))


def test_option_that_is_no_number_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"backends\.local\.context_tokens"):
        _made(str(tmp_path / "a.gguf"), tmp_path, {"context_tokens": "huge"})


IN_ITS_OWN_PROCESS = """
import asyncio, sys
from pathlib import Path
from salon.backends.llama import register
from salon.plugins import Plugins
from salon.ports import BackendContext
from salon.testing.chat_contract import LONG

async def main():
    plugins = Plugins()
    register(plugins)
    context = BackendContext(Path(sys.argv[1]), {}, fetch=False)
    model = plugins.chat_factory("local")("smollm2-135m", context)
    await anext(model.stream(LONG))
    print(sys.argv[2], flush=True)
    if sys.argv[2] == "raise":
        raise SystemExit(7)

asyncio.run(main())
"""


@pytest.mark.parametrize(("how", "code"), [("return", 0), ("raise", 7)])
def test_process_may_end_while_the_model_writes(models_dir: Path, how: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_ITS_OWN_PROCESS, str(models_dir), how],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout.split() == [how]
    assert done.stderr == ""
