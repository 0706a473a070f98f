"""UTF-8 with other bytes among it, and text that was decoded wrongly before."""

from __future__ import annotations

import codecs
import re
import threading
from collections.abc import Callable

from salon.types import Repair

_MOJIBAKE = re.compile(
    "[\u00c2-\u00f4\u0102\u0103][\u0080-\u00bf\u0152-\u0178\u02c6\u02dc\u2013-\u2122\u20ac]"
)
_EXAMPLES = 5


class _Count(threading.local):
    """How many bytes this thread has read as windows-1252."""

    value = 0


_count = _Count()


def _cp1252_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    _count.value += error.end - error.start
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


MIXED = "salon.cp1252"
"""The error handler that reads what is no UTF-8 as windows-1252."""

codecs.register_error(MIXED, _cp1252_bytes)


def repaired(data: bytes) -> tuple[str, int]:
    """UTF-8 with every byte that is none read as windows-1252, and how many there were."""
    before = _count.value
    return data.decode("utf-8", MIXED), _count.value - before


def counted() -> int:
    """How many bytes `MIXED` has read in this thread so far."""
    return _count.value


def undo_mojibake(text: str) -> tuple[str, Repair | None]:
    """Lines that are UTF-8 once read as something else, put right; nothing else is touched."""
    if text.isascii() or not _MOJIBAKE.search(text):
        return text, None
    repair = _line_repair()
    lines = text.split("\n")
    examples: list[str] = []
    count = 0
    for at, line in enumerate(lines):
        if _MOJIBAKE.search(line):
            better = repair(line)
            if better != line:
                lines[at] = better
                count += 1
                if len(examples) < _EXAMPLES:
                    examples.append(line.strip()[:80])
    if not count:
        return text, None
    return "\n".join(lines), Repair("mojibake", count, tuple(examples))


def _line_repair() -> Callable[[str], str]:
    import ftfy

    config = ftfy.TextFixerConfig(
        unescape_html=False,
        remove_terminal_escapes=False,
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        fix_line_breaks=False,
        remove_control_chars=False,
        replace_lossy_sequences=False,
        normalization=None,
        explain=False,
    )
    return lambda line: ftfy.fix_text(line, config)
