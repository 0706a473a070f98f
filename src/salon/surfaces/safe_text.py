"""Makes untrusted text safe for a terminal: what a source or a model wrote never acts on it."""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and newline, delete, C1
    "\u202a-\u202e\u2066-\u2069"  # direction embeddings, overrides and isolates
    "\ud800-\udfff"  # half characters, which no encoding can write
    "\u2028\u2029\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # separators, annotations, tags
)


def _visible(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def safe_text(text: str) -> str:
    """`text` with every control, escape and direction-changing character made visible.

    Control characters become their pictures (ESC is shown as one sign), others a replacement
    sign; tabs and newlines stay, and every line break becomes a newline.
    """
    return _UNSAFE.sub(_visible, text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """`safe_text` on one line, runs of white space as one space."""
    return " ".join(safe_text(text).split())


def safe_json(text: str) -> str:
    """JSON text with the same characters as \\u escapes: equal to a parser, inert to a terminal."""

    def escape(match: re.Match[str]) -> str:
        units = match[0].encode("utf-16-be")
        return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))

    return _UNSAFE.sub(escape, text)
