"""Token counts by the cl100k_base vocabulary, read from a file that the caller names.

tiktoken would fetch its vocabulary by itself; given the ranks it needs no network and no cache.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from salon.errors import ModelFileError

if TYPE_CHECKING:
    import tiktoken

CountTokens = Callable[[Sequence[str]], list[int]]
"""Counts the tokens of each text; the order of the result is the order of the texts."""

# The split pattern of cl100k_base, as published in tiktoken_ext/openai_public.py.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_RANKS = 100_256
# Above this many characters tiktoken's splitting of one unbroken word takes quadratic time.
_LONGEST_RUN = 20_000
_FOREIGN_SPACE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_MOST_WORDS, _LONGEST_WORD = 400_000, 60


class Cl100k:
    """Counts tokens as cl100k_base does, exactly. Thread-safe.

    The vocabulary's pattern always parts a text before a space that a word follows, so a text's
    count is the sum of its words', each with its space, and a word is encoded once. Text in the
    form of a special token is counted as ordinary text. Raises ModelFileError when the vocabulary
    file is missing or is not cl100k_base.
    """

    def __init__(self, vocabulary: Path) -> None:
        import tiktoken

        self._encoding: tiktoken.Encoding = tiktoken.Encoding(
            "cl100k_base",
            pat_str=_PATTERN,
            mergeable_ranks=_read_ranks(vocabulary),
            special_tokens={"<|endoftext|>": 100257},
        )
        self._words = _Words(self._encoding, " ")
        self._firsts = _Words(self._encoding, "")

    def count(self, text: str) -> int:
        return self.count_all([text])[0]

    def count_all(self, texts: Sequence[str]) -> list[int]:
        return [self._count(text) for text in texts]

    def _count(self, text: str) -> int:
        if _has_odd_space(text):
            return self._encoded(text)
        first, *words = text.split(" ")
        known, firsts = self._words, self._firsts
        if len(known) + len(firsts) > _MOST_WORDS:
            known = self._words = _Words(self._encoding, " ")
            firsts = self._firsts = _Words(self._encoding, "")
        return firsts[first] + sum(map(known.__getitem__, words))

    def _encoded(self, text: str) -> int:
        encode = self._encoding.encode_ordinary
        if len(text) <= _LONGEST_RUN:
            return len(encode(text))
        starts = range(0, len(text), _LONGEST_RUN)
        return sum(len(encode(text[at : at + _LONGEST_RUN])) for at in starts)


def _has_odd_space(text: str) -> bool:
    """Whether some space is more than one or two spaces between words."""
    return (
        "   " in text
        or text.endswith("  ")
        or ("\n" in text and (" \n" in text or "\n " in text))
        or "\t" in text
        or "\r" in text
        or "\x0b" in text
        or "\x0c" in text
        or (not text.isascii() and _FOREIGN_SPACE.search(text) is not None)
    )


class _Words(dict[str, int]):
    """How many tokens a word with `before` before it has, filled as words are met."""

    def __init__(self, encoding: tiktoken.Encoding, before: str) -> None:
        super().__init__()
        self._before = before
        self._encode = encoding.encode_ordinary

    def __missing__(self, word: str) -> int:
        if len(word) > _LONGEST_RUN:
            starts = range(0, len(word), _LONGEST_RUN)
            return sum(len(self._encode(word[at : at + _LONGEST_RUN])) for at in starts)
        count = len(self._encode(self._before + word))
        if len(word) <= _LONGEST_WORD:
            self[word] = count
        return count


def _read_ranks(vocabulary: Path) -> dict[bytes, int]:
    try:
        lines = vocabulary.read_bytes().splitlines()
        ranks = {
            base64.b64decode(word): int(rank) for word, rank in (line.split() for line in lines)
        }
    except OSError as error:
        raise ModelFileError(
            f"The token vocabulary {vocabulary} cannot be read: {error.strerror}",
            expected="the file cl100k_base.tiktoken",
            cure="run `salon models get cl100k`",
        ) from error
    except (ValueError, binascii.Error) as error:
        raise ModelFileError(
            f"The token vocabulary {vocabulary} is damaged: {error}",
            expected="lines of a base64 word and its rank",
            cure="delete it and run `salon models get cl100k`",
        ) from error
    if len(ranks) != _RANKS:
        raise ModelFileError(
            f"The token vocabulary {vocabulary} has {len(ranks)} words",
            expected=f"{_RANKS} words, as cl100k_base has",
            cure="delete it and run `salon models get cl100k`",
        )
    return ranks
