"""Labelled answers of public data sets, with their sources as one passage of evidence."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench.places import CORPORA
from salon.types import Evidence, Hit, Passage, SourceInfo, Span

BENCH = Path(CORPORA).parent / "bench"
SETS = ("begin", "begin_among_others", "summedits", "halueval_qa")
_OTHERS, _SEED = 14, 11


@dataclass(frozen=True)
class Case:
    """`good` says that people found the answer borne out; `group` is never in two folds."""

    dataset: str
    group: str
    source: str
    question: str
    answer: str
    good: bool
    part: str = ""


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def cases(dataset: str) -> Iterator[Case]:
    """Raises FileNotFoundError where the data is not at hand."""
    folder = BENCH / dataset / "dev"
    if dataset == "begin":
        for row in rows(folder / "begin.jsonl"):
            source, asked, said = (str(row[k]) for k in ("knowledge", "message", "response"))
            good = row["label"] == "Fully attributable"
            yield Case(dataset, source, source, asked, said, good, str(row["source"]))
    elif dataset == "begin_among_others":
        yield from _among_others()
    elif dataset == "summedits":
        docs = {row["doc_id"]: str(row["doc"]) for row in rows(folder / "docs.jsonl")}
        for row in rows(folder / "claims.jsonl"):
            text, group = docs[row["doc_id"]], str(row["doc_id"])
            good, domain = row["label"] == 1, str(row["domain"])
            yield Case(dataset, group, text, "", str(row["summary"]), good, domain)
    elif dataset == "halueval_qa":
        for row in rows(folder / "qa.jsonl"):
            source, asked = str(row["knowledge"]), str(row["question"])
            yield Case(dataset, asked, source, asked, str(row["right_answer"]), True)
            bad = row["hallucinated"]
            for said in bad if isinstance(bad, list) else [bad]:
                yield Case(dataset, asked, source, asked, str(said), False)


def _among_others() -> Iterator[Case]:
    """BEGIN's answers where the passage stands among others, as in a persona's evidence.

    A tenth of the answers come with the other passages alone: those rest on nothing, whatever
    people said of them.
    """
    draw = random.Random(_SEED)
    given = list(cases("begin"))
    passages = sorted({case.source for case in given})
    for case in given:
        around = [text for text in draw.sample(passages, _OTHERS) if text != case.source]
        astray = draw.random() < 0.1
        if not astray:
            around.insert(draw.randrange(len(around)), case.source)
        good = case.good and not astray
        yield replace(case, dataset="begin_among_others", source="\n\n".join(around), good=good)


def evidence_of(text: str) -> tuple[Evidence, ...]:
    passage = Passage("p", "s", 0, len(text), text, len(text) // 4)
    info = SourceInfo("s", "source.txt", "", "text", "", len(text))
    hit = Hit(passage, info, rank=1, score=1.0, similarity=1.0, via="given")
    return (Evidence(1, hit, (Span(0, len(text)),), text),)
