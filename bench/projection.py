"""Writes the projection of token vectors: the directions in which content words differ most.

usage: python -m bench projection

The words are those of windows of 170 words, forty of each corpus of the test data, evenly spread;
nothing but these figures is kept of them. Directions are the first eigenvectors of the words'
states' second moments (principal components without centring).
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from bench.places import CORPORA, ROOT, machine
from salon.backends.embed import MiniLM
from salon.backends.token_vectors import TOKEN_DIMENSIONS
from salon.corpus.read import read_sources
from salon.index.windows import windows
from salon.ports import BackendContext
from salon.settings import load

TARGET = ROOT / "src" / "salon" / "backends" / "minilm_projection.npy"
WORDS = 170
WINDOWS = 40


def main(arguments: Sequence[str]) -> None:
    settings = load(None, dict(os.environ))
    embedder = MiniLM(BackendContext(settings.models_dir, {}))
    moments = np.zeros((embedder.id.dimensions, embedder.id.dimensions))
    count = 0
    for folder in sorted(path for path in CORPORA.iterdir() if path.is_dir()):
        files = sorted(folder.glob("*.txt"))
        for path in files:
            text = "\n".join(source.text for source in read_sources(path, path.name))
            spans = windows(text, embedder.pieces(text), WORDS, embedder.id.window - 2, 0.0)
            for span in spans[:: max(1, len(spans) * len(files) // WINDOWS)]:
                states = embedder.content_states(text[span.start : span.end])
                moments += states.T @ states
                count += len(states)
    _, vectors = np.linalg.eigh(moments)
    np.save(TARGET, vectors[:, ::-1][:, :TOKEN_DIMENSIONS].astype(np.float16))
    print(f"{count} pieces; {TARGET.stat().st_size} bytes in {TARGET.name}; {machine()}")
