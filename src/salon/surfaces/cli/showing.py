"""`salon show`: a passage where it stands, with the cited words marked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from salon.errors import InputError
from salon.surfaces.cli.answering import PersonaArgument
from salon.surfaces.cli.opening import opened
from salon.surfaces.terminal import out, say, say_rows

if TYPE_CHECKING:
    from salon.house.house import PassageInSource
    from salon.types import Span

_REFERENCE = re.compile(r"(?P<passage>[^\s:]+)(?::(?P<start>\d+)-(?P<end>\d+))?")


def register(app: typer.Typer) -> None:
    app.command()(show)


def show(
    context: typer.Context,
    persona: PersonaArgument,
    reference: Annotated[
        str, typer.Argument(help="A passage's id, or the reference printed beside a note.")
    ],
    around: Annotated[
        int, typer.Option("--around", min=0, help="Characters shown before and after.")
    ] = 400,
) -> None:
    """Show a passage in its source, with the cited words marked."""
    import asyncio

    from salon.surfaces.render import passage_view

    passage_id, marks = _parse(reference)
    with opened(context) as place:
        found = asyncio.run(place.house.passage(persona, passage_id))
    _tell_where(found)
    out.print()
    view = passage_view(found.source.text, found.passage, marks, around)
    out.print(view, soft_wrap=not out.is_terminal)


def _parse(reference: str) -> tuple[str, tuple[Span, ...]]:
    from salon.types import Span

    match = _REFERENCE.fullmatch(reference.strip())
    if match is None:
        raise InputError(
            f"{reference!r} is no reference to a passage",
            expected="a passage's id, or id:start-end as it is printed beside a note",
        )
    if match["start"] is None:
        return match["passage"], ()
    return match["passage"], (Span(int(match["start"]), int(match["end"])),)


def _tell_where(found: PassageInSource) -> None:
    info, passage = found.source.info, found.passage
    say(info.title or info.name, "bold")
    rows = [
        ("section", passage.section),
        ("author", info.author),
        ("date", passage.date or info.date),
        ("place", passage.place),
        ("speaker", passage.speaker),
        ("time", passage.time),
        ("page", passage.page),
        ("file", info.name),
        ("in the file", ", ".join(_place(found))),
        ("from", info.origin),
        ("licence", info.licence),
        ("passage", passage.id),
    ]
    say_rows([row for row in rows if row[1]], ("dim",))


def _place(found: PassageInSource) -> list[str]:
    return [
        f"{f'{place.part}, ' if place.part else ''}characters {place.start:,} to {place.end:,}"
        for place in found.original
    ]
