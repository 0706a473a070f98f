"""Letters that recognition takes for others, and the common word that one confusion hides."""

from __future__ import annotations

from collections.abc import Iterator

from salon.intake.lexicon import Lexicon

_GROUPS = (
    "ceo", "il1tjf", "hbk", "nur", "vyw", "ae", "as", "s8", "5s", "0o", "gq9", "6b", "fsf", "mn",
    "rt", "xz", "dcl", "pn", "uv", "ft", "ni", "no", "oq",
)  # fmt: skip
PAIRS = (
    ("rn", "m"), ("ni", "m"), ("in", "m"), ("vv", "w"), ("cl", "d"), ("ci", "d"), ("ii", "u"),
    ("li", "h"), ("lo", "b"), ("fi", "h"), ("ri", "n"), ("tl", "d"), ("tii", "th"), ("tlie", "the"),
    ("iii", "m"), ("ll", "il"), ("ti", "th"), ("l", "ll"), ("nn", "rm"), ("h", "li"), ("m", "rn"),
    ("m", "in"), ("d", "cl"), ("w", "vv"), ("u", "ii"), ("n", "ii"), ("n", "ri"), ("h", "fi"),
)  # fmt: skip
_ACCENTS = {
    "á": "a", "à": "a", "â": "a", "ä": "a", "ã": "a", "å": "a", "é": "e", "è": "e", "ê": "e",
    "ë": "e", "í": "i", "ì": "i", "î": "i", "ï": "i", "ó": "o", "ò": "o", "ô": "o", "ö": "o",
    "õ": "o", "ú": "u", "ù": "u", "û": "u", "ü": "u", "ç": "c", "ñ": "n", "ß": "b",
}  # fmt: skip


def _likenesses() -> dict[str, str]:
    like: dict[str, str] = {}
    for group in _GROUPS:
        for char in group:
            like[char] = like.get(char, "") + group.replace(char, "")
    for accented, plain in _ACCENTS.items():
        like[accented] = like.get(accented, "") + plain
        like[plain] = like.get(plain, "") + accented
    return {char: "".join(dict.fromkeys(others)) for char, others in like.items()}


LIKE = _likenesses()
"""For each letter those that it is mistaken for."""


def variants(word: str) -> Iterator[str]:
    """Every word that one confusion may have made into this one."""
    for at, char in enumerate(word):
        for other in LIKE.get(char, ""):
            yield word[:at] + other + word[at + 1 :]
    for seen, meant in PAIRS:
        at = word.find(seen)
        while at >= 0:
            yield word[:at] + meant + word[at + len(seen) :]
            at = word.find(seen, at + 1)


def repaired(word: str, lexicon: Lexicon) -> str | None:
    """The first common word that one confusion away from this one, or None."""
    return next((other for other in variants(word) if lexicon.is_common(other)), None)
