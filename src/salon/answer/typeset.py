"""Line ends of sources: a margin's are spaces, a verse's are its own."""

from __future__ import annotations

import re


def flowing(text: str) -> str:
    """Hard line ends as spaces; the lines of a verse stay lines."""
    return text if is_verse(text) else re.sub(r"\s*\n\s*", " ", text)


def is_verse(text: str) -> bool:
    """Lines that end before the margin does: short ones, most of which begin with a capital."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return False
    capitals = sum(line.lstrip("\"'“‘«_([")[:1].isupper() for line in lines)
    return max(map(len, lines)) < 60 and capitals >= 0.75 * len(lines)
