"""Sources to passages, each corpus on its own terms.

Five strategies: `prose` packs sentences with overlap, `fragments` keeps the boundaries of notes,
`whole` makes each document one passage, `topics` cuts where scene, place or time shift, `genres`
cuts books, lessons, verse and letters each by own rules. Every passage is exactly a slice of its
source; every character that is not space is in a passage, but for the headings and front matter
that `whole` leaves out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from salon.corpus import fragments, genres, topics, whole
from salon.corpus.guess import guess_cutter
from salon.corpus.outline import Outline
from salon.corpus.prose import cut_prose
from salon.corpus.situate import Place, Situator
from salon.corpus.sizes import default_cutter
from salon.corpus.tokens import CountTokens
from salon.corpus.units import Unit, parted
from salon.types import CutterConfig, CutterName, Passage, Source, Span

__all__ = ["cut", "default_cutter", "guess_cutter"]

_Strategy = Callable[[Source, Outline, CutterConfig, CountTokens], list[Unit]]
_STRATEGIES: dict[CutterName, _Strategy] = {
    "prose": cut_prose,
    "fragments": fragments.cut_fragments,
    "whole": whole.cut_whole,
    "topics": topics.cut_topics,
    "genres": genres.cut_genres,
}
_ID_LENGTH = 16


def cut(source: Source, config: CutterConfig, count: CountTokens) -> list[Passage]:
    """The source's passages in order. The same source, sizes and counter give the same ids.

    A passage's tokens may be counted a few above what `count` gives for its whole text, never
    below. No passage is above `config.maximum` tokens as `count` counts them, unless the strategy
    is `whole` or `config.target` is 0, which never part a document.
    """
    outline = Outline(source)
    strategy = _STRATEGIES[config.strategy if config.target else "whole"]
    sized = [
        (Span(unit.start, unit.end), unit.tokens)
        for unit in strategy(source, outline, config, count)
    ]
    if config.target and config.strategy != "whole":
        sized = _within(source.text, sized, config.maximum, count)
    situator = Situator(source, outline)
    return [_passage(source, situator.at(span), span, tokens) for span, tokens in sized]


def _within(
    text: str, sized: list[tuple[Span, int]], maximum: int, count: CountTokens
) -> list[tuple[Span, int]]:
    """Passages whose joined text counts more than its sentences did are parted once more."""
    fitting: list[tuple[Span, int]] = []
    for span, tokens in sized:
        fitting += [(span, tokens)] if tokens <= maximum else parted(text, span, maximum, count)
    return fitting


def _passage(source: Source, place: Place, span: Span, tokens: int) -> Passage:
    text = source.text[span.start : span.end]
    key = f"{source.info.id}\0{span.start}\0{span.end}\0{text}"
    return Passage(
        id=hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH],
        source_id=source.info.id,
        start=span.start,
        end=span.end,
        text=text,
        tokens=tokens,
        section=place.section,
        page=place.page,
        date=place.date,
        place=place.place,
        speaker=place.speaker,
        header=place.header,
    )
