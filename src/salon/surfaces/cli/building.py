"""`salon new` and `salon index`: from somebody's files to a persona that can be asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salon.surfaces.cli.answering import PersonaArgument
from salon.surfaces.cli.opening import Opened, opened
from salon.surfaces.safe_text import one_line
from salon.surfaces.terminal import Stopped, note, own_command, say

if TYPE_CHECKING:
    from salon.persona.create import Created

_SHOWN = 10
"""Files that are listed by name; all of them stand in sources.yaml."""


def register(app: typer.Typer) -> None:
    app.command()(new)
    app.command()(index)


def new(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The persona's name; its id is made from it.")],
    sources: Annotated[
        list[Path],
        typer.Option(
            "--from", metavar="PATH", help="A file or folder of the person's writings; repeatable."
        ),
    ],
    display_name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The full name that readers see.")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="CODE", help="As 'en' or 'fr'.")
    ] = None,
    no_index: Annotated[
        bool, typer.Option("--no-index", help="Only write the folder; index it later.")
    ] = False,
) -> None:
    """Make a persona from a folder of writings, and its index."""
    with opened(context) as place:
        try:
            with place.watch.shown():
                created = place.house.create(
                    name,
                    sources,
                    display_name=display_name,
                    language=language,
                    progress=place.watch,
                )
        except KeyboardInterrupt:
            raise Stopped("Nothing was written.") from None
        _tell_of_guesses(created)
        if no_index:
            say(f"\nNext: {own_command()} index {created.card.id}")
            return
        build_index(place, created.card.id)
        say(f'\nNext: {own_command()} ask {created.card.id} "..."')


def index(
    context: typer.Context,
    persona: PersonaArgument,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Embed everything again, even what did not change.")
    ] = False,
) -> None:
    """Build a persona's index again, from what changed in its folder."""
    with opened(context) as place:
        build_index(place, place.house.persona(persona).id, rebuild=rebuild)


def build_index(place: Opened, persona: str, *, rebuild: bool = False) -> None:
    """Builds, shows how far it is, and says what came of it."""
    try:
        with place.watch.shown():
            report = place.house.index(persona, rebuild=rebuild)
    except KeyboardInterrupt:
        raise Stopped(
            "The index from before is still in use, and what was embedded is kept: "
            f"`{own_command()} index {persona}` goes on from there."
        ) from None


def _tell_of_guesses(created: Created) -> None:
    say(f"Made {created.folder} from {created.sources} files.")
    if created.guesses:
        width = max(len(guess.key) for guess in created.guesses)
        say("Guessed (change it in persona.yaml):")
        for guess in created.guesses:
            say(f"  {guess.key:<{width}}  {one_line(guess.value)}: {one_line(guess.reason)}")
    if created.refused:
        note(f"{len(created.refused)} files were left out:", "yellow")
        for name, reason in created.refused[:_SHOWN]:
            note(f"  {one_line(name)}: {one_line(reason)}", "yellow")
        if len(created.refused) > _SHOWN:
            note(f"  and {len(created.refused) - _SHOWN} more, listed in sources/sources.yaml")
