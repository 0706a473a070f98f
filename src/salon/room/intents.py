"""What a message asks for besides an answer: a picture, music, or nothing but a greeting. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from salon.room.names import fold

SHORTEST = 15
"""Characters; a shorter message asks for no picture and no music."""

THINKING_HEADROOM = 2048
"""Tokens that a model which thinks may use up before it writes."""

DEFAULT_TOKENS = 800

_ME = r"(?:[- ](?:moi|nous|me|us))?"
_MAKE = r"(?:genere|cree|fais|fabrique|dessine|peins|imagine|generate|create|make|draw|paint)"
_A = r"(?:une?|des|the|an?|some)"
_OF = r"(?:de la |de l'|du |des |de |d'|of |:\s*)"
_PICTURE = r"(?:image|photo|picture|illustration|dessin|drawing|painting)s?"
_MUSIC = r"(?:musique|music|chanson|song|melodie|melody)s?"
_POLITE = r"(?:(?:please|svp|stp|s'il te plait|s'il vous plait)[ ,]+)?"

_WISHES: tuple[tuple[Literal["image", "music"], str], ...] = (
    ("music", rf"{_MAKE}{_ME} (?:{_A} )?{_MUSIC}(?: {_OF}|\s*:\s*| )"),
    ("image", rf"{_MAKE}{_ME} (?:{_A} )?{_PICTURE} {_OF}"),
    ("image", rf"(?:{_A} )?(?:picture|drawing|painting|illustration) of "),
    ("image", rf"(?:{_A} )?portrait {_OF}"),
    ("image", rf"(?:dessine|peins|draw|paint|sketch){_ME} "),
    ("music", rf"(?:compose|joue){_ME} "),
    ("music", r"(?:compose|play)(?: me| us)? "),
)
_FORMS = tuple(
    (kind, re.compile(rf"\s*{_POLITE}(?:{form})\s*(?P<prompt>\S.*)", re.S))
    for kind, form in _WISHES
)

_PHRASES = frozenset(
    (
        *("merci beaucoup", "thank you", "many thanks", "au revoir", "bonne nuit"),
        *("bonne journee", "bonne soiree", "good night", "good morning", "good evening"),
        *("good bye", "danke", "gracias", "hola", "ciao", "你好", "谢谢", "привет", "спасибо"),
    )
)
_SINGLE = frozenset(
    (
        *("ok", "okay", "d'accord", "oui", "non", "yes", "no", "merci", "thanks", "salut"),
        *("bonjour", "bonsoir", "hello", "hi", "hey", "coucou", "yo", "bye", "ciao", "goodbye"),
        *("lol", "mdr", "cool", "super", "top", "parfait", "bravo", "nice", "great"),
    )
)

_WHY = re.compile(
    r"\b(?:expl\w*|pourquoi|why|comment|how|analy\w*|compar\w*|racont\w*|tell|decri\w*|describ\w*)"
)


@dataclass(frozen=True, slots=True)
class Wish:
    """`kind` "" for an ordinary message; `prompt` is what is wished for, as it was written."""

    kind: Literal["", "image", "music"]
    prompt: str


def wish(text: str) -> Wish:
    """What the message asks to be made. It must begin with the wish: "J'imagine que" is none."""
    flat = " ".join(text.split())
    if len(flat) < SHORTEST:
        return Wish("", text)
    folded = fold(flat)
    if len(folded) != len(flat):  # a letter that folds to two: places would not fit
        return Wish("", text)
    for kind, form in _FORMS:
        if match := form.fullmatch(folded):
            return Wish(kind, flat[match.start("prompt") :].strip())
    return Wish("", text)


def small_talk(text: str) -> bool:
    """Whether a message is a greeting or thanks and no more: nothing needs to be looked up."""
    words = re.sub(r"[^\w' ]+", " ", fold(text)).split()
    return " ".join(words) in _PHRASES or (len(words) == 1 and words[0] in _SINGLE)


def wants_thinking(text: str) -> bool:
    """Whether a model that can think should: long messages, and questions of some length."""
    if len(text) > 120:
        return True
    return len(text) >= 40 and ("?" in text or _WHY.search(fold(text)) is not None)


def reply_tokens(text: str, persona_most: int | None, headroom: int = THINKING_HEADROOM) -> int:
    """Longest reply to a message: short messages get short replies.

    `headroom` is added for a model that thinks first.
    """
    base = persona_most or DEFAULT_TOKENS
    length = len(text)
    if length < 20:
        base = min(base, 600)
    elif length < 60:
        base = min(base, 800)
    return base + headroom
