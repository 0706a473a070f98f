"""Rich Text documents: the words, without the marks."""

from __future__ import annotations

import re
from collections.abc import Callable

from salon.corpus.extract import Extract, Facts, Part
from salon.errors import SourceError

_CODEPAGE = re.compile(rb"\\ansicpg(\d{3,5})")
_INFO = re.compile(r"\{\\(title|author)\s+([^{}]{1,400})\}")
_MARK = re.compile(r"\\'([0-9a-fA-F]{2})|\\u(-?\d+) ?\??")
_LIMIT = 64 << 20
_SEVERAL = re.compile(r"\n{2,}")


def read_rtf(data: bytes, name: str) -> Extract:
    """A document's paragraphs; raises SourceError when it holds no words."""
    from striprtf.striprtf import rtf_to_text

    if len(data) > _LIMIT:
        raise SourceError(
            name,
            f"it is {len(data) / 1e6:.0f} MB large",
            expected=f"at most {_LIMIT / 1e6:.0f} MB of Rich Text",
            cure="save it as plain text or docx",
        )
    page = _CODEPAGE.search(data[:4_000])
    codec = f"cp{page.group(1).decode('ascii')}" if page else "cp1252"
    source = data.decode("latin-1")
    to_text: Callable[..., str] = rtf_to_text
    try:
        text = to_text(source, encoding=codec, errors="replace")
    except (LookupError, ValueError, IndexError, OverflowError) as error:
        raise SourceError(
            name,
            f"it is not a sound Rich Text document: {error}",
            expected="a document as a word processor saves it",
            cure="save it again, as docx or as plain text",
        ) from error
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _SEVERAL.sub("\n\n", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    if not text:
        raise SourceError(name, "it holds no text", expected="a document with words in it")
    info = {key: _plain(value, codec) for key, value in _INFO.findall(source[:20_000])}
    return Extract(
        kind="rtf",
        parts=(Part("", _spaced(text)),),
        facts=Facts(title=info.get("title", ""), author=info.get("author", "")),
        encoding=codec.replace("cp125", "windows-125"),
    )


def _spaced(text: str) -> str:
    """In Rich Text a line is a paragraph: long ones get a blank line between them."""
    lines = text.split("\n")
    long = sum(1 for line in lines if len(line) > 100)
    return "\n\n".join(line for line in lines if line.strip()) if 4 * long > len(lines) else text


def _plain(value: str, codec: str) -> str:
    def char(match: re.Match[str]) -> str:
        if match.group(1):
            return bytes.fromhex(match.group(1)).decode(codec, "replace")
        return chr(int(match.group(2)) % 65_536)

    try:
        return " ".join(_MARK.sub(char, value).split())
    except LookupError:
        return ""
