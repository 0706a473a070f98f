"""The usual sizes of each cutting strategy, in tokens."""

from __future__ import annotations

from salon.types import CutterConfig, CutterName

_DEFAULTS: dict[CutterName, CutterConfig] = {
    "prose": CutterConfig("prose", target=750, maximum=1000, overlap=100),
    "fragments": CutterConfig("fragments", target=600, maximum=800, overlap=75),
    "whole": CutterConfig("whole", target=0, maximum=0, overlap=0),
    "topics": CutterConfig("topics", target=750, maximum=1000, overlap=0),
    "genres": CutterConfig("genres", target=700, maximum=1000, overlap=100),
}


def default_cutter(strategy: CutterName) -> CutterConfig:
    """The strategy with its usual sizes; a target of 0 means that nothing is ever parted."""
    return _DEFAULTS[strategy]
