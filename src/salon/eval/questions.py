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

from salon.errors import InputError

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

    Raises InputError with the line for a row that is not as it should be.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError as error:
        raise InputError(
            f"{file}: the file is missing",
            expected="a file of evidence questions, one JSON object a line",
            cure="write evidence questions: see docs/guide, 'Evaluating a persona'",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8", cure="save the file as UTF-8") from error
    except OSError as error:
        raise InputError(
            f"{file}: cannot be read: {error.strerror}",
            expected="a file of evidence questions that this user may read",
        ) from error
    found = [_question(file, n, line) for n, line in enumerate(lines, 1) if line.strip()]
    rows = tuple(row for row in found if not corpus or row.corpus in ("", corpus))
    if not rows:
        there = sorted({row.corpus for row in found})
        raise InputError(
            f"{file}: no question is {f'for {corpus!r}' if found else 'in it'}",
            expected=f"rows of {', '.join(there)} are there" if found else "one JSON object a line",
        )
    return rows


def _question(file: Path, number: int, line: str) -> Question:
    def wrong(problem: str, key: str = "", expected: str = "") -> InputError:
        place = f"{file}:{number}" + (f", key '{key}'" if key else "")
        return InputError(f"{place}: {problem}", expected=expected, cure="correct that line")

    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise wrong(f"not JSON: {error.msg}", expected="one JSON object a line") from error
    if not isinstance(row, dict):
        raise wrong("not a JSON object", expected='{"question": ..., "kind": ...}')
    values = {key: row.get(key, "") for key in ("question", "kind", "evidence", "file", "corpus")}
    for key, value in values.items():
        if not isinstance(value, str):
            raise wrong(f"{value!r} is not a text", key, "a text in quotes")
    if not values["question"].strip():
        raise wrong("missing or empty", "question", "a question in words")
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
