"""A cutter for a corpus, guessed from the material."""

from __future__ import annotations

from collections.abc import Sequence

from salon.corpus.sizes import default_cutter
from salon.types import CutterConfig, Source


def guess_cutter(sources: Sequence[Source]) -> tuple[CutterConfig, str]:
    """The strategy that fits, and one sentence that says why."""
    return default_cutter("prose"), "the sources are mostly running prose"
