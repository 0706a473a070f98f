"""Quotations out of real books, true ones through noise, and false ones: their verdicts.

usage: python -m bench quotations [--count N] [--seed N] [--show N]

The corpus of a persona is one author's books, of the others' the rest of the house. True quotations
are 4 to 40 words of them, untouched, and through a scanner's misreadings, curly marks, ellipses,
line breaks, changed case, old spelling and all that at once. False ones have one word changed for
another of the house, for one of nearly the same letters, a number swapped, a word left out or
added, two passages joined, or another author. A last part asks for true words of two real scans,
by their corrected texts. N of each kind (10,000 words' changes, unless --count says otherwise).
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.places import CORPORA, save
from salon.answer.lookup import look_up
from salon.answer.quote_index import QuoteIndex
from salon.answer.sameness import Sameness
from salon.answer.spelling import same_spelling
from salon.corpus.read import read_file
from salon.types import SourceInfo

AUTHORS = ("franklin", "darwin", "emerson", "wollstonecraft", "paine", "plato")
SCANS = {
    "dirty/ocr_tupper_my_life_as_an_author.txt": "dirty/ocr_tupper_groundtruth_aligned.txt",
    "dirty/ocr_apcar_betrayed_armenia_ocr.txt": "dirty/ocr_apcar_betrayed_armenia_groundtruth.txt",
}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# What scanners make of letters, most of it from the two scans.
_MISREAD = {
    "m": "rn", "rn": "m", "w": "vv", "d": "cl", "h": "b", "b": "h", "e": "c", "c": "e", "l": "1",
    "i": "l", "s": "f", "u": "n", "n": "u", "o": "0", "t": "f", "f": "t", "r": "t", "li": "h",
    "a": "o", "y": "v", "g": "q", "I": "l", "k": "h", "ff": "fi",
}  # fmt: skip


@dataclass(frozen=True)
class Author:
    name: str
    sources: list[tuple[SourceInfo, str]]
    index: QuoteIndex
    same: Sameness


def read_author(name: str) -> Author:
    sources = [
        (source.info, source.text)
        for path in sorted((CORPORA / name).glob("*.txt"))
        for source in read_file(path, f"{name}/{path.name}")
    ]
    index = QuoteIndex(sources)
    return Author(name, sources, index, Sameness(index, "en"))


class Maker:
    """Draws quotations; the same seed draws the same."""

    def __init__(self, authors: Sequence[Author], seed: int) -> None:
        self.draw = random.Random(seed)
        self.authors = authors
        counts = Counter(
            word.lower() for a in authors for _, text in a.sources for word in _WORD.findall(text)
        )
        self.words = sorted(word for word, count in counts.items() if count >= 2)
        self.alike: dict[str, list[str]] = defaultdict(list)
        for word in self.words:
            for key in _holes(word):
                self.alike[key].append(word)

    def passage(self, author: Author, low: int = 4, high: int = 40) -> str:
        """Whole words of one place, with no note or page number among them."""
        while True:
            _, text = self.draw.choices(author.sources, [len(t) for _, t in author.sources])[0]
            start = self.draw.randrange(len(text))
            words = re.compile(r"\S+").finditer(text, text.find(" ", start) + 1)
            count = self.draw.randint(low, high)
            spans = [match.span() for match, _ in zip(words, range(count), strict=False)]
            if len(spans) < count:
                continue
            quotation = text[spans[0][0] : spans[-1][1]]
            clean = not re.search(r"[\[\]{}|*=]|\n\s*\n|\d\s*\n", quotation)
            if clean and len(re.findall(r"[^\W\d_]{2,}", quotation)) >= 4 and len(quotation) >= 18:
                return quotation

    # --- true ---------------------------------------------------------------------------------

    def scan(self, text: str, rate: float = 0.02) -> str:
        """One letter in fifty misread, numbers aside."""
        out, at = "", 0
        while at < len(text):
            two = text[at : at + 2]
            key = two if two in _MISREAD else text[at]
            if key in _MISREAD and self.draw.random() < rate * 1.4:
                out += _MISREAD[key]
                at += len(key)
            else:
                out += text[at]
                at += 1
        return out

    def curly(self, text: str) -> str:
        return text.replace('"', self.draw.choice("“”«»")).replace("'", "’").replace("--", "—")

    def ellipsis(self, text: str) -> str:
        words = text.split()
        if len(words) < 9:
            return text
        start = self.draw.randint(3, len(words) - 5)
        end = min(len(words) - 3, start + self.draw.randint(1, 12))
        mark = self.draw.choice(["...", "…", "[...]", ". . .", "[…]"])
        return " ".join([*words[:start], mark, *words[end:]])

    def broken(self, text: str) -> str:
        """Other line ends, a hyphen in a word at some of them."""
        out = []
        for word in text.split():
            if len(word) > 6 and word.isalpha() and self.draw.random() < 0.15:
                cut = self.draw.randint(2, len(word) - 3)
                word = f"{word[:cut]}-\n{word[cut:]}"
            out.append(word + self.draw.choice(["\n", " ", " ", "  ", "\u00a0"]))
        return "".join(out).strip()

    def cased(self, text: str) -> str:
        return self.draw.choice([str.upper, str.lower, str.title])(text)

    def all_at_once(self, text: str) -> str:
        return self.curly(self.broken(self.cased(self.scan(text, 0.01))))

    # --- false --------------------------------------------------------------------------------

    def one_word(self, text: str) -> str:
        return self._changed(text, lambda word: self.draw.choice(self.words))

    def alike_word(self, text: str) -> str:
        """A word for another one that has all its letters but one."""

        def other(word: str) -> str:
            near = {w for key in _holes(word) for w in self.alike.get(key, ())}
            near = {w for w in near if not same_spelling(w, word, "en", loose=False)}
            return self.draw.choice(sorted(near)) if near else self.draw.choice(self.words)

        return self._changed(text, other, self._has_alike)

    def _has_alike(self, word: str) -> bool:
        near = {w for key in _holes(word) for w in self.alike.get(key, ())}
        return any(not same_spelling(w, word, "en", loose=False) for w in near)

    def _changed(
        self,
        text: str,
        other: Callable[[str], str],
        fits: Callable[[str], bool] = lambda word: True,
    ) -> str:
        words = [m for m in _WORD.finditer(text) if len(m.group()) > 1]
        apt = [m for m in words if fits(m.group().lower())] or words
        while True:
            one = self.draw.choice(apt)
            new = other(one.group().lower())
            again = same_spelling(new, one.group().lower(), "en", loose=False)
            if _letters(new) != _letters(one.group()) and not again:
                new = new.capitalize() if one.group()[0].isupper() else new
                return text[: one.start()] + new + text[one.end() :]

    def left_out(self, text: str) -> str:
        words = text.split()
        at = self.draw.randrange(1, len(words) - 1)
        return " ".join([*words[:at], *words[at + 1 :]])

    def added(self, text: str) -> str:
        words = text.split()
        at = self.draw.randrange(1, len(words))
        return " ".join(
            [*words[:at], self.draw.choice(["not", "never", "always", "hardly"]), *words[at:]]
        )

    def number(self, author: Author) -> str:
        """Words around a number, with another number of as many digits."""
        while True:
            _, text = self.draw.choice(author.sources)
            numbers = self._numbers(text)
            if not numbers:
                continue
            one = self.draw.choice(numbers)
            before = text[max(0, one.start() - 60) : one.start()].split(" ", 1)[-1]
            after = text[one.end() : one.end() + 60].rsplit(" ", 1)[0]
            if "\n\n" in before + after or len(_WORD.findall(before + after)) < 6:
                continue
            if re.search(r"[\[\]{}]", before + after):
                continue
            new = str(self.draw.randrange(10 ** len(one.group())))
            if new != one.group():
                return before + new + after

    @staticmethod
    @cache
    def _numbers(text: str) -> list[re.Match[str]]:
        return list(re.finditer(r"(?<![\w\[])\d{1,4}(?![\w\]])", text))

    def joined(self, author: Author) -> str:
        return f"{self.passage(author, 5, 20)} {self.passage(author, 5, 20)}"


def _holes(word: str) -> Iterator[str]:
    """The word with one letter as a hole: words that share one differ by one letter."""
    return (word[:i] + "_" + word[i + 1 :] for i in range(len(word))) if len(word) > 2 else iter(())


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def kinds(maker: Maker) -> dict[str, tuple[str, Callable[[Author], str]]]:
    """Each kind of quotation: whether it is true, and how one is drawn."""
    make = maker.passage

    def of(change: Callable[[str], str]) -> Callable[[Author], str]:
        return lambda author: change(make(author))

    def others(author: Author) -> str:
        return make(maker.draw.choice([a for a in maker.authors if a is not author]), 7)

    return {
        "untouched": ("true", of(str)),
        "a scanner's misreadings": ("true", of(maker.scan)),
        "curly marks": ("true", of(maker.curly)),
        "an ellipsis": ("true", of(maker.ellipsis)),
        "line breaks": ("true", of(maker.broken)),
        "changed case": ("true", of(maker.cased)),
        "all at once": ("true", of(maker.all_at_once)),
        "one word changed": ("word", of(maker.one_word)),
        "one word for one alike": ("word", of(maker.alike_word)),
        "a word left out": ("word", lambda author: maker.left_out(make(author, 8))),
        "a word added": ("word", of(maker.added)),
        "a number swapped": ("word", maker.number),
        "two passages joined": ("false", maker.joined),
        "another author": ("false", others),
    }


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench quotations")
    parser.add_argument("--count", type=int, default=10_000, help="of each kind")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--only", default="", help="a kind, or all that are true, word or false")
    parser.add_argument("--show", type=int, default=0, help="print so many that went wrong")
    options = parser.parse_args(arguments)
    authors = [read_author(name) for name in AUTHORS]
    maker = Maker(authors, options.seed)
    figures: dict[str, Any] = {}
    wrong: list[str] = []
    for kind, (truth, make) in kinds(maker).items():
        if options.only and options.only not in (truth, kind):
            continue
        verdicts: Counter[str] = Counter()
        began = time.perf_counter()
        for _ in range(options.count):
            author = maker.draw.choice(authors[:3])
            quotation = make(author)
            while truth != "true" and author.index.find(quotation):
                quotation = make(author)  # the author wrote that too, elsewhere
            finding = look_up(author.index, quotation, author.same)
            verdicts[finding.verdict] += 1
            if (finding.verdict == "found") != (truth == "true"):
                changes = [(c.quoted, c.source, c.kind) for c in finding.changes]
                wrong.append(f"{kind}: {finding.verdict}: {quotation!r} {changes}")
        ms = (time.perf_counter() - began) * 1000 / options.count
        figures[kind] = {"truth": truth, "milliseconds": round(ms, 3), **verdicts}
    figures |= {f"real scan: {name}": each for name, each in scans(options.count // 10).items()}
    show(figures)
    maker.draw.shuffle(wrong)
    for line in wrong[: options.show]:
        print(line)
    print(
        save(
            f"quotations{'-' * bool(options.only)}{options.only}",
            {"count": options.count, "seed": options.seed, "kinds": figures},
        )
    )


def scans(count: int) -> dict[str, dict[str, Any]]:
    """Corrected words looked up in the scan that they correct."""
    figures = {}
    for scan, corrected in SCANS.items():
        draw = random.Random(11)
        index = QuoteIndex([(s.info, s.text) for s in read_file(CORPORA / scan, scan)])
        same = Sameness(index, "en")
        truth = (CORPORA / corrected).read_text("utf-8")
        stretches = [s for s in re.split(r"#+|\n\s*\n|\f", truth) if len(s.split()) > 12]
        verdicts: Counter[str] = Counter()
        for _ in range(count):
            words = draw.choices(stretches, [len(s) for s in stretches])[0].split()
            start = draw.randrange(max(1, len(words) - 12))
            quotation = " ".join(words[start : start + draw.randint(8, 30)])
            verdicts[look_up(index, quotation, same).verdict] += 1
        figures[scan.split("/")[-1]] = {"truth": "scan", **verdicts}
    return figures


def show(figures: dict[str, dict[str, Any]]) -> None:
    table = Table("kind", "truth", "found", "changed", "stitched", "absent", "ms")
    for kind, each in figures.items():
        count = sum(each.get(v, 0) for v in ("found", "changed", "stitched", "absent"))
        shares = [
            f"{100 * each.get(v, 0) / max(1, count):.2f}"
            for v in ("found", "changed", "stitched", "absent")
        ]
        table.add_row(kind, each["truth"], *shares, str(each.get("milliseconds", "")))
    Console().print(table)
