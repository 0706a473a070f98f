"""The question as the person would say it.

People ask a persona as "you"; the sources say "I". An embedding hears the difference, so a
question is turned to the first person before it is embedded (`bench/recall.py` measures with it).
The lexical arm keeps the question as asked: both forms are function words that it leaves out.
"""

from __future__ import annotations

import re

_PREPOSITIONS = "about against at before behind beside by for from in like near of on to upon with"
_GIVING = (
    "ask asked bring brought cause gave give help helped lead led let made make move moved "
    "send sent show showed taught teach tell told"
)
_ENGLISH: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\byou were\b", "I was"),
        (r"\bwere you\b", "was I"),
        (r"\byou are\b|\byou['’]re\b", "I am"),
        (r"\bare you\b", "am I"),
        (r"\byou['’]ve\b", "I have"),
        (r"\byou['’]d\b", "I would"),
        (r"\byou['’]ll\b", "I will"),
        (r"\byourself\b", "myself"),
        (r"\byours\b", "mine"),
        (r"\byour\b", "my"),
        (rf"\b({'|'.join((_PREPOSITIONS + ' ' + _GIVING).split())}) you\b", r"\1 me"),
        (r"\byou(?=\s*(?:[.?!,;:]|$))", "me"),
        (r"\byou\b", "I"),
    )
)


def first_person(question: str, language: str) -> str:
    """Turn "you" to "I" in an English question; others are returned as they are."""
    if not language.startswith("en"):
        return question
    for pattern, replacement in _ENGLISH:
        question = pattern.sub(replacement, question)
    return question
