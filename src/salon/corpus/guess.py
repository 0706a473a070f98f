"""A cutter for a corpus, guessed from the material."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from salon.corpus.genre import Genre, genre_of
from salon.corpus.headings import is_bare_number, is_matter
from salon.corpus.outline import Outline
from salon.corpus.sizes import default_cutter
from salon.types import CutterConfig, Source

# Shares of all characters.
_MOSTLY = 0.5
_PART = 0.2
# Documents that are all shorter than a passage need no cutting.
_SHORT = 2_500
_SEVERAL = 5
_NUMBERED_NOTES = 60
_LONGEST_NOTE = 1_200
# Less text than this is one genre or it does not matter.
_LIBRARY = 20_000
_SAMPLE = 4_000
_SAMPLES = 60


def guess_cutter(sources: Sequence[Source]) -> tuple[CutterConfig, str]:
    """The strategy that fits the material, and one sentence that says why."""
    shares = _shares(sources)
    percent = {genre: f"{share:.0%}" for genre, share in shares.items()}
    if shares["verse"] > _MOSTLY:
        return default_cutter("whole"), f"{percent['verse']} of the text is verse"
    if shares["dialogue"] > _MOSTLY:
        why = f"{percent['dialogue']} of the text is what labelled speakers say"
        return default_cutter("topics"), why
    lengths = sorted(source.info.characters for source in sources)
    if len(lengths) >= _SEVERAL and lengths[len(lengths) * 9 // 10] <= _SHORT:
        return default_cutter("whole"), f"the {len(lengths)} documents are all short"
    notes = _numbered_notes(sources)
    if notes > _MOSTLY:
        return default_cutter("fragments"), f"{notes:.0%} of the text is numbered notes"
    kinds = [genre for genre, share in shares.items() if share >= _PART and genre != "letter"]
    if sum(lengths) > _LIBRARY and len(kinds) > 1 and shares["prose"] < 1 - _PART:
        return default_cutter("genres"), f"the sources mix {' and '.join(sorted(kinds))}"
    return default_cutter("prose"), "the sources are mostly running prose"


def _shares(sources: Sequence[Source]) -> defaultdict[Genre, float]:
    """What share of the characters each genre has, by samples spread over each source."""
    weights: defaultdict[Genre, float] = defaultdict(float)
    for source in sources:
        samples = list(_samples(source))
        for sample in samples:
            weights[genre_of(sample)] += len(source.text) / len(samples)
    total = sum(weights.values()) or 1.0
    return defaultdict(float, {genre: weight / total for genre, weight in weights.items()})


def _samples(source: Source) -> Iterator[str]:
    text = source.text
    step = max(_SAMPLE, len(text) // _SAMPLES)
    for start in range(0, max(len(text), 1), step):
        yield text[start : start + _SAMPLE]


def _numbered_notes(sources: Sequence[Source]) -> float:
    """The share of the text that stands in short sections with a number at their head."""
    inside = total = 0
    for source in sources:
        total += len(source.text)
        notes = [
            stretch.end - stretch.start
            for stretch in Outline(source).stretches
            if stretch.path
            and is_bare_number(stretch.path[-1].title.partition(". ")[0])
            and not is_matter(stretch.path[-1].title)
        ]
        if len(notes) >= _NUMBERED_NOTES and sorted(notes)[len(notes) // 2] <= _LONGEST_NOTE:
            inside += sum(notes)
    return inside / total if total else 0.0


__all__ = ["guess_cutter"]
