"""The trained score: an additive model over the features, read from `score.json`.

z = bias - sum over features of f(x), each f piecewise linear, 0 at 0 and never falling: nothing
that is amiss can raise a score. In long passages a word that stands somewhere means less, so each
feature has a curve for short and one for long passages, mixed by their length.
The probability is the logistic function of slope * z + shift (Platt, "Probabilistic Outputs for
Support Vector Machines", 1999). `bench/train_grounding.py` writes the file.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from salon.answer.features import NAMES

FILE = Path(__file__).with_name("score.json")

KNOTS = (0.1, 0.25, 0.4, 0.6)
"""Where a curve may change its slope."""

_SHORT, _LONG = 40, 640
"""Words of evidence: up to the first the curve for short ones alone counts, from the second on the
other alone."""


@dataclass(frozen=True, slots=True)
class ScoreModel:
    """`short` and `long` have the weights of `basis` for each feature."""

    bias: float
    bias_short: float
    short: Mapping[str, Sequence[float]]
    long: Mapping[str, Sequence[float]]
    slope: float
    shift: float

    def losses(self, features: Mapping[str, float], evidence_words: int) -> dict[str, float]:
        """What each feature takes off the logit; all 0 or more."""
        mix = shortness(evidence_words)
        found = {}
        for name in NAMES:
            row = basis(features[name])
            found[name] = self.slope * (
                mix * _dot(self.short[name], row) + (1 - mix) * _dot(self.long[name], row)
            )
        return found

    def highest(self, evidence_words: int) -> float:
        """The logit of an answer with which nothing is amiss."""
        mix = shortness(evidence_words)
        return self.slope * (self.bias + mix * self.bias_short) + self.shift


@functools.cache
def shipped() -> ScoreModel:
    """The model of this version."""
    return read_model(FILE.read_text(encoding="utf-8"))


def read_model(text: str) -> ScoreModel:
    data = json.loads(text)
    return ScoreModel(
        bias=data["bias"],
        bias_short=data["bias_short"],
        short=data["weights"]["short"],
        long=data["weights"]["long"],
        slope=data["calibration"]["slope"],
        shift=data["calibration"]["shift"],
    )


def basis(x: float) -> list[float]:
    """The pieces that a curve is made of; each is 0 at 0 and 1 at 1."""
    return [
        x,
        *(max(0.0, x - knot) / (1 - knot) for knot in KNOTS),
        *(min(x, knot) / knot for knot in KNOTS[:-1]),
    ]


def shortness(words: int) -> float:
    """1 for short evidence, 0 for long, in between by the logarithm."""
    at = math.log(max(words, 1) / _SHORT) / math.log(_LONG / _SHORT)
    return 1 - min(1.0, max(0.0, at))


def probability(logit: float) -> float:
    if logit < 0:
        return math.exp(logit) / (1 + math.exp(logit))
    return 1 / (1 + math.exp(-logit))


def _dot(weights: Sequence[float], row: Sequence[float]) -> float:
    return sum(w * x for w, x in zip(weights, row, strict=True))
