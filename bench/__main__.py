"""Runs benchmarks by name: `python -m bench [NAME [ARGUMENT...]]`; without a name, all of them."""

from __future__ import annotations

import importlib
import sys

ALL = (
    "question_to_prompt",
    "indexing",
    "recall",
    "quotations",
    "rooms",
    "citations",
    "intake",
    "fuzz",
    "grounding",
)
MAKERS = ("lexicon", "train_grounding", "projection")
"""Make files of the package; run by name only."""


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] not in (*ALL, *MAKERS):
        sys.exit(f"no benchmark '{sys.argv[1]}': there are {', '.join((*ALL, *MAKERS))}")
    for name in sys.argv[1:2] or ALL:
        importlib.import_module(f"bench.{name}").main(sys.argv[2:])


if __name__ == "__main__":
    main()
