"""Quotation marks typed in several characters, as one mark in a text of the same length.

TeX's ``...'', ,,...'', <<...>>, HTML's <q> and character references. What is left of each is
filled with FILLER, which is no character of any text.
"""

from __future__ import annotations

import re

FILLER = "\x01"

_TYPED = re.compile(
    r"``|''|,,(?=\w)|<<(?=\S)|(?<=\S)>>|</?q\b[^<>\n]{0,80}>"
    r"|&(?:quot|ldquo|rdquo|bdquo|laquo|raquo|lsaquo|rsaquo|#34|#x22|#822[012]|#171|#187);",
    re.I,
)
_AS = {
    "``": "“", "''": "”", ",,": "„", "<<": "«", ">>": "»", "&quot;": '"', "&#34;": '"',
    "&#x22;": '"', "&ldquo;": "“", "&rdquo;": "”", "&bdquo;": "„", "&laquo;": "«", "&raquo;": "»",
    "&lsaquo;": "‹", "&rsaquo;": "›", "&#8220;": "“", "&#8221;": "”", "&#8222;": "„",
    "&#171;": "«", "&#187;": "»",
}  # fmt: skip


def as_single_marks(text: str) -> str:
    """The text with every such mark as a single one: at its end where it opens, else at its
    beginning."""

    def single(typed: re.Match[str]) -> str:
        written = typed.group().lower()
        mark = _AS.get(written, "“" if written.startswith("<q") else "”")
        after = text[typed.end() : typed.end() + 1]
        filler = FILLER * (len(written) - 1)
        return filler + mark if after.strip() and after not in ".,;:!?)" else mark + filler

    return _TYPED.sub(single, text)


def without_filler(text: str) -> str:
    return text.replace(FILLER, "")
