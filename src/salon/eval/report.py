"""What an evaluation found: rows, figures, bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from salon.errors import InputError
from salon.eval.questions import Kind

CUTOFFS = (1, 3, 6, 12)
DEPTH = max(CUTOFFS)


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one question. `rank` is the first passage with the evidence, 0 for none.

    `score` and what follows are None where no answer was asked for.
    """

    line: int
    question: str
    kind: Kind
    rank: int
    search_ms: float
    declined: bool | None = None
    grounded: bool | None = None
    score: float | None = None
    answer_ms: int | None = None
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvalReport:
    """`figures` maps a name to a share or a mean; a figure without any row is absent.

    `counts` says on how many questions figures rest; `warnings` name faults of the questions.
    """

    persona: str
    generation: str
    model: str
    setting: str
    counts: Mapping[str, int]
    figures: Mapping[str, float]
    rows: tuple[Row, ...] = field(repr=False)
    warnings: tuple[str, ...] = ()

    def failing(self, bars: Mapping[str, float]) -> tuple[str, ...]:
        """The names of the bars that are not reached; InputError for a name with no figure."""
        missing = [name for name in bars if name not in self.figures]
        if missing:
            raise InputError(
                f"there is no figure '{missing[0]}'",
                expected=f"one of {', '.join(self.figures)}",
            )
        return tuple(name for name, least in bars.items() if self.figures[name] < least)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def figures(rows: Sequence[Row]) -> dict[str, float]:
    """Shares and means over the rows they are about; see the guide's page on evaluating."""
    specific = [row for row in rows if row.kind == "specific"]
    outside = [row for row in rows if row.kind == "outside"]
    inside = [row for row in rows if row.kind != "outside" and row.declined is not None]
    result: dict[str, float] = {}

    def mean(name: str, of: Sequence[Row], value: Callable[[Row], float | bool | None]) -> None:
        values = [float(v) for v in map(value, of) if v is not None]
        if values:
            result[name] = sum(values) / len(values)

    for cutoff in CUTOFFS:
        mean(f"recall@{cutoff}", specific, lambda row, k=cutoff: 0 < row.rank <= k)  # type: ignore[misc]
    mean("mrr", specific, lambda row: 1 / row.rank if row.rank else 0.0)
    mean("outside_declined", outside, lambda row: row.declined)
    mean("specific_declined", specific, lambda row: row.declined)
    mean("grounded", [row for row in inside if not row.declined], lambda row: row.grounded)
    mean("score", [row for row in inside if not row.declined], lambda row: row.score)
    return result


def parse_bars(texts: Iterable[str]) -> dict[str, float]:
    """["recall@6=0.68"] -> {"recall@6": 0.68}; InputError for anything else."""
    bars = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            bars[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals or not 0 <= bars[name.strip()] <= 1:
            raise InputError(
                f"{text!r} is not a bar", expected="a figure and a share: recall@6=0.7"
            )
    return bars
