"""Persona ids: the names of persona folders."""

from __future__ import annotations

import re
import unicodedata

from salon.errors import InputError

LONGEST = 64
_LONGEST_BYTES = 240
"""File systems allow 255 bytes in a name; some endings are added to it."""

_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
"""Device names that Windows takes for itself, whatever the ending."""


def persona_id(name: str) -> str:
    """The id for a name: NFC, lower case, letters and digits of any script, other runs become '-'.

    Idempotent. Raises InputError when nothing remains, when more than 64 characters remain, or for
    a name that Windows reserves.
    """
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).lower())
    words: list[str] = [""]
    for character in lowered:
        if _is_letter(character, words[-1]):
            words[-1] += character
        elif words[-1]:
            words.append("")
    result = "-".join(word for word in words if word)
    if not result:
        raise InputError(
            f"{name!r} cannot name a persona: it has no letter and no digit",
            expected="a name with at least one letter or digit, as 'franklin'",
            cure="choose another name",
        )
    if len(result) > LONGEST or len(result.encode()) > _LONGEST_BYTES:
        raise InputError(
            f"{_short(name)!r} is too long for a persona's id ({len(result)} characters)",
            expected=f"at most {LONGEST} characters and {_LONGEST_BYTES} bytes",
            cure="give a short name; the full one can stand in persona.yaml as 'name'",
        )
    if _RESERVED.fullmatch(result):
        raise InputError(
            f"{name!r} cannot name a persona: Windows keeps '{result}' for a device",
            expected="a name that every system can use for a folder",
            cure=f"choose another name, as '{result}-1'",
        )
    return result


def _is_letter(character: str, word: str) -> bool:
    """A letter or digit, or a mark that belongs to the letter before it (vowel signs of Hindi)."""
    category = unicodedata.category(character)
    return category[0] == "L" or category == "Nd" or (category in ("Mn", "Mc") and bool(word))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[:LONGEST] + "..."
