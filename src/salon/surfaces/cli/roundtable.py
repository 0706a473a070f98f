"""`salon roundtable`: personas talk about a topic in turn, and the transcript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salon.errors import InputError
from salon.surfaces.cli.opening import opened
from salon.surfaces.terminal import note, own_command, say

if TYPE_CHECKING:
    from salon.house import House
    from salon.room.roundtable import Plan


def register(app: typer.Typer) -> None:
    app.command()(roundtable)


def roundtable(
    context: typer.Context,
    topic: Annotated[str, typer.Argument(help="What is talked about.")],
    personas: Annotated[list[str], typer.Argument(help="Who talks: two or more.")],
    turns: Annotated[
        int, typer.Option("--turns", min=1, max=200, help="Turns of the discussion.")
    ] = 8,
    moderator: Annotated[
        str, typer.Option("--moderator", help="A persona that opens and closes.")
    ] = "",
    statements: Annotated[
        bool,
        typer.Option("--statements/--no-statements", help="Opening and closing statements."),
    ] = True,
    room: Annotated[str, typer.Option("--room", help="The room it is held in.")] = "#roundtable",
    run: Annotated[
        str, typer.Option("--run", help="Another name holds the same roundtable anew.")
    ] = "1",
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write the transcript: .md, .json or .html."),
    ] = None,
) -> None:
    """Let personas talk about a topic in turn. Run it again and it goes on where it stopped."""
    import asyncio

    from salon.room.roundtable import Plan

    _form(out)
    with opened(context) as place:
        names = [*personas, *([moderator] if moderator else [])]
        cards = {name: place.house.persona(name) for name in names}
        plan = Plan(
            topic,
            tuple(dict.fromkeys(cards[name].id for name in personas)),
            turns,
            cards[moderator].id if moderator else "",
            statements,
            statements,
            next(iter(cards.values())).language,
            run,
        )
        text = asyncio.run(_hold(place.house, plan, room, out))
        if out is not None:
            out.write_text(text, encoding="utf-8")
            note(f"Transcript: {out}")
        note(f"Anew: {own_command()} roundtable ... --run 2")


def _form(out: Path | None) -> str:
    from salon.room.transcript import FORMS

    ending = out.suffix.lstrip(".").lower() if out is not None else "md"
    if ending not in FORMS:
        raise InputError(
            f"a transcript cannot be written as {out}",
            expected=f"a file that ends in {', '.join(f'.{name}' for name in FORMS)}",
        )
    return ending


async def _hold(house: House, plan: Plan, name: str, out: Path | None) -> str:
    """Shows each turn as it ends; the transcript."""
    from contextlib import aclosing

    from salon.house.rooms import open_rooms
    from salon.room.roundtable import held, hold
    from salon.room.transcript import FORMS
    from salon.types import Posted, TurnStarted

    async with open_rooms(house) as rooms:
        live = await rooms.room(name)
        for message in await held(live, plan):
            note(f"{message.speaker.nick}: said before")
        async with aclosing(hold(live, plan)) as events:
            async for event in events:
                if isinstance(event, TurnStarted):
                    note(f"{event.persona.nick} is thinking ...")
                elif isinstance(event, Posted):
                    say(f"{event.message.speaker.nick}: {event.message.text}\n")
        return FORMS[_form(out)](plan.topic, await held(live, plan))
