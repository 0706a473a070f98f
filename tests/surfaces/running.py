"""Runs the installed `salon` as a person would: a process of its own, with a clean environment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

SALON = Path(sys.executable).with_name("salon")
PATIENCE = 300
"""Seconds after which a process that hangs is given up; no test measures time with it."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment without any setting of ours, with an empty home folder."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SALON_", "ANTHROPIC_", "OPENAI_", "XDG_"))
        and name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")
    }
    return {**kept, "HOME": str(home), "SALON_FETCH": "false", **more}


def heed_ctrl_c() -> None:
    """For a child, before it starts: a test run in the background has it ignored, and inherits."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def salon(
    *arguments: str | Path, home: Path, models: Path | None = None, stdin: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    """Runs one command to its end."""
    settings = {"SALON_MODELS": str(models)} if models else {}
    return subprocess.run(
        [SALON, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=home,
        env=environment(home, **settings, **more),
        timeout=PATIENCE,
        check=False,
    )
