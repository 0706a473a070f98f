"""Router time: who answers a message, among 33 and among 10,000 personas."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Sequence

from bench.places import RESULTS
from salon.room.mentions import Directory
from salon.room.routes import RouteTable
from salon.room.speakers import Choosing, choose
from salon.types import Participant, RoomOptions, Route, Routes

TEXTS = {
    "topic": "What do you make of music, and of the sounds of a street in the morning?",
    "mention": "@Nick7 and @nick 12, what do you make of it?",
    "neither": "What do you make of it all, now that it is over and done with?",
}
ROUTES = Routes(
    "p-0",
    (Route("web", ("search", "find"), ("p-1",)), Route("music", ("son", "music"), ("p-2",))),
)
ROUNDS = 2_000


def main(arguments: Sequence[str]) -> None:
    table = RouteTable(ROUTES)
    found: dict[str, dict[str, float]] = {}
    for count in (33, 10_000):
        pool = tuple(
            Participant(f"p-{number}", f"Nick{number}", f"Name Number {number}")
            for number in range(count)
        )
        directory = Directory(pool)
        for kind, text in TEXTS.items():
            choosing = Choosing(text, pool, table, RoomOptions())
            times = sorted(_time(choosing, directory) for _ in range(ROUNDS))
            row = {"p50_ms": statistics.median(times), "p99_ms": times[ROUNDS * 99 // 100]}
            found[f"{count} personas, {kind}"] = row
            print(f"{count:>6} {kind:<8} p50 {row['p50_ms']:.3f} ms  p99 {row['p99_ms']:.3f} ms")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "rooms.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _time(choosing: Choosing, directory: Directory) -> float:
    began = time.perf_counter()
    choose(choosing, directory)
    return (time.perf_counter() - began) * 1000
