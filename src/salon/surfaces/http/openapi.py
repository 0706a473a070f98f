"""Writes the description of the HTTP interface: `python -m salon.surfaces.http.openapi FILE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from salon.surfaces.http.app import openapi_document


def openapi_text() -> str:
    """The document as it is published: indented JSON with a final newline."""
    return json.dumps(openapi_document(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(openapi_text(), encoding="utf-8")
