"""Logs of the server: JSON lines on standard error, each with its request's correlation id."""

from __future__ import annotations

import logging
import sys

import structlog

from salon.surfaces.terminal import Quarters


def configure() -> None:
    """Sends our own and uvicorn's records through one JSON renderer. Called once, at start."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(render)
    root = logging.getLogger()
    root.handlers[:] = [stream]
    root.setLevel(logging.WARNING)
    logging.getLogger("salon").setLevel(logging.INFO)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def silence() -> None:
    """For a terminal: what happened is printed as a result or an error, and never as a log line."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        cache_logger_on_first_use=False,
    )


class LoggedProgress:
    """A `salon.ports.Progress` that writes log lines."""

    def __init__(self) -> None:
        self._quarters = Quarters()

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._quarters.is_new(stage, done, total):
            structlog.get_logger("salon.work").info(stage, done=done, total=total)
