"""@names in a text: nick, id or full name, of any script, the longest that ends at a word's end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from salon.room.names import fold, name_key
from salon.types import Participant

SCANNED = 10
"""Mentions that are looked at in one text; what follows is somebody's list."""

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`|^[ \t]*>[^\n]*", re.S | re.M)
_BEFORE = re.compile(r"[\w.+%\-/@]")
_JOINERS = " \u00a0-‐‑"
_UNKNOWN = re.compile(r"[\w.\-]*\w")
_NO_SPACES = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
_KOREAN_ENDINGS = (
    *("님", "씨", "은", "는", "이", "가", "을", "를", "에게", "아", "야"),
    *("와", "과", "도", "의", "께", "한테"),
)


@dataclass(frozen=True, slots=True)
class Mentions:
    """`personas`: ids in the order of the text, each once; `unknown`: names that nobody has."""

    personas: tuple[str, ...]
    unknown: tuple[str, ...] = ()


class Directory:
    """The names of a pool of personas. Building it takes time in proportion; looking up does not.

    A name that two personas share belongs to the first; ids come before nicks, nicks before names.
    """

    def __init__(self, pool: Iterable[Participant], people: Iterable[str] = ()) -> None:
        self._names: dict[str, str] = {}
        members = tuple(pool)
        self.ids = frozenset(member.id for member in members)
        for kind in ("id", "nick", "name"):
            for member in members:
                if key := name_key(getattr(member, kind)):
                    self._names.setdefault(key, member.id)
        self._people = {name_key(nick) for nick in people}
        known = (*self._names, *self._people)
        self._dotted = tuple(name for name in known if "." in name or "'" in name)
        self._longest = max(map(len, known), default=0)

    @property
    def names(self) -> Mapping[str, str]:
        """Folded name to id."""
        return self._names

    def find(self, name: str) -> str | None:
        """The id of who has this nick, id or name."""
        return self._names.get(name_key(name.lstrip("@")))

    def scan(self, text: str, most: int = SCANNED) -> Mentions:
        """The mentions of a text. Those within code, quoted lines and addresses are none."""
        found: dict[str, None] = {}
        unknown: dict[str, None] = {}
        if "@" not in text and "＠" not in text:
            return Mentions(())
        whole = unicodedata.normalize("NFC", text)
        shown = _CODE.sub(lambda match: " " * len(match.group()), whole).replace("＠", "@")
        seen = 0
        for place in re.finditer("@", shown):
            start = place.end()
            before = shown[start - 2 : start - 1] if start > 1 else ""
            if before and _BEFORE.match(before) and not _unspaced(before):
                continue
            if start >= len(shown) or not (shown[start].isalnum() or shown[start] == "_"):
                continue
            seen += 1
            if seen > most:
                break
            key = self._longest_name(shown, start)
            if key in self._names:
                found[self._names[key]] = None
            elif not key and (word := _UNKNOWN.match(shown, start)):
                unknown[word.group()] = None
        return Mentions(tuple(found), tuple(unknown))

    def _longest_name(self, text: str, start: int) -> str:
        """The longest known name that begins at `start` and ends where a word may end, or ""."""
        key = best = ""
        joined = False
        for end in range(start, len(text)):
            character = text[end]
            if character in _JOINERS:
                if joined:
                    break
                joined = True
                continue
            if not self._goes_on(key, character):
                break
            joined = False
            key += fold(character)
            if len(key) > self._longest:
                break
            if (key in self._names or key in self._people) and _ends(text, end + 1):
                best = key
        return best

    def _goes_on(self, key: str, character: str) -> bool:
        """Whether a name may go on so; a dot or an apostrophe only where a known name has one."""
        if character.isalnum() or character == "_" or _mark(character):
            return True
        start = key + fold(character)
        return character in ".'’" and any(name.startswith(start) for name in self._dotted)


def _ends(text: str, end: int) -> bool:
    """Whether a name may end before `text[end]`."""
    if end >= len(text):
        return True
    following = text[end]
    if not (following.isalnum() or following == "_" or _mark(following)):
        return True
    if _unspaced(following) or _unspaced(text[end - 1]):
        return not _mark(following)
    rest = text[end : end + 3]
    return any(
        rest.startswith(ending) and not rest[len(ending) : len(ending) + 1].isalnum()
        for ending in _KOREAN_ENDINGS
    )


def _mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


def _unspaced(character: str) -> bool:
    """Whether the character belongs to a script that puts no spaces between words."""
    return character > "\u0dff" and unicodedata.name(character, "").startswith(_NO_SPACES)
