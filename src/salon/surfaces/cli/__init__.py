"""The command line. `main` is the entry point of `salon`."""

from salon.surfaces.cli.app import main

__all__ = ["main"]
