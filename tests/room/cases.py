"""Rows of the shared cases: what each expects of us, `keep` as it stands and `fix` as `better`."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.places import TEST_DATA


@cache
def rows(area: str) -> tuple[dict[str, Any], ...]:
    """The rows of an area; empty where the data is absent."""
    file = TEST_DATA / "cases" / "rooms.jsonl"
    if not file.is_file():
        return ()
    found = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return tuple(row for row in found if row["area"] == area)


def wanted(row: dict[str, Any]) -> Any:
    return row["better"] if row["verdict"] == "fix" else row["expected"]


def name_of(row: dict[str, Any]) -> str:
    return json.dumps(row["input"], ensure_ascii=False)[:90]


def each(area: str) -> pytest.MarkDecorator:
    """Runs a test once for each row of an area."""
    found = rows(area)
    if not found:
        return pytest.mark.skip(reason="no shared cases here: set SALON_TEST_DATA")
    return pytest.mark.parametrize("row", found, ids=[name_of(row) for row in found])
