"""`salon new` and `salon index`: from somebody's files to a persona that can be asked."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from salon.errors import IndexStoppedError
from salon.surfaces.cli.answering import PersonaArgument
from salon.surfaces.cli.opening import Opened, opened
from salon.surfaces.safe_text import one_line
from salon.surfaces.terminal import Stopped, note, say

if TYPE_CHECKING:
    from salon.index.build import BuildReport
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
            say(f"\nNext: {place.command} index {created.card.id}")
            return
        build_index(place, created.card.id)
        say(f'\nNext: {place.command} ask {created.card.id} "..."')


def index(
    context: typer.Context,
    persona: PersonaArgument,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="Read, cut and store everything again; only vectors of known texts are kept.",
        ),
    ] = False,
) -> None:
    """Build a persona's index again, from what changed in its folder."""
    with opened(context) as place:
        build_index(place, place.house.persona(persona).id, rebuild=rebuild)


def build_index(place: Opened, persona: str, *, rebuild: bool = False) -> None:
    """Builds, shows how far it is, and says what came of it."""
    try:
        with place.watch.shown(), stop_on_ctrl_c() as stop:
            report = place.house.index(persona, rebuild=rebuild, stop=stop)
    except (IndexStoppedError, KeyboardInterrupt):
        raise Stopped(
            f"What was embedded is kept: `{place.command} index {persona}` goes on from there. "
            "An index from before stays in use."
        ) from None
    tell_of_index(report)


@contextmanager
def stop_on_ctrl_c() -> Iterator[Event]:
    """The first Ctrl-C sets the event: work ends where it is safe. The second interrupts it."""
    stop = Event()
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:  # started so that Ctrl-C does not reach it
        yield stop
        return

    def asked_to_stop(number: int, frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)
        note("\nStopping...")

    signal.signal(signal.SIGINT, asked_to_stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def tell_of_index(report: BuildReport) -> None:
    if report.unchanged:
        say(f"Nothing changed: {report.passages} passages of {report.sources} sources.")
        return
    say(
        f"Indexed {report.passages} passages of {report.sources} sources in {report.seconds:.1f} s "
        f"({report.embedded} vectors computed, {report.reused} kept)."
    )
    _tell_of_files("were left out", [("", error.problem) for error in report.refused])
    _tell_of_files("say the same as another", [(name, "") for name in report.repeated])


def _tell_of_guesses(created: Created) -> None:
    say(f"Made {created.folder} from {created.sources} files.")
    if created.guesses:
        width = max(len(guess.key) for guess in created.guesses)
        say("Guessed (change it in persona.yaml):")
        for guess in created.guesses:
            say(f"  {guess.key:<{width}}  {one_line(guess.value)}: {one_line(guess.reason)}")
    _tell_of_files("were left out", created.refused)


def _tell_of_files(what: str, files: Sequence[tuple[str, str]]) -> None:
    """Names of files, each with a reason, up to a number that a person reads."""
    if not files:
        return
    note(f"{len(files)} {'file' if len(files) == 1 else 'files'} {what}:", "yellow")
    for name, reason in files[:_SHOWN]:
        note(f"  {one_line(': '.join(filter(None, (name, reason))))}", "yellow")
    if len(files) > _SHOWN:
        note(f"  and {len(files) - _SHOWN} more, listed in sources/sources.yaml")
