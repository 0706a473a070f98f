"""What ships inside the package: the Host's persona folder and the guide that it is made from."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def host_folder() -> Path:
    """The Host's persona folder, without sources: those are the pages of `guide_folder()`."""
    return _HERE / "host"


def guide_folder() -> Path:
    """The guide's Markdown pages: inside an installed package, or `docs/guide` of a checkout."""
    packaged = _HERE / "guide"
    return packaged if packaged.is_dir() else _HERE.parents[2] / "docs" / "guide"
