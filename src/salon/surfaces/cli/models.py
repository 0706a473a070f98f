"""`salon models`: the model files on this machine, and the kinds of model that can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from salon.errors import SalonError
from salon.surfaces.cli.place import Place
from salon.surfaces.terminal import (
    Stopped,
    Watch,
    note,
    own_command,
    print_error,
    say,
    say_rows,
    size_text,
)

if TYPE_CHECKING:
    from salon.model_files import FetchSettings
    from salon.settings import Settings

_TITLES = {"chat": "Chat models", "embedder": "Embedders", "store": "Vector stores"}

models = typer.Typer(
    help="Model files on this machine, and the kinds of model that can answer.",
    invoke_without_command=True,
)


def register(app: typer.Typer) -> None:
    app.add_typer(models, name="models")


@models.callback()
def _models(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        list_models(context)


@models.command("list")
def list_models(context: typer.Context) -> None:
    """What there is, what is missing, and the one command or variable that brings it."""
    from salon.model_files import MODEL_FILES, present
    from salon.plugins import load_plugins

    settings = _settings(context)
    say(f"Model files in {settings.models_dir}", "bold")
    say_rows(
        (
            (
                name,
                "here" if present(settings.models_dir, name) else "missing",
                size_text(file.size),
                f"{file.summary} ({file.licence})",
            )
            for name, file in MODEL_FILES.items()
        ),
        ("cyan",),
    )
    say(f"  One is fetched by: {own_command()} models get NAME", "dim")
    plugins = load_plugins()
    for port, title in _TITLES.items():
        say(f"\n{title}", "bold")
        rows = [(found.kind, found.summary) for found in plugins.summaries() if found.port == port]
        say_rows(rows, ("cyan",))
    for label, reason in plugins.broken.items():
        say(f"\nThe backend {label} could not be loaded: {reason}", "red")
    say(
        "\nChoose one with --model KIND:MODEL, models.chat in salon.toml or persona.yaml, or the "
        "variable SALON_MODELS_CHAT.",
        "dim",
    )


@models.command("get")
def get_models(
    context: typer.Context,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="As `salon models` lists.")],
) -> None:
    """Fetch model files, going on where an earlier fetch stopped, and check their sha256."""
    from salon.model_files import get, known, present

    settings = _settings(context)
    for name in names:
        known(name)
    watch = Watch()
    try:
        with watch.shown():
            for name in names:
                there = present(settings.models_dir, name)
                path = get(settings.models_dir, name, progress=watch, settings=fetching(settings))
                note(f"{name} is at {path}" if there else f"{name} was fetched to {path}")
    except KeyboardInterrupt:
        raise Stopped("What was fetched is kept: the same command goes on from there.") from None


@models.command("verify")
def verify_models(context: typer.Context) -> None:
    """Compare every model file on this machine with its sha256."""
    from salon.model_files import MODEL_FILES, path_of, verify

    settings = _settings(context)
    worst: SalonError | None = None
    for name in MODEL_FILES:
        if not path_of(settings.models_dir, name).is_file():
            say(f"  {name}: not fetched", "dim")
            continue
        try:
            verify(settings.models_dir, name)
        except SalonError as error:
            print_error(error)
            worst = error
        else:
            say(f"  {name}: good", "green")
    if worst is not None:
        from salon.surfaces.exit_codes import code_for

        raise typer.Exit(code_for(worst))


def _settings(context: typer.Context) -> Settings:
    place: Place = context.obj
    return place.settings()


def fetching(settings: Settings) -> FetchSettings:
    """How files are fetched in this house."""
    from salon.model_files import FetchSettings

    return FetchSettings(index_url=settings.package_index)
