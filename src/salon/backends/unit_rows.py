"""Vectors of length 1, or an error: a zero vector in an index is never found and never noticed."""

from __future__ import annotations

from typing import Any

from salon.errors import ModelUnavailable
from salon.types import Vector


def unit_rows(vectors: Any, who: str) -> Vector:
    """The rows scaled to length 1, float32; ModelUnavailable when a row has no direction."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths < 1e-12).any():
        raise ModelUnavailable(
            f"{who} returned vectors that are zero or not numbers",
            expected="a finite vector that is not zero for each text",
            cure="check the model behind it; nothing was stored",
        )
    unit: Vector = (rows / lengths).astype(np.float32)
    return unit
