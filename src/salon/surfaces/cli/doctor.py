"""`salon doctor`: what is well, what is not, and the command that mends it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from salon.errors import SalonError
from salon.surfaces.cli.place import Place
from salon.surfaces.exit_codes import OK, code_for
from salon.surfaces.safe_text import one_line, safe_text
from salon.surfaces.terminal import indented, out, say, size_text

if TYPE_CHECKING:
    from salon.house import House
    from salon.settings import Settings

_ROOM = 1_000_000_000
"""Free bytes below which an index or a model file may not fit."""


def register(app: typer.Typer) -> None:
    app.command()(doctor)


@dataclass(frozen=True)
class Finding:
    """What was looked at. `cure` says that something is missing or odd, `error` that it fails."""

    what: str
    state: str
    cure: str = ""
    error: SalonError | None = None


def doctor(
    context: typer.Context,
    persona: Annotated[
        str | None, typer.Argument(metavar="[PERSONA]", help="This persona only; else all.")
    ] = None,
) -> None:
    """Check settings, model files, personas, indexes and disk; name what mends each fault."""
    place: Place = context.obj
    worst = OK
    for finding in _findings(place, persona):
        _print(finding)
        if finding.error is not None:
            worst = worst or code_for(finding.error)
    if worst:
        raise typer.Exit(worst)
    say("\nAll is well.", "green")


def _print(finding: Finding) -> None:
    mark, style = ("fail", "bold red") if finding.error else ("note", "yellow")
    if not finding.error and not finding.cure:
        mark, style = "good", "green"
    line = Text().append(f"{mark}  ", style).append(f"{one_line(finding.what)}: ", "bold")
    line.append(one_line(finding.error.problem if finding.error else finding.state))
    out.print(line, soft_wrap=not out.is_terminal)
    cure = (finding.error.cure or finding.error.expected) if finding.error else finding.cure
    if cure:
        out.print(indented(Text(safe_text(cure), "cyan"), 6, out), soft_wrap=not out.is_terminal)


def _findings(place: Place, persona: str | None) -> Iterator[Finding]:
    from salon.house import House

    there = "" if place.folder.is_dir() else f"{place.command} new NAME --from FOLDER"
    yield Finding("house", f"{place.folder}{' (not made yet)' if there else ''}", there)
    try:
        settings = place.settings()
    except SalonError as error:
        yield Finding("settings", "", error=error)
        return
    yield Finding("settings", "read")
    yield from _disk(place.folder, settings.models_dir)
    yield from _model_files(place, settings)
    with House.open(place.folder, settings) as house:
        for label, reason in house.backends.plugins.broken.items():
            cure = "reinstall the package that brings it"
            yield Finding(f"backend {label}", f"cannot be loaded: {reason}", cure)
        yield from _personas(house, persona)
        yield from _routes(house)


def _disk(*folders: Path) -> Iterator[Finding]:
    disks = {folder.stat().st_dev: folder for folder in map(_existing, folders)}
    for folder in disks.values():
        free = shutil.disk_usage(folder).free
        cure = f"free some space on the disk of {folder}" if free < _ROOM else ""
        yield Finding("disk", f"{free / 1e9:,.1f} GB free at {folder}", cure)


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _model_files(place: Place, settings: Settings) -> Iterator[Finding]:
    from salon.model_files import MODEL_FILES, ensure, path_of

    for name, file in MODEL_FILES.items():
        what = f"model file {name}"
        if not path_of(settings.models_dir, name).is_file():
            yield Finding(what, "not here", f"{place.command} models get {name}")
            continue
        try:
            ensure(settings.models_dir, name, fetch=False)
        except SalonError as error:
            yield Finding(what, "", error=error)
        else:
            yield Finding(what, f"whole, {size_text(file.size)}")


def _personas(house: House, persona: str | None) -> Iterator[Finding]:
    """What each persona's folder says, whether its search runs, and who would write for it."""
    import asyncio

    broken = {problem.folder.name: problem.error for problem in house.problems}
    chosen = house.persona(persona).id if persona and persona not in broken else persona
    for status in asyncio.run(house.ready()):
        identifier = status.persona_id
        if chosen not in (None, identifier):
            continue
        if identifier in broken:
            yield Finding(f"persona {identifier}", "", error=broken[identifier])
            continue
        for notice in house.persona(identifier).notices:
            yield Finding(f"persona {identifier}", notice, "see its persona.yaml")
        found = f"search runs, generation {status.generation}"
        yield Finding(f"index {identifier}", found, error=status.error)
        yield _writer(house, identifier)


def _routes(house: House) -> Iterator[Finding]:
    from salon.house.rooms import read_routes
    from salon.room.routes import FILE_NAME

    if not (house.path / FILE_NAME).exists():
        return
    try:
        found = len(read_routes(house).routes)
    except SalonError as error:
        yield Finding(FILE_NAME, "", error=error)
    else:
        yield Finding(FILE_NAME, f"read, {found} topics")


def _writer(house: House, persona: str) -> Finding:
    from salon.house.house import OWN_WORDS

    name = house.model_name(persona)
    what = f"answers of {persona}"
    if name == OWN_WORDS:
        return Finding(what, "the sources' own words; `salon models` lists models that could write")
    try:
        house.backends.chat(name)
    except SalonError as error:
        return Finding(what, "", error=error)
    return Finding(what, f"written by {name}")
