"""Embedders behind a server: OpenAI, and anything with /v1/embeddings (Ollama, TEI, vLLM).

A server's tokenizer is not known here, so `pieces` estimates: runs of four Latin letters, pairs of
digits, and every other letter or mark alone. That is more pieces than a word-piece or byte-pair
vocabulary makes of prose (English: about 1.6 a word against 1.3), so a text that fits by this count
fits the server, and `window` is set below what the model takes to be safe in every script.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from salon.backends.refusals import (
    missing_key,
    number,
    refused,
    said,
    too_slow,
    unreachable,
)
from salon.backends.unit_rows import unit_rows
from salon.errors import ConfigError, InputError, ModelUnavailable
from salon.ports import BackendContext, EmbedderFactory
from salon.types import EmbedderId, Vector

if TYPE_CHECKING:
    import httpx

_PIECE = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,2}|\S")
_TIMEOUT = 30.0
_ATTEMPTS = 4
_PAUSE = 0.5
# Seconds from the first try to the last: indexing can wait, a person who asked cannot.
_PATIENCE = {"passage": 90.0, "query": 3.0}


@dataclass(frozen=True, slots=True)
class Service:
    """An embedding service by its facts. `dimensions` 0: asked from the server, once."""

    kind: str
    summary: str
    url: str = ""
    model: str = ""
    key_variable: str = ""
    needs_key: bool = False
    dimensions: int = 0
    window: int = 0
    batch: int = 32


OPENAI = Service(
    "openai",
    "text-embedding-3-small of OpenAI",
    url="https://api.openai.com/v1",
    model="text-embedding-3-small",
    key_variable="OPENAI_API_KEY",
    needs_key=True,
    dimensions=1536,
    window=2700,  # of 8191 tokens: no piece of ours is more than three of theirs
    batch=64,
)
HTTP = Service(
    "http",
    "any server with /v1/embeddings: option 'url'",
    key_variable="SALON_BACKENDS_HTTP_API_KEY",
    window=400,  # of the 512 that most models take
)


OPTIONS = (
    *("url", "embedding_url", "model", "embedding_model", "api_key", "api_key_env", "timeout"),
    *("dimensions", "window", "batch", "query_prefix", "passage_prefix"),
)


def http_embedder(service: Service) -> EmbedderFactory:
    """Options: url (or embedding_url), model, api_key, dimensions, window, batch, timeout,
    query_prefix, passage_prefix (as nomic-embed-text wants them)."""

    def make(model: str, context: BackendContext) -> HttpEmbedder:
        options = context.options
        url = options.get("embedding_url") or options.get("url") or service.url
        name = model or options.get("embedding_model", "") or service.model
        if not url:
            raise ConfigError(
                f"the embedder '{service.kind}' has no address",
                key=f"backends.{service.kind}.url",
                expected="the address of the server, as http://127.0.0.1:11434/v1",
            )
        if not name:
            raise ConfigError(
                f"'{service.kind}' does not say which embedding model",
                expected=f"{service.kind}:MODEL, as http:nomic-embed-text",
            )
        return HttpEmbedder(service, url.rstrip("/"), name, context)

    return make


class HttpEmbedder:
    """One model of one server. Retries 429, 5xx and lost connections, as long as anyone may wait.

    Other dimensions than stated are an error here, not at the first search.
    """

    def __init__(self, service: Service, url: str, model: str, context: BackendContext) -> None:
        options, kind = context.options, service.kind
        self._service, self._url, self._model = service, url, model
        self._key = options.get("api_key", "")
        self._prefixes = {
            "query": options.get("query_prefix", ""),
            "passage": options.get("passage_prefix", ""),
        }
        known = service.dimensions if model == service.model else 0
        self._asked = int(number(options, kind, "dimensions", 0))
        self._dimensions = self._asked or known
        self._window = int(number(options, kind, "window", service.window, 16))
        self._batch = int(number(options, kind, "batch", service.batch, 1))
        self._timeout = number(options, kind, "timeout", _TIMEOUT, 0.1)
        self._who = f"the embedder {kind} ({model})"
        self._lock = threading.Lock()
        self._open_client: httpx.Client | None = None

    @property
    def id(self) -> EmbedderId:
        """Asks the server for the size of its vectors where no one has said it."""
        if not self._dimensions:
            (row,) = self._request(["a"], "passage")
            self._dimensions = len(row)
        return EmbedderId(self._name(), self._dimensions, self._window)

    def pieces(self, text: str) -> Sequence[tuple[int, int]]:
        return [match.span() for match in _PIECE.finditer(text)]

    def embed(self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage") -> Vector:
        import numpy as np

        dimensions = self.id.dimensions
        for text in texts:
            self._fits(text)
        rows: list[Sequence[float]] = []
        for start in range(0, len(texts), self._batch):
            rows += self._request(texts[start : start + self._batch], kind)
        for row in rows:
            if len(row) != dimensions:
                raise ModelUnavailable(
                    f"{self._who} returned vectors of {len(row)} numbers",
                    expected=f"{dimensions}",
                    cure=f"correct the model's name or backends.{self._service.kind}.dimensions, "
                    "then index again",
                )
        if not rows:
            return np.empty((0, dimensions), np.float32)
        return unit_rows(rows, self._who)

    def close(self) -> None:
        with self._lock:
            client, self._open_client = self._open_client, None
        if client is not None:
            client.close()

    def _name(self) -> str:
        """Service and model, and a mark of the prefixes, which change every vector."""
        name = f"{self._service.kind}:{self._model}"
        if not any(self._prefixes.values()):
            return name
        prefixes = "\0".join(f"{kind}={text}" for kind, text in sorted(self._prefixes.items()))
        return f"{name}+{hashlib.sha256(prefixes.encode()).hexdigest()[:8]}"

    def _fits(self, text: str) -> None:
        count = len(self.pieces(text))
        if count > self._window:
            raise InputError(
                f"a text of {count} pieces does not fit the embedder's window: '{text[:60]}...'",
                expected=f"at most {self._window} pieces",
                cure="cut the text into windows first",
            )

    def _request(self, texts: Sequence[str], kind: str) -> list[Sequence[float]]:
        """The rows of one batch in the order of the texts, asked for until patience ends."""
        if self._service.needs_key and not self._key:
            raise missing_key(self._who, self._service.key_variable)
        body: dict[str, Any] = {
            "model": self._model,
            # Some servers refuse an empty text; a space is embedded as one.
            "input": [self._prefixes[kind] + (text or " ") for text in texts],
            "encoding_format": "float",
        }
        if self._asked:
            body["dimensions"] = self._asked
        last = time.monotonic() + _PATIENCE[kind]
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._rows(self._post(body), len(texts))
            except ModelUnavailable as problem:
                wait = problem.retry_after or _PAUSE * 2**attempt
                again = problem.status == 429 or problem.status >= 500 or problem.status == 0
                if not again or attempt == _ATTEMPTS or time.monotonic() + wait > last:
                    raise
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _post(self, body: dict[str, Any]) -> Any:
        import httpx

        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            response = self._client().post(f"{self._url}/embeddings", json=body, headers=headers)
        except httpx.TimeoutException as problem:
            raise too_slow(self._who, self._timeout) from problem
        except (httpx.RequestError, httpx.InvalidURL) as problem:
            raise unreachable(self._who, self._url, str(problem)) from problem
        if response.status_code != 200:
            raise refused(
                self._who,
                response.status_code,
                said(response.content),
                retry_after=_seconds(response.headers.get("retry-after", "")),
                key_variable=self._service.key_variable,
            )
        try:
            return response.json()
        except ValueError as problem:
            raise self._nonsense(f"'{response.text[:80]}'") from problem

    def _rows(self, reply: Any, count: int) -> list[Sequence[float]]:
        try:
            data = sorted(reply["data"], key=lambda entry: int(entry["index"]))
            rows = [[float(value) for value in entry["embedding"]] for entry in data]
        except (KeyError, TypeError, ValueError) as problem:
            raise self._nonsense(f"'{str(reply)[:80]}'") from problem
        if [int(entry["index"]) for entry in data] != list(range(count)):
            raise self._nonsense(f"{len(rows)} vectors for {count} texts")
        return list(rows)

    def _nonsense(self, what: str) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._who} answered with {what}",
            status=200,
            expected="one vector for each text",
            cure=f"check that {self._url} is the address of an embeddings API",
        )

    def _client(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._open_client is None:
                self._open_client = httpx.Client(timeout=self._timeout)
            return self._open_client


def _seconds(text: str) -> float:
    """A Retry-After in seconds; the form with a date is not used by these services."""
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else 0.0
