"""Trains the score on development data and measures it: src/salon/answer/score.json.

usage: python -m bench train_grounding

Trains on begin, on begin with each passage among fourteen others, and on summedits; each has half
its weight on good answers. HaluEval-QA is only measured: there length alone tells good from bad.
Figures are of five folds by source document, and of models that never saw the data set at all.
Half-and-half weights make 0.5 mean "as likely right as wrong" where both are equally common.
"""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np

from bench.grounding_data import SETS
from bench.grounding_measure import Sets, ece, figures, load
from salon.answer.features import NAMES
from salon.answer.scoring import FILE, basis, shortness

TRAINED = ("begin", "begin_among_others", "summedits")
_FOLDS, _STEPS, _RATE, _RIDGE, _SEED = 5, 1500, 0.03, 1e-3, 7


def design(sets: Sets) -> np.ndarray:
    """Rows of the model: curves for short evidence, for long evidence, how short it is."""
    pieces = np.array([[p for x in row for p in basis(x)] for row in sets.features])
    short = np.array([shortness(int(words)) for words in sets.words])[:, None]
    return np.hstack([pieces * short, pieces * (1 - short), short])


def balanced(good: np.ndarray, dataset: np.ndarray) -> np.ndarray:
    """Each data set weighs the same, and each half of it."""
    weights = np.zeros(len(good))
    for name in np.unique(dataset):
        for side in (True, False):
            chosen = (dataset == name) & (good == side)
            weights[chosen] = 1 / max(1, chosen.sum())
    return weights / weights.sum()


def fit(rows: np.ndarray, good: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Logistic regression by Adam; weights of what is amiss are held at 0 or more."""
    size = rows.shape[1]
    at = np.zeros(size + 1)
    first, second = np.zeros(size + 1), np.zeros(size + 1)
    for step in range(1, _STEPS + 1):
        error = weights * (1 / (1 + np.exp(-(at[-1] - rows @ at[:-1]))) - good)
        slope = np.r_[-(rows.T @ error) + _RIDGE * at[:-1], error.sum()]
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        at -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-9)
        at[: size - 1] = np.maximum(at[: size - 1], 0)
    return at[:-1], float(at[-1])


def platt(logits: np.ndarray, good: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Slope and shift by Newton's method on the weighted likelihood."""
    at = np.array([1.0, 0.0])
    x = np.c_[logits, np.ones(len(logits))]
    for _ in range(50):
        p = 1 / (1 + np.exp(-(x @ at)))
        slope = x.T @ (weights * (p - good))
        curve = (x * (weights * p * (1 - p))[:, None]).T @ x + 1e-9 * np.eye(2)
        at = at - np.linalg.solve(curve, slope)
    return float(at[0]), float(at[1])


def crossed(sets: Sets, rows: np.ndarray, use: np.ndarray) -> np.ndarray:
    """Logits of every case by a model that saw nothing of its group; trained on `use`."""
    draw = np.random.default_rng(_SEED)
    groups = np.unique(sets.group)
    fold_of = dict(zip(groups, draw.integers(0, _FOLDS, len(groups)), strict=True))
    fold = np.array([fold_of[group] for group in sets.group])
    out = np.zeros(len(sets.good))
    for k in range(_FOLDS):
        seen = (fold != k) & use
        found, bias = fit(
            rows[seen], sets.good[seen], balanced(sets.good[seen], sets.dataset[seen])
        )
        out[fold == k] = bias - rows[fold == k] @ found
    return out


def _same(sets: Sets, name: str) -> np.ndarray:
    """Cases of the data set itself, however its passages are presented."""
    family = name.partition("_")[0]
    return np.array([str(one).partition("_")[0] == family for one in sets.dataset])


def scores(logits: np.ndarray, slope: float, shift: float) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-(slope * logits + shift))))


def main(arguments: list[str]) -> None:
    sets = load()
    rows = design(sets)
    use = np.isin(sets.dataset, TRAINED)
    logits = crossed(sets, rows, use)
    weights = balanced(sets.good[use], sets.dataset[use])
    slope, shift = platt(logits[use], sets.good[use], weights)
    p = scores(logits, slope, shift)
    result: dict[str, Any] = {"five_folds_by_source": figures(sets, p)}
    result["calibration_error"] = round(ece(p[use], sets.good[use], weights), 4)
    left_out = {}
    for name in SETS:
        others = use & ~_same(sets, name)
        found, bias = fit(
            rows[others], sets.good[others], balanced(sets.good[others], sets.dataset[others])
        )
        left_out[name] = figures(sets, scores(bias - rows @ found, 1.0, 0.0))[name]
    result["data_set_left_out"] = left_out
    found, bias = fit(rows[use], sets.good[use], weights)
    FILE.write_text(_file(found, bias, slope, shift, result), encoding="utf-8")
    print(json.dumps(result, indent=1))


def _file(found: np.ndarray, bias: float, slope: float, shift: float, result: Any) -> str:
    width = len(basis(0.0))
    half = len(NAMES) * width

    def curves(part: np.ndarray) -> dict[str, list[float]]:
        cut = part.reshape(len(NAMES), width)
        return {n: [round(float(w), 4) for w in row] for n, row in zip(NAMES, cut, strict=True)}

    data = {
        "what": "additive model of how far an answer rests on its passages; docs/architecture/"
        "grounding.md says how it is read",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "trained_on": {
            "begin": "google/BEGIN-dataset, CC BY 4.0 (wow dev and test, cmu-dog dev)",
            "summedits": "salesforce/factualNLG, Apache-2.0 (four domains)",
        },
        "script": "python -m bench train_grounding",
        "bias": round(bias, 4),
        "bias_short": round(-float(found[-1]), 4),
        "weights": {"short": curves(found[:half]), "long": curves(found[half:-1])},
        "calibration": {
            "method": "Platt, on folds",
            "slope": round(slope, 4),
            "shift": round(shift, 4),
        },
        "figures": result,
    }
    text = json.dumps(data, indent=1, ensure_ascii=False)
    import re

    return re.sub(r"\[[^\[\]{}]*\]", lambda m: " ".join(m.group().split()), text) + "\n"
