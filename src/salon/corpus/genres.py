"""Mixed libraries: books, lessons, verse and letters each by own rules."""

from __future__ import annotations

from salon.corpus.outline import Outline
from salon.corpus.prose import cut_prose
from salon.corpus.tokens import CountTokens
from salon.types import CutterConfig, Source, Span


def cut_genres(
    source: Source, outline: Outline, config: CutterConfig, count: CountTokens
) -> list[Span]:
    return cut_prose(source, outline, config, count)
