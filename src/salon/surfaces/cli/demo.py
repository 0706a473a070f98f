"""`salon demo`: the bundled persona, made, indexed and asked, from nothing to two answers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from salon.errors import ModelFileError, ModelUnavailable, SalonError
from salon.surfaces.cli.opening import Opened, open_house
from salon.surfaces.cli.place import PERSONAS, Place
from salon.surfaces.terminal import Stopped, note, out, own_command, print_error, say, say_rows

if TYPE_CHECKING:
    from asyncio import Runner

HOST = "host"
QUESTION = "Why does Salon check every quotation word for word?"
EMBEDDED = "local"
NO_MODEL = "none"


def register(app: typer.Typer) -> None:
    app.command()(demo)


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="The house that is made for it.")
    ] = Path("demo"),
) -> None:
    """Build the bundled persona and ask it a question: first without a model, then with one."""
    from asyncio import Runner

    from salon.surfaces.cli.building import build_index

    say(f"A house in {folder}/, with one persona: the Host, who knows Salon's own guide.")
    bring_host(folder / PERSONAS / HOST)
    with open_house(Place(folder.absolute(), named=True)) as place, Runner() as runner:
        build_index(place, HOST)
        say(f"\nThe question: {QUESTION}", "bold")
        say("\n1. In the sources' own words, without a model\n", "bold magenta")
        _answer(runner, place, NO_MODEL)
        say("\n2. Written by a model, in the Host's voice\n", "bold magenta")
        chosen = place.house.settings.models.chat
        try:
            _answer(runner, place, EMBEDDED if chosen == "auto" else chosen)
        except (ModelFileError, ModelUnavailable) as error:
            _without_model(error)
        server = place.house.settings.server
    say("\nNext", "bold magenta")
    say_rows(
        (
            (f"{own_command()} --house {folder} chat {HOST}", "talk with the Host"),
            (f"{own_command()} --house {folder} serve", f"http://{server.host}:{server.port}"),
            (f"{own_command()} new NAME --from FOLDER", "a persona from writings of your own"),
        ),
        ("cyan",),
    )


def bring_host(folder: Path) -> None:
    """Writes the Host's folder: files that are there stay, its sources become the guide's pages."""
    from salon.bundled import guide_folder, host_folder

    bundled = host_folder()
    pages = sorted(guide_folder().glob("*.md"))
    wanted = {path.relative_to(bundled): path for path in sorted(bundled.rglob("*"))}
    for relative, path in wanted.items():
        if path.is_file() and not (folder / relative).exists():
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / relative)
    sources = folder / "sources"
    sources.mkdir(parents=True, exist_ok=True)
    for old in sources.glob("*.md"):
        if old.name not in {page.name for page in pages}:
            old.unlink()
    for page in pages:
        copy = sources / page.name
        if not copy.is_file() or copy.read_bytes() != page.read_bytes():
            shutil.copyfile(page, copy)


def _answer(runner: Runner, place: Opened, model: str) -> None:
    from salon.surfaces.cli import talking

    writing = talking.Writing(place.watch)
    try:
        answer = talking.answer_once(runner, place, HOST, QUESTION, (), model, writing)
    except KeyboardInterrupt:
        if writing.text:
            out.print(talking.stopped_text(writing))
        raise Stopped("The same command goes on from here; what was fetched is kept.") from None
    talking.print_answer(answer)


def _without_model(error: SalonError) -> None:
    """The demonstration goes on without a model, but not without a word about it."""
    from salon.plugins import load_plugins

    note("The embedded model could not answer, so there is no second answer:", "yellow")
    print_error(error)
    say("\nAny of these can write instead:")
    kinds = (found for found in load_plugins().summaries() if found.port == "chat")
    say_rows(((found.kind, found.summary) for found in kinds), ("cyan",))
