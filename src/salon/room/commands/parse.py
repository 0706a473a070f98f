"""From what somebody typed to a command that they may use. Pure."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from salon.errors import InputError
from salon.room.commands.table import COMMANDS, Command, Role, said

_COMMAND = re.compile(r"/([^\W_][\w-]*)(?:\s+(.*))?", re.S)


class DeniedError(InputError):
    """A command that this role may not use."""

    code = "denied"


@dataclass(frozen=True, slots=True)
class Typed:
    """A command's name, lower case, and the rest of the line, trimmed."""

    name: str
    arguments: str = ""


def parse(text: str) -> Typed | None:
    """What was typed as a command; None for an ordinary message. "/ etc" and "//x" are ordinary."""
    match = _COMMAND.fullmatch(text.strip())
    return Typed(match[1].lower(), (match[2] or "").strip()) if match else None


def resolve(typed: Typed, role: Role, language: str) -> Command:
    """The command, if this role may use it and its arguments are there.

    Raises InputError for an unknown one (naming the nearest) and for missing arguments, DeniedError
    for one of a higher role.
    """
    french = language.startswith("fr")
    command = COMMANDS.get(typed.name)
    if command is None:
        near = difflib.get_close_matches(typed.name, COMMANDS, 1, 0.6)
        problem = f"/{typed.name} : commande inconnue" if french else f"/{typed.name} is unknown"
        cure = f"/{near[0]} ?" if near else "/help"
        raise InputError(problem, cure=cure)
    if role < command.role:
        raise DeniedError(_denied(command, role, french), cure="/help")
    if len(typed.arguments.split()) < command.needed:
        raise InputError(f"usage: {command.usage(language)}")
    return command


def _denied(command: Command, role: Role, french: bool) -> str:
    if role is Role.GUEST:
        if french:
            return f"/{command.name} : prenez d'abord un nom avec /nick NOM"
        return f"/{command.name}: take a name first, with /nick NAME"
    if french:
        return f"/{command.name} : réservé aux administrateurs"
    return f"/{command.name} is for admins"


def help_text(role: Role, language: str) -> str:
    """What this role can type, one command a line, made from the table."""
    rows = [c for name, c in COMMANDS.items() if name == c.name and c.role <= role]
    width = max(
        len(command.usage(language)) for command in rows if len(command.arguments["en"]) < 24
    )
    return "\n".join(
        f"{command.usage(language).ljust(width)}  {said(command.summary, language)}"
        for command in rows
    )
