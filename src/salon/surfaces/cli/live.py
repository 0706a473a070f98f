"""Shows an answer while it is being written, and what came of it when it is stopped."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Iterator
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from salon.surfaces.safe_text import safe_text
from salon.surfaces.terminal import Watch, err
from salon.types import Answer, Answered, AnswerEvent, Found, Token

if TYPE_CHECKING:
    from rich.progress import Progress

_EDGE = 4
"""Lines that stay free below the live text, so that it never scrolls."""


class Writing:
    """The text so far, as the last lines of the terminal; it is wiped when the block ends.

    Outside a terminal only progress is printed: the finished answer follows in any case.
    """

    def __init__(self, watch: Watch) -> None:
        self.text = ""
        self._state = "Searching"
        self._watch = watch
        self._bars: Progress | None = None

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        if not err.is_terminal:
            yield
            return
        from rich.live import Live

        with (
            self._watch.bars() as self._bars,
            Live(get_renderable=self._view, console=err, transient=True, refresh_per_second=12),
        ):
            yield

    def take(self, happened: AnswerEvent) -> None:
        if isinstance(happened, Found):
            self._state = f"Reading {len(happened.retrieved.hits)} passages"
        elif isinstance(happened, Token):
            self.text += happened.text

    def _view(self) -> RenderableType:
        if self.text:
            lines = Text(safe_text(self.text)).wrap(err, err.width)
            return Text("\n").join(lines[-max(1, err.height - _EDGE) :])
        waiting = Text(f"{self._state} \u2026", "dim")
        if self._bars is not None and any(not task.finished for task in self._bars.tasks):
            return Group(waiting, self._bars.get_renderable())
        return waiting


async def follow(events: AsyncGenerator[AnswerEvent, None], writing: Writing) -> Answer:
    """Takes every event to the last, which is the answer; closes the generator when cancelled."""
    async with contextlib.aclosing(events):
        async for happened in events:
            writing.take(happened)
            if isinstance(happened, Answered):
                return happened.answer
    raise AssertionError("an answer ended without its last event")


def stopped_text(writing: Writing) -> Text:
    """What was written before the reader stopped it, marked as unfinished and unchecked."""
    shown = Text(safe_text(writing.text).strip())
    shown.append(" [stopped: not checked against the sources]", "yellow")
    return shown
