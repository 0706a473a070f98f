"""Measures a persona under several settings, each with an index of its own that is thrown away."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import tempfile
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from salon.errors import InputError
from salon.eval.report import EvalReport
from salon.eval.run import evaluate
from salon.index.folder import IndexFolder
from salon.persona.document import read_yaml, yaml_scalar
from salon.persona.load import PERSONA_FILE
from salon.ports import Progress, no_progress

if TYPE_CHECKING:
    from salon.house import House

_SHORT = {
    "cutter": "sources.cutter",
    "target": "sources.cutter.target",
    "overlap": "sources.cutter.overlap",
    "headers": "retrieval.headers",
    "passages": "retrieval.passages",
    "pattern": "retrieval.pattern",
}
"""Names that stand for a path in persona.yaml."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Values for paths of persona.yaml; `name` is how it was asked for."""

    name: str
    values: tuple[tuple[str, str], ...]


def parse_variants(texts: Sequence[str]) -> tuple[Variant, ...]:
    """["cutter=prose,whole", "headers=on,off"] -> every combination.

    A key is a path of persona.yaml, or its short name. Raises InputError.
    """
    choices = []
    for text in texts:
        key, _, values = text.partition("=")
        named = [value.strip() for value in values.split(",") if value.strip()]
        if not key.strip() or not named:
            raise InputError(
                f"{text!r} is not a comparison",
                expected="a setting and its values, as cutter=prose,fragments",
            )
        choices.append([(key.strip(), value) for value in named])
    return tuple(
        Variant(
            " ".join(f"{key}={value}" for key, value in chosen),
            tuple((_SHORT.get(key, key), value) for key, value in chosen),
        )
        for chosen in itertools.product(*choices)
    )


async def compare(
    house: House,
    persona_id: str,
    questions: Path,
    variants: Sequence[Variant],
    *,
    answers: bool = False,
    model: str | None = None,
    progress: Progress = no_progress,
) -> tuple[EvalReport, ...]:
    """One report for each variant; the persona and its index stay as they are.

    Raises ConfigError with the key when a value does not fit persona.yaml.
    """
    card = house.persona(persona_id)
    reports = []
    with tempfile.TemporaryDirectory(prefix="salon-eval-") as place:
        other = house.beside(Path(place))
        folder = other.folder(card.id)
        _stand_in(house.folder(card.id), folder)
        _bring_vectors(house.index_folder(card.id), other.index_folder(card.id))
        try:
            for variant in variants:
                _write_variant(house.folder(card.id), folder, variant)
                await _index(other, card.id, progress)
                reports.append(
                    await evaluate(
                        other,
                        card.id,
                        questions,
                        answers=answers,
                        model=model,
                        setting=variant.name,
                        progress=progress,
                    )
                )
        finally:
            await other.aclose()
    return tuple(reports)


def _stand_in(original: Path, folder: Path) -> None:
    """A folder whose entries are links to the original's, all but persona.yaml."""
    folder.mkdir(parents=True)
    for entry in original.iterdir():
        if entry.name != PERSONA_FILE:
            (folder / entry.name).symlink_to(entry.resolve(), target_is_directory=entry.is_dir())


def _bring_vectors(original: Path, folder: Path) -> None:
    """Copies the vector cache: most windows of a variant are windows of another too."""
    source = IndexFolder(original).cache
    if not source.is_file():
        return
    folder.mkdir(parents=True)
    with (
        closing(sqlite3.connect(source)) as old,
        closing(sqlite3.connect(IndexFolder(folder).cache)) as new,
    ):
        old.backup(new)


def _write_variant(original: Path, folder: Path, variant: Variant) -> None:
    import yaml

    values = read_yaml(original / PERSONA_FILE).value
    for path, value in variant.values:
        _put(values, path.split("."), yaml_scalar(value))
    text = yaml.safe_dump(values, allow_unicode=True, sort_keys=False)
    (folder / PERSONA_FILE).write_text(text, encoding="utf-8")


def _put(values: dict[str, Any], path: list[str], value: Any) -> None:
    *groups, key = path
    for group in groups:
        inner = values.setdefault(group, {})
        if isinstance(inner, str) and group == "cutter":
            inner = values[group] = {"strategy": inner}
        if not isinstance(inner, dict):
            raise InputError(f"'{'.'.join(path)}' is no path of persona.yaml")
        values = inner
    values[key] = value


async def _index(house: House, persona_id: str, progress: Progress) -> None:
    stop = threading.Event()
    try:
        await asyncio.to_thread(house.index, persona_id, progress=progress, stop=stop)
    finally:
        stop.set()
