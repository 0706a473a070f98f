"""How damaged a text is, word by word: a probability for each, and rates of the whole.

A word that the lexicon knows is taken for sound. Any other gets the probability that recognition
spoiled it, by a logistic function of how strange its letters are, whether one confusion of letters
makes a common word of it, whether it recurs, whether it could be a name, and whether it mixes
letters with digits or signs. The weights are fitted by `tools/fit_junk.py` on sound books that were
damaged by known amounts, never on the texts that the rates are judged by.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from salon.intake.confusions import repaired
from salon.intake.lexicon import Lexicon, fold, is_foreign, lexicon
from salon.types import EvidenceLine, JunkRate, JunkWindow

WEIGHTS = {
    "base": 1.0, "strange": 0.6, "repairable": 2.44, "joined": 0.63, "recurs": -1.48,
    "name": -2.01, "mixed": 3.32, "short": 2.31, "lone": 6.51, "foreign": -0.27,
}  # fmt: skip
ERRORS_A_WORD = 1.3
"""Wrong characters for each damaged word, where the damage is light."""

UNSEEN = 2.2
"""How many characters are wrong for each that words betray: the others are in signs, spaces and
numbers, or make another word. Two scans with a corrected text give 1.95 and 2.9; with the factor
of either, the other's error rate is met within 1.5 points."""

_USUAL_STRANGENESS = 3.4
_WINDOWS = 100
_FEWEST_WORDS = 200
_MOST_CHARACTERS = 8_000_000
_SLICE = 65_536
_LONGEST_WORD = 40
"""Letters of a word that are looked at: no language has longer ones, but random bytes do."""

_LONGEST_LINE = 400
_LINES_SHOWN = 8
_LINE_SHOWN = 160
_EXAMPLES = 20
_LIKELY = 0.5
_TOKEN = re.compile(r"\S+")
_PARTS = re.compile(r"[^\W_]+")
_SIGNS = re.compile(r"[~^|\\¦■□▪▲▼●¬\ufffd\ue000-\uf8ff]")
"""What stands in no book but where a stain was read."""

_JOINED = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)+")
_SHORTENED = 3
"""Parts of a token with an apostrophe or point that are shorter may be anything: "s", "ll"."""

_NUMBER = re.compile(r"\d+(?:st|nd|rd|th|d|er|re|e|me|ème|o|a|vo|to|mo|s)?$", re.IGNORECASE)
_OTHER_SCRIPT = re.compile(r"[^\W\d\u0041-\u024f\u1e00-\u1eff\ufb00-\ufb06]")
"""Letters that are not Latin: a quotation in Greek or Chinese is no damage."""

_ROMAN = re.compile(r"[ivxlcdm]+$", re.IGNORECASE)
_ONE_LETTER = {
    "en": "aio", "fr": "aàyôoncdjlmst", "es": "aeoyuáéóú", "it": "aeioèdlcns", "pt": "aeoàéó",
    "la": "aeio", "de": "o", "nl": "uontsmk",
}  # fmt: skip


def features(word: str, lexicon: Lexicon, count: int) -> dict[str, float] | None:
    """What tells whether a word is damaged; None for one that is certainly sound.

    `word` is a run of letters and digits; `count` is how often it stands in the text.
    """
    if _NUMBER.match(word) or _OTHER_SCRIPT.search(word):
        return None
    folded = fold(word[:_LONGEST_WORD], lexicon.language)
    if len(folded) == 1:
        if folded in _ONE_LETTER.get(lexicon.language, "") or word.isupper():
            return None
        return {"base": 1.0, "lone": 1.0, "recurs": math.log(count)}
    letters = folded.isalpha()
    if letters and (lexicon.knows(folded) or _ROMAN.match(folded)):
        return None
    named = word[0].isupper() and word[1:].islower()
    if lexicon.knows_unaccented(folded):
        return None
    return {
        "base": 1.0,
        "strange": 0.0 if not letters else lexicon.strangeness(folded) - _USUAL_STRANGENESS,
        "repairable": float(repaired(folded, lexicon) is not None),
        "joined": float(letters and lexicon.halves(folded)),
        "recurs": math.log(count),
        "name": float(named),
        "mixed": float(not letters or _cased_oddly(word)),
        "short": float(len(folded) < 4),
        "foreign": float(letters and is_foreign(folded, lexicon.language)),
    }


def _cased_oddly(word: str) -> bool:
    return not (word.islower() or word.isupper() or word[1:].islower())


