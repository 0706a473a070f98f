"""sources.yaml: what people know of the sources that the files do not tell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from salon.persona.document import Limits, read_yaml
from salon.persona.schema import Fault
from salon.types import Source

PROVENANCE_FILE = "sources.yaml"

_LIMITS = Limits(bytes=100_000_000, values=5_000_000)
"""A corpus may have tens of thousands of files, each with an entry."""

_OF_A_FILE = ("title", "author", "date", "language", "licence", "origin")
_OF_A_RECORD = ("author", "licence", "origin")
"""What holds for each record of a file with many: titles and dates are the records' own."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What sources.yaml says of each file, by its name below sources/; stronger than the file."""

    files: Mapping[str, Mapping[str, str]]

    def stamp(self, name: str) -> str:
        """A text that differs when what is said of the file does."""
        known = self.files.get(name, {})
        return json.dumps(known, ensure_ascii=False, sort_keys=True) if known else ""

    def over(self, sources: Iterable[Source], name: str) -> Iterator[Source]:
        """The sources of one file with what is said of it, one by one."""
        known = self.files.get(name, {})
        for source in sources:
            keys = _OF_A_RECORD if "#" in source.info.name else _OF_A_FILE
            said: dict[str, Any] = {key: known[key] for key in keys if known.get(key)}
            yield replace(source, info=replace(source.info, **said))


def read_provenance(sources: Path) -> Provenance:
    """Reads sources.yaml of a sources folder; empty without one. Raises ConfigError with line."""
    file = sources / PROVENANCE_FILE
    if not file.exists():
        return Provenance({})
    document = read_yaml(file, _LIMITS)
    table: Any = document.value.get("sources", {}) if isinstance(document.value, dict) else None
    if not isinstance(table, dict):
        raise document.error(
            Fault(("sources",), "not a mapping", "sources: {file name: {title: ..., author: ...}}")
        )
    found: dict[str, dict[str, str]] = {}
    for name, known in table.items():
        if not isinstance(known, dict):
            raise document.error(
                Fault(("sources", name), "not a mapping", "title: ..., author: ...")
            )
        for key in _OF_A_FILE:
            if not isinstance(known.get(key) or "", str | int):
                raise document.error(Fault(("sources", name, key), "not a text", "a text"))
        found[name] = {key: str(known[key]) for key in _OF_A_FILE if known.get(key)}
    return Provenance(found)
