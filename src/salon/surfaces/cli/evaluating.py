"""`salon eval`: measures a persona with evidence questions, against a bar when one is given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salon.surfaces.cli.answering import ModelOption, NoModelOption, PersonaArgument, chosen_model
from salon.surfaces.cli.opening import Opened, opened
from salon.surfaces.exit_codes import BELOW_BAR
from salon.surfaces.terminal import Stopped, note, say, say_rows

if TYPE_CHECKING:
    from salon.eval import EvalReport

FIGURES = {
    "recall@1": "specific questions whose evidence is in the first passage",
    "recall@3": "in the first 3 passages",
    "recall@6": "in the first 6 passages",
    "recall@12": "in the first 12 passages",
    "mrr": "mean of 1 / rank of the first passage with the evidence",
    "outside_declined": "questions beyond the sources that were declined, as they should be",
    "specific_declined": "questions that the sources answer but that were declined",
    "grounded": "answers that came out grounded",
    "score": "mean grounding score",
}


def register(app: typer.Typer) -> None:
    app.command(name="eval")(evaluate)


def evaluate(
    context: typer.Context,
    persona: PersonaArgument,
    questions: Annotated[
        Path,
        typer.Option("--questions", "-q", metavar="FILE", help="Evidence questions, JSON lines."),
    ],
    bars: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="FIGURE=SHARE", help="As recall@6=0.68; repeatable."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    no_answers: Annotated[
        bool, typer.Option("--no-answers", help="Measure retrieval only; nothing is answered.")
    ] = False,
    results: Annotated[
        Path | None,
        typer.Option(
            "--results", metavar="FILE", help="Keep finished rows; a stopped run goes on."
        ),
    ] = None,
    model: ModelOption = None,
    no_model: NoModelOption = False,
) -> None:
    """Measure a persona: recall, declining and grounding over a file of questions."""
    from salon.eval import parse_bars

    wanted = parse_bars(bars or ())
    chosen = chosen_model(model, no_model)
    with opened(context) as place:
        report = _measure(place, persona, questions, chosen, results, not no_answers)
    missed = report.failing(wanted)
    if as_json:
        _print_json(report)
    else:
        _print_report(report)
    for name in missed:
        note(f"{name} is {report.figures[name]:.3f}, below the bar of {wanted[name]:.3f}", "red")
    if missed:
        raise typer.Exit(BELOW_BAR)


def _measure(
    place: Opened,
    persona: str,
    questions: Path,
    model: str | None,
    results: Path | None,
    answers: bool,
) -> EvalReport:
    import asyncio

    from salon import eval as evaluation

    work = evaluation.evaluate(
        place.house,
        persona,
        questions,
        answers=answers,
        model=model,
        results=results,
        progress=place.watch,
    )
    try:
        with place.watch.shown():
            return asyncio.run(work)
    except KeyboardInterrupt:
        kept = f"the same command goes on from {results}" if results else "--results FILE keeps it"
        raise Stopped(f"What was measured: {kept}.") from None


def _print_report(report: EvalReport) -> None:
    counts = ", ".join(f"{count} {kind}" for kind, count in report.counts.items() if count)
    say(f"{report.persona}: {counts} questions", "bold")
    if report.model:
        say(f"Answers by {report.model}", "dim")
    rows = [(name, f"{value:.3f}", FIGURES.get(name, "")) for name, value in report.figures.items()]
    say_rows(rows, ("cyan", "bold"))
    for warning in report.warnings:
        note(warning, "yellow")


def _print_json(report: EvalReport) -> None:
    import json

    from salon.surfaces.safe_text import safe_json

    print(safe_json(json.dumps(report.as_json(), ensure_ascii=False, indent=2)))
