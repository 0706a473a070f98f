"""`salon memory`: what a persona remembers of people and talks, and whether it is unharmed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from salon.surfaces.cli.answering import PersonaArgument
from salon.surfaces.cli.opening import opened
from salon.surfaces.safe_text import safe_json
from salon.surfaces.terminal import note, out, say, say_rows

if TYPE_CHECKING:
    from salon.memory.ledger import Ledger
    from salon.memory.seals import Entry
    from salon.types import Memory

_SHOWN = 12
"""Digits of an id that lists show; commands take as few as 6."""

memory = typer.Typer(
    help="What a persona remembers of people and talks, and whether it is unharmed.",
    no_args_is_help=True,
)

IdsArgument = Annotated[
    list[str], typer.Argument(metavar="ID...", help="Ids, or their first 6 digits or more.")
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Archived, compacted and redacted ones too.")
]


def register(app: typer.Typer) -> None:
    app.add_typer(memory, name="memory")


@memory.command()
def learn(
    context: typer.Context,
    persona: PersonaArgument,
    text: Annotated[str, typer.Argument(help="What to remember; '-' reads it from a pipe.")],
    about: Annotated[
        str | None, typer.Option("--about", metavar="NAME", help="The person it concerns.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="WORD", help="Default: fact, or correction.")
    ] = None,
    replaces: Annotated[
        str, typer.Option("--replaces", metavar="ID", help="The memory that this one corrects.")
    ] = "",
    pin: Annotated[bool, typer.Option("--pin", help="Always remembered first.")] = False,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="WORD", help="May be repeated.")
    ] = None,
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Who said it.")] = "",
    room: Annotated[str, typer.Option("--room", metavar="NAME", help="Where it was said.")] = "",
    message: Annotated[
        str, typer.Option("--message", metavar="ID", help="The message it comes from.")
    ] = "",
    confidence: Annotated[
        float, typer.Option("--confidence", min=0.0, max=1.0, help="How sure it is.")
    ] = 1.0,
) -> None:
    """Add a memory. It is in the persona's prompt from its next answer on."""
    from datetime import UTC, datetime

    from salon.memory.compiled import CORRECTION, PINNED
    from salon.types import Memory

    said = sys.stdin.read() if text == "-" else text
    with opened(context) as place:
        ledger = place.house.ledgers.of(persona)
        if replaces:
            old = ledger.find(replaces)[1]
            replaces, about = old.id, old.about if about is None else about
        kept = ledger.learn(
            Memory(
                id="",
                text=said,
                kind=kind or (CORRECTION if replaces else "fact"),
                created=datetime.now(UTC),
                author=author,
                room=room,
                source_message=message,
                confidence=confidence,
                tags=(*(tags or ()), *([PINNED] if pin else ())),
                about=about or "",
                replaces=replaces,
            )
        )[0]
    say(f"Learnt {kept.id[:_SHOWN]}.", "green")


