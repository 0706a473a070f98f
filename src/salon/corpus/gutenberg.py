"""Project Gutenberg's own words around a text: where they stand, and the facts they give."""

from __future__ import annotations

import re

from salon.corpus.blocks import blocks
from salon.corpus.extract import Drop, Facts
from salon.corpus.language import code_of

_START = re.compile(
    r"^[ \t]*\*{3,}[ \t]*START OF (?:THE|THIS) PROJECT GUTENBERG"
    r"(?:[^*\n]*(?:\n[^*\n]+){0,3}\*{3,}|[^\n]*)"
    r"|^[ \t]*\*END[* ]*THE SMALL PRINT[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
_END = re.compile(
    r"^[ \t]*\*{3,}[ \t]*END OF (?:THE|THIS) PROJECT GUTENBERG"
    r"|^[ \t]*(?:\*{3,}[ \t]*)?END OF (?:THE |THIS )?PROJECT GUTENBERG"
    r"|^[ \t]*(?:This is the )?End of (?:The |this )?Project Gutenberg"
    r"|^[ \t]*\*\*\* ?START: FULL LICENSE"
    r"|^[ \t]*THE FULL PROJECT GUTENBERG(?:-tm|™)? LICENSE",
    re.MULTILINE | re.IGNORECASE,
)
_IS_GUTENBERG = re.compile(r"Project\s+Gutenberg", re.IGNORECASE)
_FIELD = re.compile(
    r"^(Title|Author|Editor|Translator|Release Date|Posting Date|Language): *(.+(?:\n[ \t]+\S.*)*)",
    re.MULTILINE,
)
_HEADER_FIELD = re.compile(
    r"^(?:Release Date|Posting Date|Language|Character set encoding|Edition): *\S.*$", re.MULTILINE
)
_FIELDS = 6_000
_NUMBER = re.compile(r"\[(?:eBook|Etext|Ebook:?) #(\d+)\]", re.IGNORECASE)
_CREDIT = re.compile(
    r"\s*(?:(?:This e-?(?:book|text) was )?(?:Produced|Prepared|Transcribed|Scanned)[ \n]+by\b"
    r"|E-?text prepared by\b|HTML version by\b|\(This file was produced from\b"
    r"|Note: Project Gutenberg also has\b|See \d+-h\.|\(?http://www\.gutenberg\b)",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\s*\[?(?:The )?Transcriber'?’?s'?’? Notes?\b", re.IGNORECASE)
_END_NOTES = re.compile(
    r"^[ \t]*Transcriber['’]?s['’]? Notes?[.: ]*$", re.MULTILINE | re.IGNORECASE
)
_LONGEST_NOTES = 20_000
_CREDITS = 6_000
_HEAD = 40_000
_SITE = "https://www.gutenberg.org"


def is_gutenberg(text: str) -> bool:
    return bool(_IS_GUTENBERG.search(text[:3_000]))


def drops(text: str, *, goes_on: bool = False) -> tuple[Drop, ...]:
    """The header, the producers' credits, and the licence at the end, where they can be told.

    Of several START lines the last one within the first part of the text counts, or the end of the
    old "small print"; without either the header ends with its last field ("Language: English").
    `goes_on` says that an earlier part of the file had the header.
    """
    found: list[Drop] = []
    starts = [] if goes_on else list(_START.finditer(text[:_HEAD]))
    begin = 0
    if not starts and not goes_on and is_gutenberg(text) and (begin := _last_field(text)):
        found.append(Drop(0, begin, "Project Gutenberg header"))
    if starts and (is_gutenberg(text) or _IS_GUTENBERG.search(starts[-1].group())):
        begin = starts[-1].end()
        found.append(Drop(0, begin, "Project Gutenberg header"))
    if not (starts or goes_on or is_gutenberg(text)):
        return ()
    found += [] if goes_on else _credits(text, begin)
    end = _END.search(text, begin)
    last = end.start() if end else len(text)
    notes = _END_NOTES.search(text, begin + (last - begin) * 4 // 5, last)
    if notes and last - notes.start() < _LONGEST_NOTES:
        found.append(Drop(notes.start(), last, "transcriber's notes"))
    if end:
        found.append(Drop(last, len(text), "Project Gutenberg licence"))
    return tuple(found)


def _last_field(text: str) -> int:
    """Where the block of the header's last field ends, 0 without any."""
    fields = list(_HEADER_FIELD.finditer(text[:_FIELDS]))
    if not fields:
        return 0
    end = text.find("\n\n", fields[-1].end())
    return end if end >= 0 else fields[-1].end()


def _credits(text: str, begin: int) -> list[Drop]:
    """Credits of the people who made the file, in the first blocks after the header."""
    found: list[Drop] = []
    noting = False
    for count, block in enumerate(blocks(text, begin, min(begin + _CREDITS, len(text)))):
        words = text[block.start : block.end]
        if _NOTE.match(words):
            noting = True
            reason = "transcriber's note"
        elif noting and words.startswith((" ", "\t")):
            reason = "transcriber's note"
        elif _CREDIT.match(words):
            noting, reason = False, "credits of the file's makers"
        elif count > 3 or found:
            break
        else:
            continue
        found.append(Drop(block.start, block.end, reason))
    return found


def facts(text: str) -> Facts:
    """Title, author, date of release, language and number, from the header of a text."""
    if not is_gutenberg(text):
        return Facts()
    fields: dict[str, str] = {}
    starts = list(_START.finditer(text[:_HEAD]))
    head = text[: starts[-1].start()] if starts else text[:6_000]
    for match in _FIELD.finditer(head):
        lines = [line.strip() for line in match.group(2).split("\n")]
        # A field that comes twice is given better the second time (a header inside a header).
        fields[match.group(1)] = "\n".join(lines)
    number = _NUMBER.search(head)
    # A second line of the title is its subtitle.
    title = re.sub(r"\n+", "; ", fields.get("Title", ""))
    return Facts(
        title=re.sub(r"[;:,]?; ", "; ", title),
        author=fields.get("Author", "").replace("\n", ", "),
        language=code_of(fields.get("Language", "")),
        licence="Public domain in the USA (Project Gutenberg)",
        origin=f"https://www.gutenberg.org/ebooks/{number.group(1)}"
        if number
        else "Project Gutenberg",
    )
