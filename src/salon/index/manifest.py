"""What a generation was built with, and the proof that it still finds what it holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from salon.errors import IndexError_, IndexMismatchError
from salon.index.windows import WindowConfig
from salon.ports import VectorStore
from salon.types import CutterConfig, EmbedderId, SparseVector, Vector

FORMAT = 3
"""Raised when files of an older release can no longer be read, or when reading, cleaning or cutting
give other passages than before: an index of another format is built anew, never mixed."""

# Far apart in subject, so that another model, or other weights, place them differently.
CANARY_TEXTS = (
    "A kettle of rain water boils on the stove while the baker counts his loaves.",
    "The court held that a promise without consideration does not bind the promiser.",
    "Le phare de la pointe éclaire trois fois par minute les bateaux qui rentrent.",
    "x = (a + b) / 2; 1905; E4127",
)
# Machines differ in the last digits (integer kernels); other models are far below.
_SAME = 0.995
_DIGITS = 5
_CANARIES = 8
# Passages with the same words share the first ranks.
_SHARED_RANKS = 32
_TIE = 1e-3


@dataclass(frozen=True, slots=True)
class Manifest:
    """`average` is the length that the lexical weights were computed with, in terms.

    `fingerprint` has the vectors of CANARY_TEXTS; `canaries` are keys of passages.
    """

    generation: str
    embedder: EmbedderId
    fingerprint: tuple[tuple[float, ...], ...]
    cutter: CutterConfig
    windows: WindowConfig
    language: str
    average: float
    sources: int
    passages: int
    vectors: int
    built_at: str
    canaries: tuple[int, ...]
    format: int = FORMAT


def write_manifest(manifest: Manifest, path: Path) -> None:
    path.write_text(json.dumps(asdict(manifest), ensure_ascii=False) + "\n", "utf-8")


def read_manifest(path: Path, command: str) -> Manifest:
    """Raises IndexError_, which names `command`, when the file is missing, damaged or outdated."""
    cure = f"run `{command} --rebuild`"
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if found["format"] != FORMAT:
            raise IndexError_(
                f"{path} has format {found['format']}", expected=f"format {FORMAT}", cure=cure
            )
        return Manifest(
            **found
            | {
                "embedder": EmbedderId(**found["embedder"]),
                "fingerprint": tuple(tuple(row) for row in found["fingerprint"]),
                "cutter": CutterConfig(**found["cutter"]),
                "windows": WindowConfig(**found["windows"]),
                "canaries": tuple(found["canaries"]),
            }
        )
    except FileNotFoundError:
        raise IndexError_(f"{path} is missing", cure=cure) from None
    except (ValueError, KeyError, TypeError) as error:
        raise IndexError_(f"{path} is damaged: {error}", cure=cure) from error


def fingerprint(vectors: Vector) -> tuple[tuple[float, ...], ...]:
    """The vectors of CANARY_TEXTS as they are kept: rounded to five digits."""
    return tuple(tuple(round(float(value), _DIGITS) for value in row) for row in vectors)


def same_fingerprint(one: Sequence[Sequence[float]] | Vector, other: Vector) -> bool:
    """Whether two embedders place the canary texts alike: every cosine at least 0.995."""
    kept = np.asarray(one, np.float32)
    if kept.shape != other.shape:
        return False
    norms = np.linalg.norm(kept, axis=1) * np.linalg.norm(other, axis=1)
    return bool((np.einsum("ij,ij->i", kept, other) >= _SAME * norms).all())


def check_id(manifest: Manifest, embedder: EmbedderId, command: str) -> None:
    """Raise IndexMismatchError unless the index was built with an embedder of this description."""
    if manifest.embedder != embedder:
        raise IndexMismatchError(
            f"the index was built with {_named(manifest.embedder)},"
            f" but the embedder in use is {_named(embedder)}",
            expected="the same embedder for passages and questions",
            cure=_cure(command),
        )


def check(manifest: Manifest, embedder: EmbedderId, vectors: Vector, command: str) -> None:
    """Raise IndexMismatchError unless the index was built with this embedder and these weights.

    `vectors` are the embedder's of CANARY_TEXTS, shape (4, dimensions).
    """
    check_id(manifest, embedder, command)
    if not same_fingerprint(manifest.fingerprint, vectors):
        raise IndexMismatchError(
            f"the index was built with {_named(manifest.embedder)}, and the embedder in use bears"
            " that name but gives other vectors: its weights or settings are not the same",
            expected="the same embedder for passages and questions",
            cure=_cure(command),
        )


def choose_canaries(keys: Sequence[int]) -> tuple[int, ...]:
    """Up to eight of the keys, evenly spread."""
    step = max(1, len(keys) // _CANARIES)
    return tuple(keys[::step][:_CANARIES])


def check_canaries(
    store: VectorStore, keys: Sequence[int], vectors: Sequence[Vector], command: str
) -> None:
    """Raise IndexMismatchError unless each passage is found first by its own shortest window.

    `vectors` are those windows', in the order of the keys. Windows with the same words may
    stand before it with the same score.
    """
    nothing = SparseVector((), ())
    for key, vector in zip(keys, vectors, strict=True):
        arm = list(store.search(vector, nothing, _SHARED_RANKS).dense.values())[-1]
        bar = max(_SAME, arm[0][1] - _TIE) if arm else _SAME
        if not any(found == key and score >= bar for found, score in arm):
            raise IndexMismatchError(
                f"the index does not find its own passage {key} by its own words",
                expected="every passage at the first rank for its own text",
                cure=f"run `{command} --rebuild`",
            )


def _cure(command: str) -> str:
    return f"run `{command} --rebuild`, or set the embedder that the index was built with"


def _named(embedder: EmbedderId) -> str:
    return (
        f"{embedder.name} ({embedder.dimensions} dimensions, window {embedder.window},"
        f" {embedder.metric})"
    )
