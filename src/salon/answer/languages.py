"""What answering must know of a language: its hedges, its ways of pointing back, what is said in
it.

Rows of a table, one a language; a language that has no row is read with the empty row and answered
in English. Adding a language is adding a row.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """`back` points at an earlier turn, `open` begins a half question.

    `back` and `expletive` are patterns; the second blanks pronouns that point nowhere ("what was it
    like to") before the first is tried. `elisions` begin with an apostrophe. `declines` is
    said when the sources do not cover a question, `unsupported` behind a sentence that they do not
    hold, `down` when they could not be searched,
    `admits` are phrases by which a model says the first in its own words.
    """

    code: str
    back: str = ""
    open: tuple[str, ...] = ()
    expletive: str = ""
    hedges: tuple[str, ...] = ()
    declines: str = "My sources do not cover that, so I cannot answer it from my own words."
    down: str = "My sources cannot be searched at the moment; what follows does not rest on them."
    down_alone: str = "My sources cannot be searched at the moment, so I cannot answer."
    no_poem: str = "I have no poem that answers that."
    admits: tuple[str, ...] = ()
    elisions: frozenset[str] = frozenset()
    unsupported: str = "(not from my sources)"


ENGLISH = Language(
    code="en",
    back=(
        r"\b(?:it|its|they|them|their|theirs|this|these|those|he|him|his|she|her|hers|there|ones?"
        r"|former|latter|thereof)\b"
        r"|^that\b|\bthat\W*$|\b(?:about|of|after|before|by|for|from|in|on|to|with|do|did|does|doing|was"
        r"|is|why|without|like)\s+that\b"
    ),
    open=("and", "but", "or", "so", "then", "also", "what about", "how about", "why not", "how so"),
    expletive=(
        r"\b(?:is|was|were|be|would|does|did|has)\s+it\s+(?:\w+\s+){0,2}(?:to|that|like|for)\b"
        r"|\bit\s+(?:is|was|takes|took|seems|rains?)\b|\b(?:is|are|was|were)\s+there\b"
        r"|\bthere\s+(?:is|are|was|were)\b|\b(?:no|any|some|every)\s+one\b|\bone\s+of\b"
        r"|\b(?:do|did|does)\s+that\s+\w+|\b(?:say|said|think|believe|know|mean|is)\s+that\s+\w+\s+\w+"
        r"|\bone(?:'s|’s|\s+\w+)"
    ),
    hedges=(
        "in general",
        "generally speaking",
        "broadly speaking",
        "from my understanding",
        "to my understanding",
        "as far as i know",
        "as far as i am aware",
        "it is commonly",
        "it is widely",
        "it is generally",
        "it is often said",
        "many people believe",
        "some would say",
        "typically",
        "it could be argued",
        "as an ai",
        "as a language model",
        "based on general knowledge",
        "more or less",
        "in a sense",
        "i would imagine",
        "presumably",
    ),
    admits=(
        "sources do not",
        "sources don't",
        "sources don’t",
        "passages do not",
        "passages don't",
        "passages don’t",
        "writings do not",
        "writings don't",
        "not covered by",
        "not in my sources",
        "nothing in my sources",
        "nothing in my writings",
        "nothing in the passages",
        "not know from my sources",
        "don't know from my sources",
        "cannot answer that from",
        "cannot answer it from",
        "have not written",
        "never wrote about",
        "did not write about",
    ),
    elisions=frozenset(
        "tis twas twere twill em cause til bout neath gainst mongst tween".split()  # noqa: SIM905
    ),
)

FRENCH = Language(
    code="fr",
    back=(
        r"\b(?:il|elle|ils|elles|ceci|cela|ça|celui|celle|ceux|celles|cet|cette|ces|ce|y|en)\b"
        r"|\b(?:le|la|les|lui|leur)\s+\w+ez\b|\bl['’](?:a|ai|as|av\w+|aur\w+|écri\w+)\b"
    ),
    open=("et", "mais", "ou", "alors", "puis", "aussi", "pourquoi pas", "qu'en est-il"),
    expletive=(
        r"\b(?:est|était|fut)-(?:il|ce)\b|\bil\s+(?:y\s+a|faut|est|était|s['’]agit)\b|\by\s+a\b"
        r"|\bce\s+qu\w*|\bc['’]|\ben\s+(?!a|ê|é)\w{2,}|\w+-t-(?:il|elle)\b"
    ),
    hedges=(
        "en général",
        "généralement",
        "de manière générale",
        "à ma connaissance",
        "grosso modo",
        "on dit souvent",
        "il est communément",
        "en un sens",
        "typiquement",
    ),
    declines=(
        "Mes sources ne traitent pas de cela ; je ne peux donc pas y répondre par mes propres mots."
    ),
    down=(
        "Mes sources ne peuvent pas être consultées en ce moment ; ce qui suit ne s'appuie pas sur "
        "elles."
    ),
    down_alone="Mes sources ne peuvent pas être consultées en ce moment ; je ne peux pas répondre.",
    no_poem="Je n'ai aucun poème qui réponde à cela.",
    unsupported="(ne vient pas de mes sources)",
    admits=("mes sources ne", "mes écrits ne", "les passages ne", "rien dans mes"),
)

GERMAN = Language(
    code="de",
    back=(
        r"\b(?:es|er|ihn|ihm|ihr|ihnen|sie|dies|diese[mnrs]?|jene[mnrs]?|davon|darüber|dafür|damit|dazu"
        r"|daran|darin|dort)\b|\bdas\b(?!\s+(?:\w+\s+)?[A-ZÄÖÜ])"
    ),
    open=(
        "und",
        "aber",
        "oder",
        "dann",
        "also",
        "auch",
        "was ist mit",
        "wie steht es mit",
        "warum nicht",
    ),
    expletive=(
        r"\b(?:ist|war|gibt|gab|wäre)\s+es\b|\bes\s+(?:ist|war|gibt|gab)\b|\b(?:Ihr\w*|Sie|Ihnen)\b"
    ),
    hedges=(
        "im allgemeinen",
        "im großen und ganzen",
        "soweit ich weiß",
        "meines wissens",
        "üblicherweise",
        "typischerweise",
        "man sagt oft",
        "gewissermaßen",
    ),
    declines=(
        "Meine Quellen behandeln das nicht; mit meinen eigenen Worten kann ich nicht antworten."
    ),
    down=("Meine Quellen sind gerade nicht durchsuchbar; das Folgende stützt sich nicht auf sie."),
    down_alone="Meine Quellen lassen sich gerade nicht durchsuchen; ich kann nicht antworten.",
    unsupported="(nicht aus meinen Quellen)",
    no_poem="Ich habe kein Gedicht, das darauf antwortet.",
    admits=(
        "meine quellen",
        "quellen behandeln",
        "in meinen schriften nicht",
        "die passagen enthalten",
    ),
)

SPANISH = Language(
    code="es",
    back=(
        r"\b(?:él|ella|ellos|ellas|eso|esto|ello|aquello|allí|suy[ao]s?|es[aeo]s?|est[ae]s?|estos)\b"
        r"|\b(?:la|los|las)\s+\w+(?:ó|aste|iste|aron|ieron|aba|ía)\b|\blo\s+(?!que\b)\w+"
    ),
    open=("y", "pero", "o", "entonces", "también", "qué hay de", "por qué no"),
    expletive=r"\best[áa]s?\s+\w+ndo\b|\bes\b",
    hedges=(
        "en general",
        "por lo general",
        "generalmente",
        "hasta donde sé",
        "a mi entender",
        "se suele decir",
        "en cierto sentido",
        "típicamente",
    ),
    declines="Mis fuentes no tratan de eso, así que no puedo responder con mis propias palabras.",
    down="Mis fuentes no se pueden consultar en este momento; lo que sigue no se apoya en ellas.",
    down_alone="Mis fuentes no se pueden consultar en este momento; no puedo responder.",
    unsupported="(no viene de mis fuentes)",
    no_poem="No tengo ningún poema que responda a eso.",
    admits=("mis fuentes no", "mis escritos no", "los pasajes no", "nada en mis"),
)

_ROWS = {row.code: row for row in (ENGLISH, FRENCH, GERMAN, SPANISH)}


def limits(code: str) -> str:
    """What a reader is told of an answer in a language that has no row, "" for one that has."""
    if not code or code.replace("_", "-").split("-")[0].lower() in _ROWS:
        return ""
    return (
        f"the checks know no words of '{code}': quotations, names and numbers are checked letter "
        "by letter, hedges, old spelling and misread words are not"
    )


def language(code: str) -> Language:
    """The row of a language tag ("de-AT" is German), or a row with English phrases and no words."""
    short = code.replace("_", "-").split("-")[0].lower()
    return _ROWS.get(short) or Language(code=short)
