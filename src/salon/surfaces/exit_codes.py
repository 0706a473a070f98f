"""What the command line's exit status means; `salon --help` and the guide print this table."""

from __future__ import annotations

from salon.errors import (
    ConfigError,
    IndexError_,
    InputError,
    MemoryError_,
    ModelFileError,
    ModelUnavailable,
    RetrievalUnavailable,
    SalonError,
    SourceError,
    StateError,
)

OK = 0
UNEXPECTED = 1
USAGE = 2
CONFIG = 3
INPUT = 4
INDEX = 5
UNAVAILABLE = 6
BELOW_BAR = 7
MEMORY = 8
INTERRUPTED = 130

MEANINGS: dict[int, str] = {
    OK: "done",
    UNEXPECTED: "an unexpected failure (SALON_DEBUG=1 shows where)",
    USAGE: "the command line was not understood",
    CONFIG: "a setting or persona file is wrong, or something named does not exist",
    INPUT: "the question, a source or a questions file cannot be used",
    INDEX: "the index is missing, does not fit, or is being built",
    UNAVAILABLE: "search, a model, a model file or the database is not available",
    BELOW_BAR: "an evaluation came out below the bar that was asked for",
    MEMORY: "a persona's memory is damaged, or is being written",
    INTERRUPTED: "stopped by Ctrl-C",
}

_CODES: tuple[tuple[type[SalonError], int], ...] = (
    (ConfigError, CONFIG),
    (InputError, INPUT),
    (SourceError, INPUT),
    (IndexError_, INDEX),
    (RetrievalUnavailable, UNAVAILABLE),
    (ModelUnavailable, UNAVAILABLE),
    (ModelFileError, UNAVAILABLE),
    (MemoryError_, MEMORY),
    (StateError, UNAVAILABLE),
)


def code_for(error: SalonError) -> int:
    """The exit status for `error`."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), UNEXPECTED)


def table() -> str:
    """The codes and their meanings, one a line."""
    return "\n".join(f"{code:>3}  {meaning}" for code, meaning in MEANINGS.items())
