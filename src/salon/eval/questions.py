"""Evidence questions: reading them, and judging whether a passage answers one.

A row is {"question", "kind": specific | broad | outside, "evidence", "file"?, "corpus"?}, one JSON
object a line. Evidence is words of the sources that answer the question.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from salon.errors import ConfigError

_LONG_EVIDENCE = 8
_PART = 0.6
"""Evidence of so many words may stand across two passages: this share of them in one counts."""

Kind = Literal["specific", "broad", "outside"]
KINDS: tuple[Kind, ...] = ("specific", "broad", "outside")


@dataclass(frozen=True, slots=True)
class Question:
    """A row of the file; `line` is 1-based. Specific questions have evidence."""

    line: int
    question: str
    kind: Kind
    evidence: str = ""
    file: str = ""
    corpus: str = ""


def read_questions(file: Path, corpus: str = "") -> tuple[Question, ...]:
    """The rows for `corpus`: those that name it or none; "" takes all.

    Raises ConfigError with the line for a row that is not as it should be.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError as error:
        raise ConfigError(
            "the file is missing",
            file=str(file),
            cure="write evidence questions: see docs/guide, 'Evaluating a persona'",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot be read: {error}", file=str(file)) from error
    found = [_question(file, n, line) for n, line in enumerate(lines, 1) if line.strip()]
    rows = tuple(row for row in found if not corpus or row.corpus in ("", corpus))
    if not rows:
        there = sorted({row.corpus for row in found})
        raise ConfigError(
            f"no question is for '{corpus}'" if found else "no question is in it",
            file=str(file),
            expected=f"rows of {', '.join(there)} are there" if found else "one JSON object a line",
        )
    return rows


def _question(file: Path, number: int, line: str) -> Question:
    def wrong(problem: str, key: str = "", expected: str = "") -> ConfigError:
        return ConfigError(problem, file=str(file), line=number, key=key, expected=expected)

    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise wrong(f"not JSON: {error.msg}") from error
    if not isinstance(row, dict):
        raise wrong("not a JSON object", expected='{"question": ..., "kind": ...}')
    values = {key: row.get(key, "") for key in ("question", "kind", "evidence", "file", "corpus")}
    for key, value in values.items():
        if not isinstance(value, str):
            raise wrong(f"{value!r} is not a text", key)
    if not values["question"].strip():
        raise wrong("missing or empty", "question")
    if values["kind"] not in KINDS:
        raise wrong(f"{values['kind']!r} is not a kind", "kind", f"one of {', '.join(KINDS)}")
    if values["kind"] == "specific" and not words_of(values["evidence"]):
        raise wrong("a specific question needs evidence", "evidence", "words of the sources")
    return Question(number, **values)


def words_of(text: str) -> list[str]:
    """Words for comparison: NFKC, lower case, marks and punctuation away."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.findall(r"\w+", folded.replace("_", " ").replace("'", "").replace("’", ""))


def holds(passage: str, evidence: str) -> bool:
    """Whether the passage has the evidence, or most of long evidence in one run.

    Spaces do not count, so a hyphen or a line end within a word hides nothing.
    """
    letters = "".join(words_of(passage))
    words = words_of(evidence)
    if "".join(words) in letters:
        return True
    if len(words) < _LONG_EVIDENCE:
        return False
    run = math.ceil(_PART * len(words))
    starts = range(len(words) - run + 1)
    return any("".join(words[start : start + run]) in letters for start in starts)
