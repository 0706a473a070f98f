"""Pictures of pages (tiff, png, jpeg): their recognised text, where somebody provides it."""

from __future__ import annotations

import struct

from salon.corpus.extract import Extract, Part
from salon.corpus.furniture import page_drops
from salon.errors import ScanError
from salon.types import PageText

_MOST_PAGES = 5_000


def read_image(data: bytes, name: str, recognised: PageText | None) -> Extract:
    """The text of the pages; raises ScanError when none was recognised."""
    pages = page_count(data)
    texts = [(recognised(number) or "") if recognised else "" for number in range(pages)]
    if not any(text.strip() for text in texts):
        raise ScanError(
            name,
            "it is a picture" if pages == 1 else f"it holds {pages} pictures",
            kind="image",
            pages=pages,
            expected="a text, or a picture whose text has been recognised",
            cure="run `salon intake`: it recognises text with tesseract where that is installed",
        )
    drops = page_drops(texts)
    return Extract(
        kind="image",
        parts=tuple(
            Part(f"page {number + 1}", text, drops=tuple(drops[number]), flows=True)
            for number, text in enumerate(texts)
        ),
        notes=("its text was recognised in a picture",),
        scans=tuple(f"page {n + 1}" for n, text in enumerate(texts) if not text.strip()),
    )


def page_count(data: bytes) -> int:
    """How many pictures a file holds: those of a TIFF's chain, else one."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(data[:4])
    if order is None:
        return 1
    pages = 0
    seen: set[int] = set()
    try:
        (at,) = struct.unpack_from(f"{order}I", data, 4)
        while at and at not in seen and pages < _MOST_PAGES:
            seen.add(at)
            (entries,) = struct.unpack_from(f"{order}H", data, at)
            pages += 1
            (at,) = struct.unpack_from(f"{order}I", data, at + 2 + 12 * entries)
    except struct.error:
        pass  # a chain that is cut off ends where the file does
    return max(pages, 1)
