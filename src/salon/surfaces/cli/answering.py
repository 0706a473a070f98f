"""`salon ask` and `salon chat`: a question, or a conversation."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from salon.surfaces.cli.opening import opened
from salon.surfaces.terminal import Stopped, note, out

NO_MODEL = "none"

PersonaArgument = Annotated[str, typer.Argument(metavar="PERSONA", help="The persona's id.")]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="KIND[:MODEL]", help="Who writes, for this run only."),
]
NoModelOption = Annotated[
    bool, typer.Option("--no-model", help="Answer in the sources' own words, without a model.")
]

AsOption = Annotated[
    str,
    typer.Option("--as", metavar="NAME", help="Who you are: the persona remembers you by it."),
]


def register(app: typer.Typer) -> None:
    app.command()(ask)
    app.command()(chat)


def ask(
    context: typer.Context,
    persona: PersonaArgument,
    question: Annotated[
        str, typer.Argument(help="The question, in quotation marks; '-' reads it from a pipe.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what POST /api/query returns.")
    ] = False,
    model: ModelOption = None,
    no_model: NoModelOption = False,
    person: AsOption = "",
) -> None:
    """Ask a persona one question."""
    from asyncio import Runner

    from salon.surfaces.cli import talking

    chosen = chosen_model(model, no_model)
    question = sys.stdin.read() if question == "-" else question
    with opened(context) as place, Runner() as runner:
        writing = talking.Writing(place.watch)
        try:
            answer = talking.answer_once(
                runner, place, persona, question, (), chosen, writing, person
            )
        except KeyboardInterrupt:
            if writing.text and not as_json:
                out.print(talking.stopped_text(writing))
            told = "" if chosen == NO_MODEL else "The model has stopped too."
            raise Stopped(told) from None
        if as_json:
            talking.print_json(answer)
        else:
            talking.print_answer(answer)
            if not chosen:
                talking.tell_of_models(answer)


def chat(
    context: typer.Context,
    persona: PersonaArgument,
    model: ModelOption = None,
    no_model: NoModelOption = False,
    person: AsOption = "",
) -> None:
    """Talk with a persona: follow-ups are understood. Ctrl-C stops an answer, /quit leaves."""
    from asyncio import Runner

    from salon.surfaces.cli import talking
    from salon.surfaces.exit_codes import code_for

    chosen = chosen_model(model, no_model)
    with opened(context) as place, Runner() as runner:
        card = place.house.persona(persona)
        note(f"You talk with {card.name}. /new begins again, /quit leaves, Ctrl-C stops an answer.")
        failure = talking.converse(runner, place, card.id, chosen, person)
        if failure is not None and not sys.stdin.isatty():
            raise typer.Exit(code_for(failure))


def chosen_model(model: str | None, no_model: bool) -> str | None:
    if model and no_model:
        raise typer.BadParameter("--model and --no-model exclude each other")
    from salon.house.house import OWN_WORDS

    # Answers call themselves that when no model wrote them, so people give it back.
    return NO_MODEL if no_model or model == OWN_WORDS else model
