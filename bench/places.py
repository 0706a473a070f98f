"""Where benchmarks find their data and leave their figures; the machine's load rides along."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.places import ROOT, TEST_DATA

RESULTS = ROOT / "bench" / "results"
CORPORA = TEST_DATA / "corpora"


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def machine() -> dict[str, Any]:
    """What the figures were measured on, and how busy it was."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "load": [round(value, 2) for value in os.getloadavg()],
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def save(name: str, figures: dict[str, Any]) -> Path:
    """Writes `bench/results/<name>.json` and returns its path."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"machine": machine(), **figures}, indent=1, ensure_ascii=False))
    return path