def probability(found: dict[str, float] | None) -> float:
    if found is None:
        return 0.0
    total = sum(WEIGHTS[name] * value for name, value in found.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@dataclass(slots=True)
class _Kind:
    """A token as it stands: what it adds to the damaged words and to the wrong characters."""

    words: int
    damaged: float
    errors: float


def junk_rate(text: str, language: str) -> JunkRate:
    """Measure a text; one of more than 8 million characters by slices spread over all of it."""
    words = lexicon(language)
    tokens = _tokens(text)
    counts = Counter(part for token, _ in tokens for part in _PARTS.findall(token))
    kinds: dict[str, _Kind] = {}
    for token, _ in tokens:
        if token not in kinds:
            kinds[token] = _kind(token, words, counts)
    total = sum(kinds[token].words for token, _ in tokens)
    damaged = sum(kinds[token].damaged for token, _ in tokens)
    errors = sum(kinds[token].errors for token, _ in tokens)
    characters = sum(len(token) + 1 for token, _ in tokens)
    return JunkRate(
        language=words.language if words else "",
        words=total if words else 0,
        rate=1000 * damaged / max(1, total),
        errors=min(1.0, UNSEEN * errors / max(1, characters)),
        windows=_windows(tokens, kinds),
        lines=_worst_lines(text, tokens, kinds),
        examples=_examples(kinds, tokens),
    )


def _tokens(text: str) -> list[tuple[str, int]]:
    if len(text) <= _MOST_CHARACTERS:
        return [(found.group(), found.start()) for found in _TOKEN.finditer(text)]
    slices = _MOST_CHARACTERS // _SLICE
    step = len(text) // slices
    return [
        (found.group(), found.start())
        for at in range(slices)
        for found in _TOKEN.finditer(text, at * step, at * step + _SLICE)
    ]


def _kind(token: str, words: Lexicon | None, counts: Counter[str]) -> _Kind:
    parts = _PARTS.findall(token)
    signs = len(_SIGNS.findall(token))
    if not parts:
        return _Kind(0, float(signs > 0), float(signs))
    if words is None:
        return _Kind(1, float(signs > 0), float(signs))
    if _is_whole(token, words):
        return _Kind(1, float(signs > 0), float(signs))
    short = "'" in token or "’" in token or "." in token
    chances = [
        probability(features(part, words, counts[part]))
        for part in parts
        if not (short and len(part) < _SHORTENED)
    ]
    damaged = max(chances, default=0.0)
    errors = ERRORS_A_WORD * sum(chances) + signs
    return _Kind(1, max(damaged, float(signs > 0)), min(errors, float(len(token))))


def _is_whole(token: str, words: Lexicon) -> bool:
    """Whether a token with an apostrophe or hyphen is known as such ("don't", "o'clock")."""
    if len(token) > 2 * _LONGEST_WORD:  # what backtracks is kept short
        return False
    found = _JOINED.search(token)
    return found is not None and words.knows(fold(found.group().replace("’", "'"), words.language))


def _windows(tokens: list[tuple[str, int]], kinds: dict[str, _Kind]) -> tuple[JunkWindow, ...]:
    size = max(_FEWEST_WORDS, -(-len(tokens) // _WINDOWS))
    windows = []
    for at in range(0, len(tokens), size):
        some = tokens[at : at + size]
        words = sum(kinds[token].words for token, _ in some)
        damaged = sum(kinds[token].damaged for token, _ in some)
        last, start = some[-1]
        windows.append(JunkWindow(some[0][1], start + len(last), 1000 * damaged / max(1, words)))
    return tuple(windows)


def _worst_lines(
    text: str, tokens: list[tuple[str, int]], kinds: dict[str, _Kind]
) -> tuple[EvidenceLine, ...]:
    """The lines, or stretches of very long ones, with the largest share of damaged words."""
    stretches: dict[int, list[str]] = {}
    for token, start in tokens:
        line = text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1
        begin = line if line else start - start % _LONGEST_LINE
        stretches.setdefault(begin, []).append(token)
    scored = []
    for begin, found in stretches.items():
        damaged = sum(kinds[token].damaged for token in found)
        if damaged >= 1:
            scored.append((damaged / (len(found) + 3), begin, found))
    scored.sort(key=lambda item: (-item[0], item[1]))
    lines = []
    for _, begin, found in scored[:_LINES_SHOWN]:
        why = ", ".join(dict.fromkeys(t for t in found if kinds[t].damaged > _LIKELY))
        number = text.count("\n", 0, begin) + 1
        lines.append(EvidenceLine(number, " ".join(found)[:_LINE_SHOWN], why[:_LINE_SHOWN]))
    return tuple(lines)


def _examples(kinds: dict[str, _Kind], tokens: list[tuple[str, int]]) -> tuple[str, ...]:
    counts = Counter(token for token, _ in tokens if kinds[token].damaged > _LIKELY)
    return tuple(token[:40] for token, _ in counts.most_common(_EXAMPLES))
