"""Whether a question is one for this corpus at all, before anything is answered.

Two things speak: how much nearer the best passage is than chance, in deviations of what random
questions score, and which words of the question the whole corpus does not have. A missing word
costs one deviation, a missing name two more: "Everest" tells more than any cosine.
"""

from __future__ import annotations

from dataclasses import dataclass

from salon.answer.fold import fold
from salon.answer.quote_index import QuoteIndex
from salon.answer.words import UNSPACED, words
from salon.corpus.language import identify
from salon.types import Background

DEFAULT_BACKGROUND = Background(mean=0.21, deviation=0.06)
"""Measured for all-MiniLM-L6-v2 windows of 170 words: 15 everyday questions against six books."""

_LEAST_DEVIATION = 0.02
"""A few questions against a few passages may happen to score alike."""

_COVERED = 1.4
_CLEARLY = 2.5
_FOREIGN = 0.0
_NAME_COST = 2.0
_LANGUAGE_SURE = 0.8
_NO_NAMES = ("de",)
"""Languages whose common nouns have capitals."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """`deviations` above what random questions score; `missing` words, `names` among them."""

    deviations: float
    missing: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        return self.deviations - len(self.missing) - _NAME_COST * len(self.names)

    @property
    def covered(self) -> bool:
        """Of 44 questions to six books with MiniLM 40 pass, of 8 outside ones none, of 84 everyday
        ones none."""
        return self.value >= _COVERED

    @property
    def clearly(self) -> bool:
        """Whether the sources are about the question beyond doubt."""
        return self.value >= _CLEARLY

    @property
    def foreign(self) -> bool:
        """Whether it is no question for this corpus: of the same 44 two were below."""
        return self.value < _FOREIGN


def coverage(
    question: str, similarity: float, index: QuoteIndex, code: str, background: Background
) -> Coverage:
    """`similarity` is the best hit's. Words are looked for only when the question is in the
    corpus's language, since a translated question shares none with it. Blocking."""
    above = deviations(similarity, background)
    if not _same_language(question, code):
        return Coverage(above)
    content = {
        question[w.span.start : w.span.end]: (w.stem, w.span.start)
        for w in words(question, code)
        if not UNSPACED.match(w.stem)
    }
    missing = tuple(
        word for word, (stem, _) in content.items() if not index.has_word(_prefix(word, stem))
    )
    shouted = question.isupper()
    names = tuple(
        word
        for word in missing
        if word[0].isupper()
        and not shouted
        and code[:2] not in _NO_NAMES
        and not _opens_sentence(question, content[word][1])
    )
    return Coverage(above, missing, names)


def deviations(similarity: float, background: Background) -> float:
    """How far a similarity is above what random questions score, in their deviations."""
    return (similarity - background.mean) / max(background.deviation, _LEAST_DEVIATION)


def _same_language(question: str, code: str) -> bool:
    """Short questions cannot be told apart: they count as the corpus's language."""
    found, probability = identify(question)
    return not found or found == code[:2] or probability < _LANGUAGE_SURE


def _prefix(word: str, stem: str) -> str:
    """What every form of a word begins with, as the index is folded."""
    whole, root = fold(word), fold(stem)
    same = next((i for i, (a, b) in enumerate(zip(whole, root, strict=False)) if a != b), len(root))
    return root[:same] or whole


def _opens_sentence(question: str, at: int) -> bool:
    before = question[:at].rstrip(" \"'“‘«¿¡(")
    return not before or before[-1] in ".!?:\n"
