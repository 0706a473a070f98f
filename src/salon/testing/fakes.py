"""Small real implementations of the ports, for tests, examples and benchmarks."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Sequence
from typing import Literal

import numpy as np

from salon.errors import InputError, ModelUnavailable, SalonError
from salon.types import ChatDelta, ChatRequest, EmbedderId, ModelCard, TokenVectors, Usage, Vector

SCRIPTED_CARD = ModelCard(name="scripted", context_tokens=8192, evidence_tokens=3000)


class ScriptedChat:
    """A chat model that gives the replies it was handed, in order, word by word.

    A reply may be an error, which is raised after the words of the reply before `|` if it has any:
    ("half a", ModelUnavailable(...)) breaks off in the middle. `requests` keeps what was asked,
    `stopped` counts replies that were closed before their end. Seconds pass between words: `delay`.
    """

    def __init__(
        self,
        replies: Sequence[str | SalonError | tuple[str, SalonError]],
        card: ModelCard = SCRIPTED_CARD,
        delay: float = 0.0,
    ) -> None:
        self._replies = list(replies)
        self._card = card
        self._delay = delay
        self.requests: list[ChatRequest] = []
        self.stopped = 0
        self.closed = False

    @property
    def card(self) -> ModelCard:
        return self._card

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        self.requests.append(request)
        if not self._replies:
            raise ModelUnavailable(
                "the scripted model has no reply left", cure="hand it one reply for each request"
            )
        reply = self._replies.pop(0)
        text, error = ("", reply) if isinstance(reply, SalonError) else (reply, None)
        if isinstance(text, tuple):
            text, error = text
        words = re.findall(r"\s*\S+|\s+$", text)
        spoken = words[: request.max_tokens]
        finished = False
        try:
            for word in spoken:
                await asyncio.sleep(self._delay)
                yield ChatDelta(text=word)
            finished = True
        finally:
            self.stopped += not finished
        if error is None and not spoken:
            error = ModelUnavailable("the scripted model's reply is empty")
        if error is not None:
            raise error
        prompt = sum(len(message.content.split()) for message in request.messages)
        yield ChatDelta(
            finish="stop" if len(spoken) == len(words) else "length",
            usage=Usage(input_tokens=prompt, output_tokens=len(spoken)),
        )

    async def close(self) -> None:
        self.closed = True


class HashEmbedder:
    """Bags of words as unit vectors: each word's hash chooses its dimension and sign.

    Texts that share words are near each other, the same text is the same vector everywhere, and
    nothing is learned or loaded. Pieces are words and single marks; case does not count.
    """

    def __init__(self, dimensions: int = 128, window: int = 64) -> None:
        self._id = EmbedderId(name="hash", dimensions=dimensions, window=window)
        self.closed = False

    @property
    def id(self) -> EmbedderId:
        return self._id

    def pieces(self, text: str) -> Sequence[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]

    def embed(self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage") -> Vector:
        rows = np.zeros((len(texts), self._id.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            spans = self.pieces(text)
            if len(spans) > self._id.window:
                raise InputError(
                    f"a text of {len(spans)} pieces does not fit the embedder's window",
                    expected=f"at most {self._id.window} pieces",
                )
            for start, end in spans:
                digest = hashlib.blake2b(text[start:end].casefold().encode(), digest_size=8)
                number = int.from_bytes(digest.digest(), "big")
                row[(number >> 1) % self._id.dimensions] += 1.0 if number & 1 else -1.0
            if not row.any():
                row[0] = 1.0  # no words, or words that cancel out: still a unit vector
            row /= np.linalg.norm(row)
        return rows

    def close(self) -> None:
        self.closed = True


class HashTokenEmbedder(HashEmbedder):
    """A HashEmbedder that tells its words' vectors too: those of words of four letters and more."""

    token_dimensions = 32

    def embed_with_tokens(
        self, texts: Sequence[str], kind: Literal["passage", "query"] = "passage"
    ) -> tuple[Vector, list[TokenVectors]]:
        return self.embed(texts, kind), [self._tokens(text) for text in texts]

    def _tokens(self, text: str) -> TokenVectors:
        words = [word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3]
        rows = np.zeros((len(words), self.token_dimensions), np.int8)
        for row, word in zip(rows, words, strict=True):
            number = hashlib.blake2b(word.encode(), digest_size=8).digest()
            row[number[0] % self.token_dimensions] = 127 if number[1] & 1 else -127
        return rows
