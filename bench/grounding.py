"""The shipped score on labelled answers: accuracy, calibration, time; and what it says of hedges.

usage: python -m bench grounding

Resumable: the part of a data set is kept in bench/results/grounding-DIGEST-SET.json, by a digest of
score.json and the code of salon.answer, and not measured again. HaluEval's general answers come
without any source, so only how often they hedge is compared.
"""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

import numpy as np

from bench.grounding_data import BENCH, SETS, evidence_of, rows
from bench.grounding_measure import ece, figures, load
from bench.places import RESULTS, save
from salon.answer.checking import Checker
from salon.answer.features import NAMES, features, hedges
from salon.answer.scoring import FILE, probability, shipped
from salon.answer.support import Pool

_WORDS, _PASSAGES, _RUNS = 150, 6, 20


def main(arguments: list[str]) -> None:
    code = sorted(FILE.parent.glob("*.py"))
    digest = hashlib.sha256(b"".join(f.read_bytes() for f in (FILE, *code))).hexdigest()[:8]
    result: dict[str, Any] = {"digest": digest}
    for name in SETS:
        result[name] = _kept(f"grounding-{digest}-{name}", name)
        print(name, json.dumps(result[name]))
    result["halueval_general"] = _general()
    result["time"] = _time()
    print(json.dumps({k: result[k] for k in ("halueval_general", "time")}))
    save("grounding", result)


def _kept(file: str, name: str) -> Any:
    path = RESULTS / f"{file}.json"
    if path.exists():
        return json.loads(path.read_text("utf-8"))
    sets = load((name,))
    model = shipped()
    p = []
    for row, words in zip(sets.features, sets.words, strict=True):
        losses = model.losses(dict(zip(NAMES, map(float, row), strict=True)), int(words))
        p.append(probability(model.highest(int(words)) - sum(losses.values())))
    score = np.array(p)
    weights = np.where(sets.good, 1 / sets.good.sum(), 1 / (~sets.good).sum())
    found = figures(sets, score)[name]
    found["calibration_error"] = round(ece(score, sets.good, weights), 4)
    found["milliseconds_per_answer"] = round(sets.milliseconds, 2)
    RESULTS.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found), encoding="utf-8")
    return found


def _general() -> dict[str, Any]:
    """Share of answers that hedge, by whether people found them invented."""
    found: dict[str, list[bool]] = {"yes": [], "no": []}
    for row in rows(BENCH / "halueval_general" / "dev" / "general.jsonl"):
        said = str(row["chatgpt_response"])
        found[str(row["hallucination"])].append(bool(hedges(said, "en")))
    return {
        f"hedging_{key}": round(sum(each) / max(1, len(each)), 4) for key, each in found.items()
    }


def _time() -> dict[str, float]:
    """CPU milliseconds for an answer of 150 words with six passages of some 250 words."""
    docs = [str(row["doc"]) for row in rows(BENCH / "summedits" / "dev" / "docs.jsonl")]
    words = " ".join(docs).split()
    texts = [" ".join(words[250 * k : 250 * (k + 1)]) for k in range(_PASSAGES)]
    answer = " ".join(words[100 : 100 + _WORDS])
    evidence = evidence_of("\n\n".join(texts))
    spent = []
    for _ in range(_RUNS):
        began = time.process_time()
        weighed = Checker(Pool(evidence, "en"), "").weigh(answer)
        shipped().losses(features(weighed, answer, "en"), 250 * _PASSAGES)
        spent.append((time.process_time() - began) * 1000)
    return {"median_ms": round(float(np.median(spent)), 2), "longest_ms": round(max(spent), 2)}
