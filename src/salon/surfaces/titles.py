"""What a note at the terminal calls its source: a short title, and the section without it."""

from __future__ import annotations

_LONG_TAIL = 30
"""Characters behind a title's colon from which on they are left out."""


def main_title(title: str) -> str:
    """'Walden; or, Life in the Woods' is 'Walden'; what stands behind a colon goes when long."""
    head = title.partition(";")[0].strip() or title
    main, _, tail = head.partition(": ")
    return main.strip() if main.strip() and len(tail) >= _LONG_TAIL else head


def within(section: str, title: str) -> str:
    """The section without the book's title before it, whole or short, however often it stands."""
    names = sorted({title, main_title(title)}, key=len, reverse=True)
    rest = section
    while found := next((name for name in names if _begins_with(rest, name)), ""):
        rest = rest[len(found) :].removeprefix(", ")
    return rest


def _begins_with(section: str, name: str) -> bool:
    following = section[len(name) :]
    begins = section[: len(name)].casefold() == name.casefold()
    return bool(name) and begins and (not following or following.startswith(", "))
