"""The terminal: two consoles, progress bars, and the one shape that errors are printed in."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from salon.errors import SalonError
from salon.surfaces.safe_text import one_line, safe_text

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# Nothing printed is ever read as rich markup: texts come from sources and models.
out = Console(markup=False, emoji=False, highlight=False)
err = Console(stderr=True, markup=False, emoji=False, highlight=False)


_NARROWEST = 20
"""Columns that indented text needs to be readable."""


class Stopped(Exception):
    """The user pressed Ctrl-C; the text says what is kept and how to go on."""


def say(text: str, style: str = "") -> None:
    """One message to the reader, on standard output; what is piped is not wrapped."""
    out.print(Text(safe_text(text), style=style), soft_wrap=not out.is_terminal)


def say_rows(rows: Iterable[Sequence[str]], styles: Sequence[str] = ()) -> None:
    """Rows with aligned columns, indented; the last column is the one that wraps."""
    shown = [[one_line(cell) for cell in row] for row in rows]
    if not shown:
        return
    *widths, _ = [max(len(row[at]) for row in shown) for at in range(len(shown[0]))]
    indent = 2 + sum(widths) + 2 * len(widths)
    for row in shown:
        line = Text("  ")
        for at, cell in enumerate(row[:-1]):
            line.append(f"{cell:<{widths[at]}}  ", styles[at] if at < len(styles) else "")
        room = out.width - indent
        if out.is_terminal and room > _NARROWEST:
            first, *more = Text(row[-1]).wrap(out, room) or [Text()]
            out.print(line + first, *(Text(" " * indent) + rest for rest in more), sep="\n")
        else:
            out.print(line + Text(row[-1]), soft_wrap=not out.is_terminal)


def note(text: str, style: str = "dim") -> None:
    """An aside on standard error, so that what is piped stays clean."""
    err.print(Text(safe_text(text), style=style), soft_wrap=not err.is_terminal)


def indented(text: Text, by: int, console: Console) -> Text:
    """Every line `by` columns in, wrapped at a terminal's width and nowhere else."""
    wide = not console.is_terminal or console.width - by < _NARROWEST
    lines = text.split("\n", allow_blank=True) if wide else text.wrap(console, console.width - by)
    return Text("\n").join(Text(" " * by) + line for line in lines)


def print_error(error: SalonError) -> None:
    """What was wrong, what was expected, what to do and the id: one block on standard error."""
    block = Text("Error: ", style="bold red")
    block.append(safe_text(error.problem), style="bold")
    if error.expected:
        block.append("\nExpected: ", style="dim")
        block.append(safe_text(error.expected))
    if error.cure:
        block.append("\nTo fix it: ", style="green")
        block.append(safe_text(error.cure))
    if error.correlation_id:
        block.append(f"\nCorrelation id: {one_line(error.correlation_id)}", style="dim")
    err.print(block, soft_wrap=not err.is_terminal)


def debugging() -> bool:
    return os.environ.get("SALON_DEBUG", "") not in ("", "0")


def own_command() -> str:
    """How the reader can call this program again: `salon`, or its path when it is not on PATH."""
    import shutil
    from pathlib import Path

    called = Path(sys.argv[0])
    if called.name != "salon":
        return "salon"
    found = shutil.which("salon")
    if found and Path(found).resolve() == called.resolve():
        return "salon"
    try:
        return str(called.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(called)


def size_text(size: int) -> str:
    """Bytes as a person counts them."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"


class Quarters:
    """Thins out progress for those who read it line by line: a stage is told of at each quarter."""

    def __init__(self) -> None:
        self._told: dict[str, int] = {}

    def is_new(self, stage: str, done: int, total: int) -> bool:
        quarter = 4 * done // total if total else 0
        told = self._told.get(stage, -1)
        self._told[stage] = quarter
        return quarter > told or (quarter == 0 and told > 0)


class Watch:
    """Shows the progress of long work on standard error: bars in a terminal, plain lines elsewhere.

    An instance is a `salon.ports.Progress`; calls may come from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._quarters = Quarters()

    def __call__(self, stage: str, done: int, total: int) -> None:
        with self._lock:
            if self._bars is None:
                self._print_line(one_line(stage), done, total)
            else:
                self._move_bar(self._bars, one_line(stage), done, total)

    def _move_bar(self, bars: Progress, stage: str, done: int, total: int) -> None:
        if stage not in self._tasks:
            self._tasks[stage] = bars.add_task(stage, total=total or None)
        bars.update(self._tasks[stage], completed=done, total=total or None)

    def _print_line(self, stage: str, done: int, total: int) -> None:
        if self._quarters.is_new(stage, done, total):
            share = f"{100 * done // total:>3} %" if total else "..."
            err.print(Text(f"{stage}: {share}"), soft_wrap=True)

    @contextmanager
    def bars(self) -> Iterator[Progress]:
        """Within the block calls move these bars, which the caller draws."""
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        made = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=err,
            transient=True,
        )
        self._bars = made
        try:
            yield made
        finally:
            with self._lock:
                self._bars = None
                self._tasks.clear()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Within the block bars are drawn, where standard error is a terminal."""
        if not err.is_terminal:
            yield
            return
        with self.bars() as made, made:
            yield
