"""A TOML file as text, and where in it a key stands: what tomllib does not tell."""

from __future__ import annotations

import re
from pathlib import Path

from salon.errors import ConfigError


def file_text(path: Path | None) -> str:
    """The file's text, "" when there is none. Raises ConfigError when it cannot be read."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"not UTF-8 at byte {error.start}",
            file=str(path),
            cure="save the file as UTF-8",
        ) from error
    except NotADirectoryError as error:
        raise ConfigError(
            f"{path.parent} is no folder",
            expected="the folder of a house, or a path where none is yet",
            cure="name another one with --house or SALON_HOUSE",
        ) from error
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}",
            file=str(path),
            expected="a text file with settings, or none",
            cure="let it be read, or move it away",
        ) from error


def line_of(text: str, key: str) -> int:
    """The 1-based line of a dotted key in TOML text, or of its nearest table; 0 unknown."""
    table, best = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if header := re.match(r"\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$", stripped):
            table = _plain(header.group(1)) + "."
            if key == table[:-1] or key.startswith(table):
                best = number
        elif assigned := re.match(r"([\w.\-\"' ]+?)\s*=", stripped):
            found = table + _plain(assigned.group(1))
            if found == key or key.startswith(found + "."):
                return number
    return best


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
