"""The program: its global option, its commands, and how every failure ends."""

from __future__ import annotations

import os
import sys
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from salon import __version__
from salon.errors import SalonError
from salon.surfaces import exit_codes
from salon.surfaces.cli import (
    answering,
    building,
    demo,
    doctor,
    evaluating,
    models,
    remembering,
    roundtable,
    serving,
    showing,
)
from salon.surfaces.cli.place import find_place
from salon.surfaces.terminal import Stopped, debugging, err, note, print_error

app = typer.Typer(
    name="salon",
    help="Personas that answer only from a person's own writings.",
    epilog="\b\nExit codes:\n" + exit_codes.table(),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (
    building,
    answering,
    showing,
    remembering,
    models,
    doctor,
    evaluating,
    serving,
    roundtable,
    demo,
):
    commands.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"salon {__version__}")
        raise typer.Exit


@app.callback()
def _globals(
    context: typer.Context,
    house: Annotated[
        Path | None,
        typer.Option(
            "--house",
            metavar="DIR",
            envvar="SALON_HOUSE",
            help="The house to work in. Default: the nearest folder upward with salon.toml or "
            "personas/, else one in your user data folder.",
        ),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    context.obj = find_place(house)


def main() -> None:
    """Runs the program and leaves with a documented exit code."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started this process
            setattr(sys, name, StringIO())
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    code = run(_house_first(sys.argv[1:]))
    sys.exit(_flushed(code))


def _flushed(code: int) -> int:
    """The exit code, after what is still unwritten was written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_stdout()
    except OSError as error:
        _let_go_of_stdout()
        return _refused_by_the_system(error)
    return code


def _let_go_of_stdout() -> None:
    """What is still unwritten goes nowhere, and is not tried again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run(arguments: list[str]) -> int:
    """Runs one command line and returns its exit code. Errors are printed, never raised."""
    try:
        app(arguments, prog_name="salon")
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            return exit_codes.OK  # the reader of our output has seen enough, as `head` has
        return end.code if isinstance(end.code, int) else exit_codes.UNEXPECTED
    except Stopped as stopped:
        note(f"\nStopped. {stopped}".rstrip(), style="yellow")
        return exit_codes.INTERRUPTED
    except KeyboardInterrupt:
        note("\nStopped.", style="yellow")
        return exit_codes.INTERRUPTED
    except SalonError as error:
        if debugging():
            err.print_exception()
        print_error(error)
        return exit_codes.code_for(error)
    except BrokenPipeError:
        return exit_codes.OK
    except OSError as error:
        return _refused_by_the_system(error)
    except Exception as error:
        return _unexpected(error)
    return exit_codes.OK


def _refused_by_the_system(error: OSError) -> int:
    if debugging():
        err.print_exception()
    where = f"{error.filename}: " if error.filename else "reading or writing failed: "
    print_error(
        SalonError(
            f"{where}{error.strerror or error}",
            expected="files and an output that this user may use, on a disk with room",
            cure="change the permissions, or make room, then run it again",
        )
    )
    return exit_codes.UNEXPECTED


def _unexpected(error: Exception) -> int:
    if debugging():
        err.print_exception()
    kind = type(error).__name__
    problem = f"Salon failed in a way it should not: {kind}: {error}"
    print_error(SalonError(problem, cure="run it again with SALON_DEBUG=1 and report it"))
    return exit_codes.UNEXPECTED


def _house_first(arguments: list[str]) -> list[str]:
    """Lets `--house DIR` stand anywhere before `--`, though it is the program's own option."""
    own = arguments.index("--") if "--" in arguments else len(arguments)
    front: list[str] = []
    rest: list[str] = []
    words = iter(arguments[:own])
    for word in words:
        if word == "--house":
            front += [word, *([value] if (value := next(words, None)) is not None else [])]
        elif word.startswith("--house="):
            front.append(word)
        else:
            rest.append(word)
    return front + rest + arguments[own:]
