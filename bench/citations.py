"""Planted answers: sentences of known passages, with the mark, without, or with a wrong one.

usage: python -m bench citations [--count N] [--seed N]

Six passages of one author are the evidence. An answer has three sentences, each out of one of
them, told in part (a run of its words). Marks are right, missing altogether, one of them turned to
another passage, or mixed with numbers that point nowhere. A citation is right when its number's
passage holds the sentence it stands behind. Precision: of citations, the right ones; recall: of
sentences, those with a right one.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter

from rich.console import Console
from rich.table import Table

from bench.places import save
from bench.quotations import AUTHORS, Author, read_author
from salon.answer.cite import take_apart
from salon.answer.coverage import DEFAULT_BACKGROUND, Coverage
from salon.answer.finish import Written, finish
from salon.corpus.sentences import sentences
from salon.house.corpus import NoCorpus
from salon.types import (
    Brief,
    Evidence,
    GroundingConfig,
    Hit,
    Passage,
    RetrievalConfig,
    Retrieved,
    Span,
)

KINDS = ("right marks", "no marks", "one wrong mark", "dangling marks")
BRIEF = Brief("bench", "Bench", "en", "", "", "", 400, False, RetrievalConfig(), GroundingConfig())


def passages(author: Author, draw: random.Random) -> tuple[Evidence, ...]:
    found = []
    for number in range(1, 7):
        while True:
            info, text = draw.choice(author.sources)
            start = draw.randrange(max(1, len(text) - 1600))
            start = text.find("\n\n", start) + 2
            body = text[start : start + 1100]
            if len(long_sentences(body)) >= 3:
                break
        passage = Passage(f"{info.id}-{start}", info.id, start, start + len(body), body, 250)
        hit = Hit(passage, info, number, 1.0, 0.6, "bench")
        found.append(Evidence(number, hit, (Span(start, start + len(body)),), body))
    return tuple(found)


def long_sentences(text: str) -> list[str]:
    flat = [" ".join(text[s.start : s.end].split()) for s in sentences(text)]
    return [s for s in flat if 9 <= len(s.split()) <= 40 and re.match(r"[A-Z].*[a-z]\.$", s)]


def told(sentence: str, draw: random.Random) -> str:
    words = re.sub(r"[\"“”\[\]]", "", sentence).rstrip(".").split()
    keep = max(8, int(len(words) * draw.uniform(0.6, 1.0)))
    start = draw.randint(0, max(0, len(words) - keep))
    run = words[start : start + keep]
    while len(run) > 5 and len(run[-1].rstrip(",;:.-")) < 4:
        run.pop()  # "... by an." ends no sentence
    said = " ".join(run).rstrip(" ,;:.-")
    return f"{said[0].upper()}{said[1:]}"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench citations")
    parser.add_argument("--count", type=int, default=300, help="answers of each kind")
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args(arguments)
    draw = random.Random(options.seed)
    authors = [read_author(name) for name in AUTHORS[:3]]
    figures = {}
    for kind in KINDS:
        counts: Counter[str] = Counter()
        for _ in range(options.count):
            evidence = passages(draw.choice(authors), draw)
            truth = [(e, draw.choice(long_sentences(e.text))) for e in draw.sample(evidence, 3)]
            counts.update(one(kind, evidence, truth, draw))
        precision = counts["right"] / max(1, counts["cited"])
        recall = counts["held"] / max(1, counts["sentences"])
        figures[kind] = {"precision": round(precision, 4), "recall": round(recall, 4), **counts}
    table = Table("answers with", "precision", "recall")
    for kind, each in figures.items():
        table.add_row(kind, f"{each['precision']:.3f}", f"{each['recall']:.3f}")
    Console().print(table)
    print(save("citations", {"count": options.count, "seed": options.seed, "kinds": figures}))


def one(
    kind: str,
    evidence: tuple[Evidence, ...],
    truth: list[tuple[Evidence, str]],
    draw: random.Random,
) -> Counter[str]:
    wrong = draw.randrange(3) if kind == "one wrong mark" else -1
    said = []
    for place, (item, sentence) in enumerate(truth):
        number = item.number if place != wrong else item.number % 6 + 1
        mark = "" if kind == "no marks" else f" [{number}]"
        mark += " [41]" if kind == "dangling marks" and place == 1 else ""
        said.append(f"{told(sentence, draw)}{mark}.")
    marked = take_apart(" ".join(said), [item.number for item in evidence])
    retrieved = Retrieved(tuple(e.hit for e in evidence), "What happened?", 0.0, 0.0, "bench")
    done = finish(
        Written(marked, evidence),
        "What happened?",
        retrieved,
        BRIEF,
        NoCorpus(),
        DEFAULT_BACKGROUND,
        Coverage(3.0),
    )
    counts: Counter[str] = Counter(sentences=3)
    held = set()
    for citation in done.citations:
        words = done.text[citation.answer_start : citation.answer_end]
        owner = next((i for i, s in enumerate(said) if words[:25] in s), None)
        counts["cited"] += 1
        if owner is not None and truth[owner][0].hit.passage.id == citation.passage_id:
            counts["right"] += 1
            held.add(owner)
    counts["held"] = len(held)
    return counts
