"""Makes `src/salon/answer/lexicon/*.txt.gz`: which strings are words, so that misreadings are not.

usage: python -m bench lexicon [--without AUTHOR...]

From the proofread books of the test corpora (public domain): the words of many English ones, of one
in French, in German and in Spanish; and English words of our own time from the MiniLM tokenizer's
vocabulary (Apache-2.0). Real scans are left out. With --without AUTHOR... their books are, too:
what the list is worth for books that it does not know.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path

from bench.places import CORPORA, ROOT
from salon.answer.fold import fold_word, plain_words
from salon.corpus.read import read_file
from salon.settings import load

OTHERS = {
    "fr": ("dirty/contemplations_pg29843_latin1.txt", "dirty/udhr_french_latin1.txt"),
    "de": ("dirty/also_sprach_zarathustra_pg7205_latin1.txt",),
    "es": ("dirty/recuerdos_de_mi_vida_pg58331.txt",),
}
PLACE = ROOT / "src/salon/answer/lexicon"
_SHORT = 3
_LETTERS = {"en": "aio", "fr": "ayo", "de": "", "es": "aeouy"}


def words(path: Path) -> Counter[str]:
    texts = [source.text for source in read_file(path, path.name)]
    found = Counter(fold_word(word) for text in texts for word in plain_words(text))
    return Counter({w: n for w, n in found.items() if w.isalpha() and w.isascii()})


def keep(code: str, seen: Counter[str], least: int) -> set[str]:
    """Words seen often enough; short ones, which misprints are too, oftener."""
    kept = {
        word
        for word, count in seen.items()
        if count >= (least if len(word) > _SHORT else 1 + least) and len(word) > 1
    }
    return kept | set(_LETTERS[code])


def write(code: str, kept: set[str]) -> None:
    PLACE.mkdir(exist_ok=True)
    path = PLACE / f"{code}.txt.gz"
    path.write_bytes(gzip.compress("\n".join(sorted(kept)).encode(), 9, mtime=0))
    print(f"{code}: {len(kept):,} words, {path.stat().st_size:,} bytes")


def main(arguments: list[str]) -> None:
    english: Counter[str] = Counter()
    for path in sorted(CORPORA.glob("*/*.txt")):
        if path.parent.name not in ("dirty", "transcripts", *arguments[1:]):
            english.update(words(path))
    kept = keep("en", english, 1)
    tokenizer = load(Path("salon.toml")).models_dir / "minilm-tokenizer" / "tokenizer.json"
    pieces = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    kept.update(piece for piece in pieces if re.fullmatch(r"[a-z]{3,}", piece))
    write("en", kept)
    for code, names in OTHERS.items():
        seen: Counter[str] = Counter()
        for name in names:
            seen.update(words(CORPORA / name))
        write(code, keep(code, seen, 1))
