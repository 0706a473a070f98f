"""`salon serve`: the HTTP surface, on loopback unless a secret guards it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from salon.errors import NotFoundError
from salon.surfaces.cli.place import Place
from salon.surfaces.terminal import note, own_command, print_error, say

if TYPE_CHECKING:
    from salon.house import House


def register(app: typer.Typer) -> None:
    app.command()(serve)


def serve(
    context: typer.Context,
    persona: Annotated[
        list[str] | None,
        typer.Option("--persona", "-p", metavar="PERSONA", help="Serve this one only; repeatable."),
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", help="Address to listen on. Default: 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Default: 5050; 0 takes a free one."),
    ] = None,
) -> None:
    """Answer over HTTP: POST /api/query, and what /openapi.json describes."""
    import salon.answer.compose  # noqa: F401  (loaded before the event loop runs, not within it)
    from salon.house import House
    from salon.surfaces.http.app import create_app
    from salon.surfaces.http.guards import rules_for
    from salon.surfaces.http.served import Served
    from salon.surfaces.http.server import address_of, listen, run_server
    from salon.surfaces.logs import LoggedProgress, configure

    place: Place = context.obj
    settings = place.settings()
    host = host or settings.server.host
    rules = rules_for(host, settings)
    house = House.open(place.folder, settings, progress=LoggedProgress())
    chosen = _chosen(house, persona or ())
    opened = listen(host, settings.server.port if port is None else port)
    configure()
    served = Served(house, chosen, settings.limits)
    say(f"Salon serves {', '.join(served.ids())} of {place.folder} at {address_of(opened)}")
    say("Ctrl-C stops it.", "dim")
    try:
        run_server(create_app(served, rules), opened)
    except KeyboardInterrupt:
        note("Stopped.")


def _chosen(house: House, names: Sequence[str]) -> tuple[str, ...]:
    """The ids of the named personas; () for all there are, now and later."""
    for problem in house.problems:
        note(f"Not served: {problem.folder.name}", "yellow")
        print_error(problem.error)
    if names:
        return tuple(dict.fromkeys(house.persona(name).id for name in names))
    if not house.personas():
        raise NotFoundError(
            f"there is no persona to serve in {house.path}",
            cure=f"make one: {own_command()} new NAME --from FOLDER; or name the house: --house",
        )
    return ()
