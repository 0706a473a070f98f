"""Whether two words are one word in an older and a newer spelling.

Sure rules never join two words of today. Loose ones may ("dye", "die"): they count only where one
of the two is no word.
"""

from __future__ import annotations

import re
from functools import lru_cache

Rule = tuple[re.Pattern[str], str]


def _rules(*pairs: tuple[str, str]) -> tuple[Rule, ...]:
    return tuple((re.compile(pattern), to) for pattern, to in pairs)


_SURE: dict[str, tuple[Rule, ...]] = {
    "en": _rules(
        (r"^shew", "show"), (r"^chus(?=e|ing)", "choos"), (r"^gaol", "jail"), (r"^grey", "gray"),
        (r"^compleat", "complete"), (r"^antient", "ancient"), (r"^cloath", "cloth"),
        (r"^enquir", "inquir"), (r"^intire", "entire"), (r"^encreas", "increas"),
        (r"^croud", "crowd"), (r"^plough", "plow"), (r"^draught", "draft"), (r"^sulph", "sulf"),
        (r"^surpriz", "surpris"), (r"^controul", "control"), (r"^shopp?e$", "shop"),
        (r"xion", "ction"), (r"dgement", "dgment"), (r"lful", "llful"), (r"lll", "ll"),
        (r"(?<=\w{2})our(?=(?:s|ed|ing|able|ful|ite|ably|less|ers?|ist)?$)", "or"),
        (r"(?<=\w{4})is(?=(?:e|ed|es|ing|ation|ations|ers?)$)", "iz"),
        (r"(?<=\w{3})ys(?=(?:e|ed|es|ing)$)", "yz"),
        (r"(?<=\w{3})tre(?=s?$)", "ter"), (r"(?<=\w{4})ck$", "c"), (r"(?<=\w{3})ence$", "ense"),
        (r"(?<=\w{3})ll(?=(?:ed|ing|ers?|ors?)$)", "l"), (r"(?<=\w)[ao]e(?=\w{3})", "e"),
        (r"^[ao]e(?=\w{4})", "e"),
    ),
    "de": _rules(
        (r"th", "t"), (r"ey", "ei"), (r"(?<=\w{3})iren$", "ieren"), (r"(?<=\w{3})irt$", "iert"),
        (r"c(?=[aoulrt])", "k"), (r"(?<![eaq])ue", "u"), (r"(?<=\w)ae(?=\w)", "a"),
        (r"(?<=\w)oe(?=\w)", "o"), (r"ph", "f"), (r"niss$", "nis"), (r"giebt", "gibt"),
    ),
    "fr": _rules(
        (r"^tems$", "temps"), (r"^longtems$", "longtemps"), (r"^pie$", "pied"),
        (r"^sçavoir$", "savoir"), (r"(?<=\w{3})oi(?=s$|t$|ent$)", "ai"), (r"^cognoi", "connai"),
        (r"(?<=\w{3})(?<=[ae])ns$", "nts"),
    ),
    "es": _rules(
        (r"qu(?=[ao])", "cu"), (r"ph", "f"), (r"th", "t"), (r"ss", "s"), (r"^mui$", "muy"),
        (r"^dix", "dij"), (r"^quixote", "quijote"), (r"^mexic", "mejic"),
    ),
}  # fmt: skip
_LOOSE: dict[str, tuple[Rule, ...]] = {
    "en": _rules((r"v", "u"), (r"j", "i"), (r"y", "i"), (r"ie$", "i"), (r"(?<=\w{2})e$", ""),
                 (r"(\w)\1", r"\1"), (r"ck", "k"), (r"c(?=k|t)", ""), (r"ph", "f")),
    "de": _rules((r"v", "u"), (r"j", "i"), (r"y", "i"), (r"dt", "t"), (r"(\w)\1", r"\1"),
                 (r"c", "k"), (r"(?<=[aeiou])h", "")),
    "fr": _rules((r"v", "u"), (r"j", "i"), (r"y", "i"), (r"oi", "ai"), (r"ns$", "nts"),
                 (r"(?<=[aeiou])s(?=[tmpcf])", ""), (r"(\w)\1", r"\1")),
    "es": _rules((r"x", "j"), (r"b", "v"), (r"u", "v"), (r"y", "i"), (r"h", ""),
                 (r"(\w)\1", r"\1"), (r"z", "c")),
}  # fmt: skip
# Contractions as they are written, by their folded letters.
_CONTRACTED = {
    "tho": "though", "altho": "although", "thro": "through", "thoro": "thorough", "oer": "over",
    "eer": "ever", "neer": "never", "een": "even", "th": "the", "ot": "of", "ev'ry": "every",
    "evry": "every", "heav'n": "heaven", "heavn": "heaven", "powr": "power", "flowr": "flower",
}  # fmt: skip
_CLIPPED = re.compile(r"[^\W_]{2,}['’]d")


def same_spelling(one: str, other: str, code: str, *, loose: bool) -> bool:
    """Whether two words, as they are written and folded alike, are one; `loose` adds the rules
    that may join two words of today."""
    return _key(one, code, loose) == _key(other, code, loose)


@lru_cache(maxsize=8192)
def _key(word: str, code: str, loose: bool) -> str:
    letters = re.sub(r"['’]", "", word)
    if code == "en" and letters != word:
        if _CLIPPED.fullmatch(word):
            letters = letters[:-1] + "ed"  # learn'd
        letters = _CONTRACTED.get(letters, letters)
    for pattern, to in _SURE.get(code, ()):
        letters = pattern.sub(to, letters)
    for pattern, to in _LOOSE.get(code, ()) if loose else ():
        letters = pattern.sub(to, letters)
    return letters
