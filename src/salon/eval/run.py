"""Asks a persona its evidence questions, and keeps what was found so that a run can go on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from salon.errors import InputError
from salon.eval.questions import KINDS, Question, holds, read_questions, words_of
from salon.eval.report import DEPTH, EvalReport, Row, figures
from salon.ports import Progress, no_progress
from salon.types import Answer, Answered

if TYPE_CHECKING:
    from salon.house import House


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
        counts={kind: sum(row.kind == kind for row in rows) for kind in KINDS},
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
