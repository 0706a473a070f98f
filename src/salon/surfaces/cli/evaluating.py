"""`salon eval`: measures a persona with evidence questions, against a bar when one is given."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from salon.surfaces.cli.answering import ModelOption, NoModelOption, PersonaArgument, chosen_model
from salon.surfaces.cli.opening import Opened, opened
from salon.surfaces.exit_codes import BELOW_BAR
from salon.surfaces.terminal import Stopped, note, say, say_rows

if TYPE_CHECKING:
    from salon.eval import EvalReport

T = TypeVar("T")

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


QuestionsOption = Annotated[
    Path, typer.Option("--questions", "-q", metavar="FILE", help="Evidence questions, JSON lines.")
]
BarsOption = Annotated[
    list[str] | None,
    typer.Option("--min", metavar="FIGURE=SHARE", help="As recall@6=0.68; repeatable."),
]
CompareOption = Annotated[
    list[str] | None,
    typer.Option(
        "--compare",
        metavar="SETTING=A,B",
        help="Measure each value of a setting, as cutter=prose,fragments, on an index that is "
        "thrown away; repeatable. Answers only with --model or --no-model.",
    ),
]
ResultsOption = Annotated[
    Path | None,
    typer.Option("--results", metavar="FILE", help="Keep finished rows: a stopped run goes on."),
]
NoAnswersOption = Annotated[
    bool, typer.Option("--no-answers", help="Measure retrieval only; nothing is answered.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]


def register(app: typer.Typer) -> None:
    app.command(name="eval")(measure)


def measure(
    context: typer.Context,
    persona: PersonaArgument,
    questions: QuestionsOption,
    bars: BarsOption = None,
    comparisons: CompareOption = None,
    as_json: JsonOption = False,
    no_answers: NoAnswersOption = False,
    results: ResultsOption = None,
    model: ModelOption = None,
    no_model: NoModelOption = False,
) -> None:
    """Measure a persona: recall, declining and grounding over a file of questions."""
    from salon.eval import compare, evaluate, parse_bars, parse_variants

    if comparisons and results:
        raise typer.BadParameter("--results keeps one run: it does not go with --compare")
    wanted = parse_bars(bars or ())
    variants = parse_variants(comparisons or ())
    chosen = chosen_model(model, no_model)
    answers = not no_answers and (not comparisons or chosen is not None)
    with opened(context) as place:
        options: dict[str, Any] = {"answers": answers, "model": chosen, "progress": place.watch}
        if comparisons:
            reports = _run(place, compare(place.house, persona, questions, variants, **options))
        else:
            work = evaluate(place.house, persona, questions, results=results, **options)
            reports = (_run(place, work, results),)
    if as_json:
        _print_json(reports)
    else:
        _print_reports(reports)
    reached = [_reaches(report, wanted) for report in reports]
    if not all(reached):
        raise typer.Exit(BELOW_BAR)


def _run(place: Opened, work: Coroutine[Any, Any, T], results: Path | None = None) -> T:
    import asyncio

    try:
        with place.watch.shown():
            return asyncio.run(work)
    except KeyboardInterrupt:
        kept = "is kept: the same command goes on" if results else "is lost (--results keeps it)"
        raise Stopped(f"What was measured {kept}.") from None


def _reaches(report: EvalReport, bars: Mapping[str, float]) -> bool:
    """Whether every bar is reached; says which are not."""
    missed = report.failing(bars)
    for name in missed:
        where = f"{report.setting}: " if report.setting else ""
        figure = f"{where}{name} is {report.figures[name]:.3f}"
        note(f"{figure}, below the bar of {bars[name]:.3f}", "red")
    return not missed


def _print_reports(reports: Sequence[EvalReport]) -> None:
    first = reports[0]
    counts = ", ".join(f"{count} {kind}" for kind, count in first.counts.items() if count)
    say(f"{first.persona}: {counts} questions", "bold")
    if first.model:
        say(f"Answers by {first.model}", "dim")
    if len(reports) == 1 and not first.setting:
        rows = [
            (name, f"{value:.3f}", FIGURES.get(name, "")) for name, value in first.figures.items()
        ]
        say_rows(rows, ("cyan", "bold"))
    else:
        table = [("", *(report.setting for report in reports), "")]
        for name in first.figures:
            values = (f"{report.figures.get(name, float('nan')):.3f}" for report in reports)
            table.append((name, *values, FIGURES.get(name, "")))
        say_rows(table, ("cyan",))
    for warning in dict.fromkeys(warning for report in reports for warning in report.warnings):
        note(warning, "yellow")


def _print_json(reports: Sequence[EvalReport]) -> None:
    """One report as an object, several as a list."""
    import json

    from salon.surfaces.safe_text import safe_json

    found = [report.as_json() for report in reports]
    shown = found[0] if len(found) == 1 else found
    print(safe_json(json.dumps(shown, ensure_ascii=False, indent=2)))
