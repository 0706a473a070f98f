"""Measures a persona with evidence questions: retrieval, declining and grounding.

A question is {"question", "kind": specific | broad | outside, "evidence", "file"?, "corpus"?}, one
JSON object a line. Evidence is words of the sources that answer the question.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from salon.errors import ConfigError, InputError
from salon.ports import Progress, no_progress
from salon.types import Answer, Answered

if TYPE_CHECKING:
    from salon.house import House

CUTOFFS = (1, 3, 6, 12)
DEPTH = max(CUTOFFS)

_LONG_EVIDENCE = 8
_PART = 0.6
"""Evidence of so many words may stand across two passages: this share of them in one counts."""

Kind = Literal["specific", "broad", "outside"]
_KINDS: tuple[Kind, ...] = ("specific", "broad", "outside")


@dataclass(frozen=True, slots=True)
class Question:
    """A row of the file; `line` is 1-based. Specific questions have evidence."""

    line: int
    question: str
    kind: Kind
    evidence: str = ""
    file: str = ""
    corpus: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one question. `rank` is the first passage with the evidence, 0 for none.

    `score` and what follows are None where no answer was asked for.
    """

    line: int
    question: str
    kind: Kind
    rank: int
    search_ms: float
    declined: bool | None = None
    grounded: bool | None = None
    score: float | None = None
    answer_ms: int | None = None
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvalReport:
    """`figures` maps a name to a share or a mean; a figure without any row is absent.

    `counts` says on how many questions figures rest; `warnings` name faults of the questions.
    """

    persona: str
    generation: str
    model: str
    setting: str
    counts: Mapping[str, int]
    figures: Mapping[str, float]
    rows: tuple[Row, ...] = field(repr=False)
    warnings: tuple[str, ...] = ()

    def failing(self, bars: Mapping[str, float]) -> tuple[str, ...]:
        """The names of the bars that are not reached; InputError for a name with no figure."""
        missing = [name for name in bars if name not in self.figures]
        if missing:
            raise InputError(
                f"there is no figure '{missing[0]}'",
                expected=f"one of {', '.join(self.figures)}",
            )
        return tuple(name for name, least in bars.items() if self.figures[name] < least)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def parse_bars(texts: Iterable[str]) -> dict[str, float]:
    """["recall@6=0.68"] -> {"recall@6": 0.68}; InputError for anything else."""
    bars = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            bars[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals or not 0 <= bars[name.strip()] <= 1:
            raise InputError(
                f"{text!r} is not a bar", expected="a figure and a share: recall@6=0.7"
            )
    return bars


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
    if values["kind"] not in _KINDS:
        raise wrong(f"{values['kind']!r} is not a kind", "kind", f"one of {', '.join(_KINDS)}")
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


async def evaluate(
    house: House,
    persona_id: str,
    questions: Path,
    *,
    answers: bool = True,
    model: str | None = None,
    results: Path | None = None,
    setting: str = "",
    progress: Progress = no_progress,
) -> EvalReport:
    """Asks every question of the file that is for this persona.

    Without `answers` only retrieval is measured. `model` is used in place of the persona's. With
    `results` each finished row is kept there, and a run that was stopped goes on; InputError when
    the file belongs to another run.
    """
    card = house.persona(persona_id)
    asked = read_questions(questions, card.id)
    first = await house.find(card.id, asked[0].question, limit=DEPTH)
    kept = _Results(results, _run_key(card.id, questions, first.generation, model, answers))
    rows: list[Row] = []
    for number, row in enumerate(asked):
        progress("eval", number, len(asked))
        if row.line not in kept.rows:
            kept.add(await _measure(house, card.id, row, answers, model))
        rows.append(kept.rows[row.line])
    progress("eval", len(asked), len(asked))
    return EvalReport(
        persona=card.id,
        generation=first.generation,
        model=house.model_name(card.id, model) if answers else "",
        setting=setting,
        counts={kind: sum(row.kind == kind for row in rows) for kind in _KINDS},
        figures=figures(rows),
        rows=tuple(rows),
        warnings=await _unfindable(house, card.id, asked),
    )


async def _measure(
    house: House, persona_id: str, row: Question, answers: bool, model: str | None
) -> Row:
    found = await house.find(persona_id, row.question, limit=DEPTH)
    rank = 0
    if row.kind == "specific":
        ranks = (hit.rank for hit in found.hits if holds(hit.passage.text, row.evidence))
        rank = min(ranks, default=0)
    took = found.embed_ms + found.search_ms
    if not answers:
        return Row(row.line, row.question, row.kind, rank, took)
    answer = await _answer(house, persona_id, row.question, model)
    return Row(
        row.line,
        row.question,
        row.kind,
        rank,
        took,
        declined=answer.declined,
        grounded=answer.grounding.grounded,
        score=answer.grounding.score,
        answer_ms=answer.elapsed_ms,
        via=answer.via,
    )


async def _answer(house: House, persona_id: str, question: str, model: str | None) -> Answer:
    async with aclosing(house.ask(persona_id, question, model=model)) as events:
        async for event in events:
            if isinstance(event, Answered):
                return event.answer
    raise AssertionError("the house ended an answer without its last event")


def figures(rows: Sequence[Row]) -> dict[str, float]:
    """Shares and means over the rows they are about; see the guide's page on evaluating."""
    specific = [row for row in rows if row.kind == "specific"]
    outside = [row for row in rows if row.kind == "outside"]
    inside = [row for row in rows if row.kind != "outside" and row.declined is not None]
    result: dict[str, float] = {}

    def mean(name: str, of: Sequence[Row], value: Callable[[Row], float | bool | None]) -> None:
        values = [float(v) for v in map(value, of) if v is not None]
        if values:
            result[name] = sum(values) / len(values)

    for cutoff in CUTOFFS:
        mean(f"recall@{cutoff}", specific, lambda row, k=cutoff: 0 < row.rank <= k)  # type: ignore[misc]
    mean("mrr", specific, lambda row: 1 / row.rank if row.rank else 0.0)
    mean("outside_declined", outside, lambda row: row.declined)
    mean("specific_declined", specific, lambda row: row.declined)
    mean("grounded", [row for row in inside if not row.declined], lambda row: row.grounded)
    mean("score", [row for row in inside if not row.declined], lambda row: row.score)
    return result


async def _unfindable(house: House, persona_id: str, asked: Sequence[Question]) -> tuple[str, ...]:
    """Warnings for evidence that no source has: a fault of the question, not of the search."""
    texts = ["".join(words_of(text)) for text in await house.texts(persona_id)]
    wanted = [row for row in asked if row.kind == "specific"]
    return tuple(
        f"line {row.line}: no source has this evidence: {row.evidence[:60]!r}"
        for row in wanted
        if not any("".join(words_of(row.evidence)) in text for text in texts)
    )


def _run_key(
    persona_id: str, questions: Path, generation: str, model: str | None, answers: bool
) -> str:
    digest = hashlib.sha256(questions.read_bytes()).hexdigest()[:16]
    return (
        f"{persona_id} {digest} {generation} {model or 'own model'} {'answers' if answers else ''}"
    )


class _Results:
    """Finished rows, in a file when one is named; replaced whole after every row."""

    def __init__(self, file: Path | None, key: str) -> None:
        self._file, self._key = file, key
        self.rows: dict[int, Row] = {}
        if file is None or not file.exists():
            return
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
            same = document["run"] == key
            self.rows = {
                row["line"]: Row(**{**row, "via": tuple(row["via"])}) for row in document["rows"]
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{file} is not a file of results", cure="name another file for --results"
            ) from error
        if not same:
            raise InputError(
                f"{file} holds the results of another run",
                expected="the same persona, questions, index and model",
                cure="name another file, or delete this one",
            )

    def add(self, row: Row) -> None:
        self.rows[row.line] = row
        if self._file is None:
            return
        document = {"run": self._key, "rows": [asdict(row) for row in self.rows.values()]}
        aside = self._file.with_name(self._file.name + ".part")
        aside.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
        aside.replace(self._file)
