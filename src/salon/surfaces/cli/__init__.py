"""The command line. `main` is the entry point of `salon`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Runs the program; Ctrl-C ends it quietly even while it is being loaded."""
    try:
        from salon.surfaces.cli import app
        from salon.surfaces.exit_codes import INTERRUPTED
    except KeyboardInterrupt:
        sys.exit(130)  # exit_codes may not be loaded yet
    try:
        app.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
