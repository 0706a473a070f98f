"""Names in rooms: how they fold, which are allowed, which look like another's."""

from __future__ import annotations

import re
import unicodedata

from salon.errors import InputError

NICK_LENGTHS = (2, 24)
ROOM_LENGTHS = (2, 30)

_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "’": "'"})
_LOOKALIKES = str.maketrans(
    {
        **dict(zip("авекмнорстухіјѕьԁԛԝ", "abekmhopctyxljsbdqw", strict=True)),
        **dict(zip("αβεικνορτυχωγη", "abelkvoptuxwyn", strict=True)),
        **dict(zip("01345|!i", "oleaslll", strict=True)),
    }
)
_SPACERS = re.compile(r"[\s_\-.'‐-―·]+")
_INVISIBLE = ("Cf", "Cc", "Co", "Cs", "Cn")
_NICK = re.compile(r"[^\W_](?:[\w '.\-]*[\w.])?")


def fold(text: str) -> str:
    """Compatibility forms, case and accents folded; marks of other scripts than Latin and Greek
    stay, for there they are letters."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    kept: list[str] = []
    plain = False
    for character in decomposed:
        if unicodedata.category(character) == "Mn" and plain:
            continue
        if unicodedata.category(character)[0] != "M":
            plain = unicodedata.name(character, "").startswith(("LATIN", "GREEK"))
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept)).translate(_LETTERS)


def name_key(name: str) -> str:
    """What two spellings of a name share: folded, spaces and hyphens taken out."""
    return re.sub(r"[\s\-‐-―]+", "", fold(name))


def looks(name: str) -> str:
    """What a name looks like to a reader: letters of other scripts and digits that pass for Latin
    ones are those, and nothing between letters counts."""
    visible = "".join(c for c in name if unicodedata.category(c) not in _INVISIBLE)
    return _SPACERS.sub("", fold(visible).translate(_LOOKALIKES))


def checked_nick(text: str) -> str:
    """The nick, trimmed. Raises InputError for one that nobody may have."""
    nick = unicodedata.normalize("NFC", text).strip()
    least, most = NICK_LENGTHS
    if not least <= len(nick) <= most:
        raise InputError(
            f"a nick of {len(nick)} characters",
            expected=f"2-24 characters: {least} at least, {most} at the most",
            cure="choose another length",
        )
    if not _NICK.fullmatch(nick) or any(unicodedata.category(c) in _INVISIBLE for c in nick):
        raise InputError(
            f"{nick!r} cannot be a nick",
            expected="letters and digits of any script, with . - _ ' or spaces between them",
        )
    return nick


def room_id(name: str) -> str:
    """The name folded to the one that is kept: "#General" and "general" are one room.

    Other characters than letters, digits and marks become '-'. Raises InputError.
    """
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", name).casefold())
    joined = "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else "-" for c in plain)
    result = re.sub(r"-+", "-", joined).strip("-")
    if not valid_room(result):
        raise InputError(
            f"{name!r} cannot name a room",
            expected="2-30 characters that begin with a letter, after an optional '#'",
            cure="choose a name such as #salon",
        )
    return result


def valid_room(name: str) -> bool:
    """Whether a name is already the one that is kept."""
    least, most = ROOM_LENGTHS
    marks = all(c.isalnum() or c == "-" or unicodedata.category(c)[0] == "M" for c in name)
    return least <= len(name) <= most and name[0].isalpha() and marks and name == name.casefold()
