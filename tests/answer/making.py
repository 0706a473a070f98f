"""A small corpus of our own, its hits and a brief: what answering is given, without an index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from salon.answer.quote_index import Place
from salon.answer.words import stems
from salon.types import (
    Brief,
    Evidence,
    GroundingConfig,
    Hit,
    Passage,
    RetrievalConfig,
    Retrieved,
    SourceInfo,
    Span,
)

LOGBOOK = """CHAPTER I

I was nineteen when I first climbed the tower at Halden. The lamp burned whale oil then, and
the smell of it never left my coat. My uncle Anders, who kept the light before me, taught me to
trim the wick twice in a night. He said that a keeper who sleeps is a thief of ships.

In the winter of 1902 a storm destroyed the oil store. We sat three nights in the dark, and rang
the bell by hand until our palms were raw. After that the district sent an engineer, one Solberg,
and the tower was given electric light. I did not like it at first. It hummed, and it did not need
me.

CHAPTER II

I have been asked what a keeper thinks of all those hours. Mostly he counts. I counted the ships,
the gulls, the seconds between the flash and its return. Solitude is a good teacher, but it asks
for a high fee.
"""

LETTERS = """To my sister Marit.

You write that the ferry to Bergen now carries three hundred passengers. I have never seen so many
people in one place. Bread here costs more than it did, and the flour comes wet. I bake on
Thursdays. Do not send me money; send me seeds, for the south wall is warm and I mean to grow
beans.
"""

HOPE_POEM = """VII.

THE LAMP.

The lamp forgives the dark its size
And asks no thanks of day;
It keeps one circle for the eyes
Of ships that lost their way.
"""

SNOW_POEM = """VIII.

SNOW.

The snow is patient with the stone,
It does not ask to stay;
It writes one line, and writes alone,
And takes the line away.
"""


def info(name: str, text: str) -> SourceInfo:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return SourceInfo(
        digest[:12], name, name.split(".")[0].title(), "text", digest, len(text), language="en"
    )


class SmallCorpus:
    """Sources by name; each paragraph of a source is a passage, or each source when `whole`."""

    def __init__(self, texts: dict[str, str] | None = None, *, whole: bool = False) -> None:
        named = texts or {"logbook.txt": LOGBOOK, "letters.txt": LETTERS}
        self.sources = [(info(name, text), text) for name, text in named.items()]
        self.passages = [p for source, text in self.sources for p in _cut(source, text, whole)]
        self.read = 0

    @property
    def fingerprint(self) -> str:
        return "-".join(source.id for source, _ in self.sources)

    def texts(self) -> Iterable[tuple[SourceInfo, str]]:
        self.read += 1
        return self.sources

    def passage_at(self, source_id: str, span: Span) -> Passage | None:
        for passage in self.passages:
            inside = passage.start <= span.start and span.end <= passage.end
            if passage.source_id == source_id and inside:
                return passage
        return None

    @property
    def index_file(self) -> None:
        return None

    def standing(self, source_id: str, span: Span) -> tuple[str, str]:
        return "", ""

    def elsewhere(self, quotation: str) -> Sequence[tuple[str, Place]]:
        return ()

    def source(self, passage: Passage) -> SourceInfo:
        return next(source for source, _ in self.sources if source.id == passage.source_id)

    def hits(self, question: str, limit: int = 6) -> tuple[Hit, ...]:
        """The passages by the share of the question's words that they have."""
        asked = stems(question, "en")

        def near(passage: Passage) -> float:
            return len(asked & stems(passage.text, "en")) / max(1, len(asked))

        ranked = sorted(self.passages, key=lambda p: -near(p))[:limit]
        return tuple(
            Hit(p, self.source(p), rank, near(p), 0.15 + 0.6 * near(p), "dense")
            for rank, p in enumerate(ranked, 1)
        )

    def find(self, question: str) -> Retrieved:
        return Retrieved(self.hits(question), question, 1.0, 1.0, "one")

    def hit(self, words: str, rank: int = 1, similarity: float = 0.6) -> Hit:
        """The hit of the passage that has these words."""
        passage = next(p for p in self.passages if words in " ".join(p.text.split()))
        return Hit(passage, self.source(passage), rank, 1.0, similarity, "dense")

    def evidence(self, *words: str) -> tuple[Evidence, ...]:
        """Whole passages that have these words, numbered in the order given."""
        hits = [self.hit(each, rank) for rank, each in enumerate(words, 1)]
        return tuple(
            Evidence(h.rank, h, (Span(h.passage.start, h.passage.end),), h.passage.text)
            for h in hits
        )


def _cut(source: SourceInfo, text: str, whole: bool) -> list[Passage]:
    pieces = [text] if whole else [p for p in text.split("\n\n") if len(p) > 60]
    found = []
    for piece in pieces:
        start = text.index(piece)
        words = piece.rstrip("\n")
        found.append(
            Passage(
                f"p-{source.id}-{start}",
                source.id,
                start,
                start + len(words),
                words,
                tokens=len(words) // 4,
            )
        )
    return found


def poems() -> SmallCorpus:
    return SmallCorpus({"lamp.txt": HOPE_POEM, "snow.txt": SNOW_POEM}, whole=True)


def brief(**changes: Any) -> Brief:
    """The brief of a lighthouse keeper; fields of RetrievalConfig and GroundingConfig by name."""
    fields = {
        "persona_id": "ingrid",
        "name": "Ingrid Dahl",
        "language": "en",
        "prompt": "You are Ingrid Dahl, who kept the light at Halden.",
        "worldview": "",
        "memory": "",
        "max_tokens": 400,
        "verbatim": False,
        "retrieval": RetrievalConfig(when_down=changes.pop("when_down", "refuse")),
        "grounding": GroundingConfig(quotes=changes.pop("quotes", "report")),
    }
    return Brief(**(fields | changes))
