"""Features of the labelled answers and figures of scores, with bootstrap intervals."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.grounding_data import SETS, cases, evidence_of
from salon.answer.checking import Checker
from salon.answer.features import NAMES, features
from salon.answer.support import Pool

_DRAWS = 500
_BINS = 10


@dataclass(frozen=True)
class Sets:
    """One row a case; `words` of evidence, `length` of the answer in words."""

    dataset: np.ndarray
    part: np.ndarray
    group: np.ndarray
    good: np.ndarray
    features: np.ndarray
    words: np.ndarray
    length: np.ndarray
    milliseconds: float


def load(names: tuple[str, ...] = SETS) -> Sets:
    """Weighs every answer of the data sets as an answer of a persona is weighed."""
    rows: list[tuple[Any, ...]] = []
    pool, source = None, ""
    began = time.process_time()
    for name in names:
        for case in cases(name):
            if pool is None or case.source != source:
                pool, source = Pool(evidence_of(case.source), "en"), case.source
            weighed = Checker(pool, case.question).weigh(case.answer)
            found = features(weighed, case.answer, "en")
            rows.append(
                (
                    name,
                    case.part,
                    f"{name.partition('_')[0]}:{case.group}",
                    case.good,
                    [found[n] for n in NAMES],
                    len(case.source.split()),
                    len(case.answer.split()),
                )
            )
    spent = (time.process_time() - began) * 1000 / max(1, len(rows))
    return Sets(*(np.array(column) for column in zip(*rows, strict=True)), milliseconds=spent)


def balanced_accuracy(score: np.ndarray, good: np.ndarray, bar: float = 0.5) -> float:
    passed = score >= bar
    return float((passed[good].mean() + (~passed[~good]).mean()) / 2)


def auroc(score: np.ndarray, good: np.ndarray) -> float:
    """The chance that a good answer scores above a bad one, ties counting half."""
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    n = int(good.sum())
    return float((rank[good].sum() - n * (n + 1) / 2) / (n * (len(good) - n)))


def ece(score: np.ndarray, good: np.ndarray, weights: np.ndarray) -> float:
    """Expected calibration error over ten equal bins of the score, weighted."""
    place = np.minimum((score * _BINS).astype(int), _BINS - 1)
    total = 0.0
    for k in range(_BINS):
        w = weights[place == k]
        if w.sum():
            gap = (w * score[place == k]).sum() - (w * good[place == k]).sum()
            total += abs(float(gap))
    return total / float(weights.sum())


def figures(sets: Sets, score: np.ndarray) -> dict[str, Any]:
    """Per data set: balanced accuracy at 0.5 and AUROC with 95 % intervals over groups, and the
    same of the answer's length alone (shorter is better, at its best bar on the same data)."""
    out = {}
    for name in np.unique(sets.dataset):
        chosen = sets.dataset == name
        good, p = sets.good[chosen], score[chosen]
        length = -sets.length[chosen].astype(float)
        bars = np.unique(length)
        both = [max(b, 1 - b) for b in (balanced_accuracy(length, good, bar) for bar in bars)]
        area = auroc(length, good)
        accuracy, spread = _interval(p, good, sets.group[chosen])
        out[str(name)] = {
            "answers": int(chosen.sum()),
            "balanced_accuracy": round(accuracy, 3),
            "interval": spread,
            "auroc": round(auroc(p, good), 3),
            "length_only_balanced_accuracy": round(max(both), 3),
            "length_only_auroc": round(max(area, 1 - area), 3),
            "parts": {
                str(part): round(balanced_accuracy(p[at], good[at]), 3)
                for part in np.unique(sets.part[chosen])
                if part and len(set(good[at := sets.part[chosen] == part])) == 2
            },
        }
    return out


def _interval(p: np.ndarray, good: np.ndarray, group: np.ndarray) -> tuple[float, list[float]]:
    draw = np.random.default_rng(1)
    names, place = np.unique(group, return_inverse=True)
    members = [np.flatnonzero(place == k) for k in range(len(names))]
    drawn = []
    for _ in range(_DRAWS):
        at = np.concatenate([members[k] for k in draw.integers(0, len(names), len(names))])
        if 0 < good[at].sum() < len(at):
            drawn.append(balanced_accuracy(p[at], good[at]))
    low, high = np.percentile(drawn, [2.5, 97.5])
    return balanced_accuracy(p, good), [round(float(low), 3), round(float(high), 3)]
