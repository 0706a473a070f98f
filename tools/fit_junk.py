"""Fits the weights of salon.intake.junk: python tools/fit_junk.py TEST_DATA

Sound books of TEST_DATA are damaged by known amounts, and a logistic regression learns to tell the
damaged words. Prints the weights and the errors of a damaged word. Texts that have a corrected
twin (the pairs that the rates are judged by) are not read.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from salon.corpus.read import read_file
from salon.intake import junk
from salon.intake.confusions import LIKE, PAIRS
from salon.intake.lexicon import lexicon

BOOKS = (
    ("franklin/autobiography_pg148.txt", "en"),
    ("wollstonecraft/vindication_pg3420.txt", "en"),
    ("darwin/voyage_of_the_beagle_pg944.txt", "en"),
    ("transcripts/susan_b_anthony_trial_pg18281.txt", "en"),
    ("aurelius/meditations_casaubon_pg2680.txt", "en"),
    ("dirty/also_sprach_zarathustra_pg7205_latin1.txt", "de"),
    ("dirty/contemplations_pg29843_latin1.txt", "fr"),
    ("dirty/recuerdos_de_mi_vida_pg58331.txt", "es"),
)
RATES = (0.0, 0.0, 0.005, 0.01, 0.02, 0.04, 0.08)
_MOST = 150_000
_SIGN = "~^|\\.,:;'\"-_*"


def damage(text: str, rate: float, chance: random.Random) -> tuple[str, list[bool], int]:
    """The damaged text's words, whether each was touched, and how many characters were changed.

    Kinds of damage and their shares: a letter for a like one (half), a pair for a letter, a sign
    in a word, a lost letter, any letter for any other, two words joined, a word broken in two.
    """
    words = text.split()
    out: list[str] = []
    touched: list[bool] = []
    errors = 0
    carry = ""
    for word in words:
        word = carry + word
        hit = bool(carry)
        carry = ""
        at = 0
        made = ""
        while at < len(word):
            char = word[at]
            if not char.isalnum() or chance.random() >= rate:
                made += char
                at += 1
                continue
            hit = True
            errors += 1
            kind = chance.random()
            like = LIKE.get(char.lower(), "")
            pairs = [p for p in PAIRS if word.startswith(p[1], at)]
            if kind < 0.45 and like:
                made += chance.choice(like)
            elif kind < 0.6 and pairs:
                seen, meant = chance.choice(pairs)
                made += seen
                at += len(meant) - 1
            elif kind < 0.7:
                made += char + chance.choice(_SIGN)
            elif kind < 0.8:
                pass
            elif kind < 0.87:
                made += chance.choice("abcdefghijklmnopqrstuvwxyz1tfli0J")
            elif kind < 0.92:
                made += char + " "
            else:
                made += char.upper() if char.islower() else char.lower()
            at += 1
        if chance.random() < rate * 0.4:
            carry = made
            errors += 1
            continue
        for piece in made.split():
            out.append(piece)
            touched.append(hit)
    return " ".join(out), touched, errors


def rows(data: Path) -> tuple[np.ndarray, np.ndarray, list[str]]:
    names = list(junk.WEIGHTS)
    inputs: list[list[float]] = []
    outputs: list[bool] = []
    chance = random.Random(7)
    for name, language in BOOKS:
        (source,) = read_file(data / "corpora" / name, name)
        words = lexicon(language)
        assert words
        text = source.text[len(source.text) // 4 :][:_MOST]
        for rate in RATES:
            damaged, touched, _ = damage(text, rate, chance)
            tokens = damaged.split()
            counts = Counter(part for token in tokens for part in junk._PARTS.findall(token))
            for token, hit in zip(tokens, touched, strict=True):
                for part in junk._PARTS.findall(token):
                    found = junk.features(part, words, counts[part])
                    if found is not None:
                        inputs.append([found.get(name, 0.0) for name in names])
                        outputs.append(hit)
    return np.array(inputs), np.array(outputs, float), names


def fit(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's steps, with a small ridge."""
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        gradient = x.T @ (y - p) - 1e-2 * weights
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-2 * np.eye(len(weights))
        weights = weights + np.linalg.solve(hessian, gradient)
    return weights


def errors_a_word(data: Path) -> None:
    chance = random.Random(11)
    for name, language in BOOKS:
        (source,) = read_file(data / "corpora" / name, name)
        text = re.sub(r"\s+", " ", source.text[len(source.text) // 4 :][:_MOST])
        told = []
        for rate in (0.0, 0.01, 0.03, 0.08):
            damaged, _, errors = damage(text, rate, chance)
            found = junk.junk_rate(damaged, language)
            told.append(f"{100 * errors / len(text):.2f}->{100 * found.errors:.2f}")
        print(f"{name:50} {'  '.join(told)}")


if __name__ == "__main__":
    where = Path(sys.argv[1])
    if "--check" not in sys.argv:
        x, y, names = rows(where)
        weights = fit(x, y)
        print({name: round(float(w), 2) for name, w in zip(names, weights, strict=True)})
        junk.WEIGHTS.update(zip(names, map(float, weights), strict=True))
        print(f"{len(y):,} unknown words, {y.mean():.2f} damaged")
    errors_a_word(where)
