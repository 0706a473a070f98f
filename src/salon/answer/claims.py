"""An answer's claims: its sentences, the clauses of those that say several things, and which say
nothing that a source could bear out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from salon.answer.languages import language
from salon.answer.words import words
from salon.corpus.sentences import sentences
from salon.types import Span

_LEAST_WORDS = 3
"""Content words that a clause needs to stand by itself."""

_TOO_LONG = 4000
"""A longer sentence is a table or a list without stops: it stays whole."""

_CLAUSE = re.compile(
    r"[;:]\s+|\s[—–]\s|,\s+(?=(?:and|but|while|whereas|although|though|so|yet"
    r"|et|mais|tandis|alors|und|aber|während|obwohl|sondern|y|pero|mientras|aunque|sino)\s)",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"\W*(?:hello|hi|hey|good (?:morning|day|evening|afternoon)|greetings|welcome|thank you|thanks"
    r"|bonjour|bonsoir|salut|merci|guten (?:tag|morgen|abend)|hallo|danke|hola|buen[oa]s"
    r"|gracias|dear|my (?:dear )?friend|certainly|of course|indeed|yes|no|oh|ah|well)\b",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"\W*(?:i (?:think|believe|feel|suppose|hope|would (?:say|think|like)|find|love|like|enjoy"
    r"|prefer|wish|agree|wonder|am (?:sure|glad|happy|sorry|afraid))|in my (?:opinion|view)"
    r"|it seems to me|to my mind|je (?:crois|pense|trouve)|à mon avis|il me semble"
    r"|ich (?:glaube|denke|meine|finde)|meiner meinung|mir scheint"
    r"|creo que|pienso que|opino que|en mi opinión|me parece)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """`span` is in the text that was cut. `empty` says that it claims nothing."""

    span: Span
    sentence: int
    empty: bool


def claims(text: str, code: str) -> list[Claim]:
    """The claims of a text in order; together they hold every content word of it."""
    found = []
    for number, span in enumerate(sentences(text)):
        whole = text[span.start : span.end]
        parts = _clauses(whole, code)
        for part in parts:
            piece = whole[part.start : part.end]
            inside = Span(span.start + part.start, span.start + part.end)
            found.append(Claim(inside, number, says_nothing(piece, code)))
    return found


def says_nothing(text: str, code: str) -> bool:
    """Greetings, questions, opinions that are framed as such, hedges with nothing after them.

    A number or a name inside an opinion makes it a claim again.
    """
    content = words(text, code)
    if not content:
        return True
    if text.rstrip(" \"'”’»)").endswith(("?", "？")):
        return True
    if _GREETING.match(text) and len(content) <= _LEAST_WORDS:
        return True
    if _hedged_only(text, code):
        return True
    if _OPINION.match(text):
        body = text[2:]
        return not re.search(r"\d", body) and not re.search(r"(?<=[a-zà-ÿ,] )[A-ZÀ-Þ]\w{2,}", body)
    return False


def _hedged_only(text: str, code: str) -> bool:
    bare = " ".join(text.casefold().split())
    for hedge in language(code).hedges:
        bare = re.sub(rf"(?<!\w){re.escape(hedge)}(?!\w)", " ", bare)
    return not words(bare, code)


def _clauses(sentence: str, code: str) -> list[Span]:
    if len(sentence) > _TOO_LONG:
        return [Span(0, len(sentence))]
    found: list[Span] = []
    start = 0
    for cut in _CLAUSE.finditer(sentence):
        left = sentence[start : cut.start()]
        right = sentence[cut.end() :]
        if min(len(words(left, code)), len(words(right, code))) >= _LEAST_WORDS:
            found.append(Span(start, cut.start()))
            start = cut.end()
    found.append(Span(start, len(sentence)))
    return found