@memory.command("list")
def list_memories(
    context: typer.Context,
    persona: PersonaArgument,
    about: Annotated[
        str | None, typer.Option("--about", metavar="NAME", help="Only of this person.")
    ] = None,
    everything: AllOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """List the memories, the newest first."""
    from salon.memory.compiled import same_person

    with opened(context) as place:
        found = [
            (entry, kept)
            for entry, kept in _kept(place.house.ledgers.of(persona), everything)
            if about is None or same_person(kept.about, about)
        ]
    if as_json:
        for entry, kept in found:
            _print_json(entry, kept)
        return
    if not found:
        note("Nothing is remembered.")
    say_rows(
        [
            (
                entry.id[:_SHOWN],
                f"{kept.created:%Y-%m-%d}",
                kept.kind if entry.state == "active" else f"{kept.kind}, {entry.state}",
                kept.about[:24],
                kept.text if len(kept.text) <= 300 else kept.text[:300] + " ...",
            )
            for entry, kept in found
        ],
        ("bold", "dim", "dim"),
    )


@memory.command()
def show(
    context: typer.Context,
    persona: PersonaArgument,
    reference: Annotated[str, typer.Argument(metavar="ID", help="Its id, or 6 digits of it.")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Show one memory with all that is known of it."""
    with opened(context) as place:
        ledger = place.house.ledgers.of(persona)
        entry, kept = ledger.find(reference)
    if as_json:
        _print_json(entry, kept)
        return
    say(kept.text or "(redacted)")
    out.print()
    rows = [
        (name, str(value)) for name, value in _values(entry, kept).items() if value not in ("", [])
    ]
    say_rows([row for row in rows if row[0] != "text"], ("dim",))
    say_rows([("file", str(ledger.folder / entry.place))], ("dim",))


@memory.command()
def verify(
    context: typer.Context,
    persona: PersonaArgument,
    deep: Annotated[
        bool, typer.Option("--deep", help="Read every file, not only those that changed.")
    ] = False,
) -> None:
    """Compare every memory with its seal; names what is not as it was, with exit status 8."""
    from salon.errors import MemorySealError

    with opened(context) as place:
        ledger = place.house.ledgers.of(persona)
        report = ledger.verify(deep=deep)
        if not report.sound:
            raise MemorySealError(
                f"the memory in {ledger.folder} is not what was sealed",
                faults=report.faults,
                cure="put the files back from a copy, then verify again",
            )
    say(f"Sound: {report.memories:,} memories, {report.hashed:,} files read.", "green")
    if report.root:
        say_rows([("root", report.root)], ("dim",))


@memory.command()
def archive(context: typer.Context, persona: PersonaArgument, ids: IdsArgument) -> None:
    """Take memories out of use; their files are kept, and `restore` brings them back."""
    _each(context, persona, ids, "archive", "Archived")


@memory.command()
def restore(context: typer.Context, persona: PersonaArgument, ids: IdsArgument) -> None:
    """Bring archived memories back into use."""
    _each(context, persona, ids, "restore", "Restored")


@memory.command()
def redact(
    context: typer.Context,
    persona: PersonaArgument,
    ids: IdsArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take the text of memories away for good; a sealed tombstone without it stays."""
    if not yes:
        if not sys.stdin.isatty():
            raise typer.BadParameter("redacting cannot be undone: say --yes to do it")
        typer.confirm("The text goes for good. Redact?", abort=True)
    _each(context, persona, ids, "redact", "Redacted")


@memory.command()
def export(
    context: typer.Context,
    persona: PersonaArgument,
    target: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Default: standard output.")
    ] = None,
    everything: AllOption = False,
) -> None:
    """Write the memories as JSON, one a line, the oldest first."""
    with opened(context) as place:
        found = list(_kept(place.house.ledgers.of(persona), everything))[::-1]
    if target is None:
        for entry, kept in found:
            _print_json(entry, kept)
        return
    from salon.memory.seals import write_whole

    lines = [json.dumps(_values(entry, kept), ensure_ascii=False) for entry, kept in found]
    write_whole(target, "".join(f"{line}\n" for line in lines).encode("utf-8"))
    note(f"{len(lines):,} memories are in {target}.")


def _each(context: typer.Context, persona: str, ids: list[str], change: str, done: str) -> None:
    with opened(context) as place:
        ledger = place.house.ledgers.of(persona)
        for entry in [ledger.find(reference)[0] for reference in ids]:
            getattr(ledger, change)(entry.id)
            say(f"{done} {entry.id[:_SHOWN]}.", "green")


def _kept(ledger: Ledger, everything: bool) -> list[tuple[Entry, Memory]]:
    from salon.memory.seals import STATES

    entries = {entry.id: entry for entry in ledger.entries()}
    found = ledger.memories(*(STATES if everything else ()))
    return [(entries[kept.id], kept) for kept in found if kept.id in entries]


def _values(entry: Entry, kept: Memory) -> dict[str, Any]:
    from salon.memory.form import written_time

    return {
        "id": kept.id,
        "state": entry.state,
        "kind": kept.kind,
        "text": kept.text,
        "created": written_time(kept.created),
        "author": kept.author,
        "about": kept.about,
        "room": kept.room,
        "source_message": kept.source_message,
        "confidence": kept.confidence,
        "tags": list(kept.tags),
        "replaces": kept.replaces,
    }


def _print_json(entry: Entry, kept: Memory) -> None:
    ascii_only = not out.encoding.startswith("utf")
    print(safe_json(json.dumps(_values(entry, kept), ensure_ascii=ascii_only)))
