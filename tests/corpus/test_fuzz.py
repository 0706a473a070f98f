"""A sample of the fuzz run of `bench.fuzz`."""

from __future__ import annotations

from pathlib import Path

from bench.fuzz import fuzz


def test_damaged_files_are_read_or_refused(tmp_path: Path) -> None:
    came, faults, _ = fuzz(400, 3, tmp_path)
    assert faults == []
    assert came["read"] > 40
    assert came["refused"] > 40
