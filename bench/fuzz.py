"""Random and damaged files under every ending: none may crash, hang or escape.

usage: python -m bench fuzz [COUNT] [SEED]

Inputs are random bytes, random text, and sound small files of each format with bytes changed,
dropped, doubled or cut off. A file may give sources or be refused with a SourceError; anything
else, more than ten seconds, or a file written outside its folder, is a fault and is printed with
its seed.
"""

from __future__ import annotations

import io
import random
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.places import save
from salon.corpus.cut import cut, default_cutter
from salon.corpus.formats.sniff import BY_ENDING
from salon.corpus.read import read_sources
from salon.errors import SourceError

SECONDS = 10
ENDINGS = (*BY_ENDING, ".xls", ".zip", ".bin")
_TEXT = "It rained. “Well,” said he; été, 天下雨了。\n\n[Footnote 1: x]\n\nCHAPTER I.\n\n12\n\n"


class Hang(BaseException):
    """Not an Exception, so that nothing on the way can take it for a damaged file."""


def samples() -> list[bytes]:
    """Small sound files of the formats that have structure."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml", '<container><rootfile full-path="p.opf"/></container>'
        )
        book.writestr(
            "p.opf",
            '<package><manifest><item id="a" href="a.html"/><item id="b" href="../../../x"/>'
            '</manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
        )
        book.writestr("a.html", "<h1>Rain</h1><p>It rained.</p><aside>note</aside>" * 5)
    office = io.BytesIO()
    with zipfile.ZipFile(office, "w") as document:
        document.writestr("[Content_Types].xml", "<Types/>")
        document.writestr("word/document.xml", "<w:document xmlns:w='x'><w:body/></w:document>")
    return [
        archive.getvalue(),
        office.getvalue(),
        _TEXT.encode() * 4,
        _TEXT.encode("cp1252", "replace") * 4,
        _TEXT.encode("utf-16"),
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages"
        b" /Kids [2 0 R] /Count 100000 >>\nendobj\ntrailer\n<< /Size 3 /Root 1 0 R >>\n%%EOF",
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 A;}}{\b It} rained\par \u8212? \'e9}",
        b"1\n00:00:01,000 --> 00:00:03,000\nIt rained.\n\n2\n00:00:03,000 --> 00:00:05,000\nYes.\n",
        b'[{"title":"x","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":'
        b'["It rains"]}},"parent":"a"}},"current_node":"a"}]',
        b'{"channel":{},"messages":[{"timestamp":1,"content":"x","author":{}}]}',
        b'title;body\nOne;"It rained\n\nthen."\nTwo;It shone.\n',
        b"<TEI><text><body><div><head>a</head><lg><l>b</l></lg><sp><p>c</p></sp></div></body></text>"
        b"</TEI>",
        b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><TEI><text>&b;</text></TEI>",
        b"<html><body><nav>x</nav><p>It rained" + b"<div>" * 50 + b"</body>",
        b"II*\0\x08\0\0\0\x01\0" + bytes(40),
        b"---\ntitle: [x\n---\n# a\n\n```\nb\n",
        b"31.12.23, 21:15 - Ann: x\n" * 4,
    ]


def damaged(chance: random.Random, sound: Sequence[bytes]) -> bytes:
    """One input."""
    kind = chance.random()
    if kind < 0.25:
        return chance.randbytes(chance.randrange(0, 3_000))
    if kind < 0.4:
        return "".join(
            chr(chance.randrange(1, 0x3000)) for _ in range(chance.randrange(600))
        ).encode()
    data = bytearray(chance.choice(sound))
    for _ in range(chance.randrange(0, 12)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                data[at : at + 1] = chance.randbytes(1)
            case 1:
                del data[at : at + chance.randrange(1, 40)]
            case 2:
                data[at:at] = data[at : at + chance.randrange(1, 200)]
            case _:
                data[at:at] = chance.choice((b"\0", b"<", b"[", b"\\", b"\xff\xfe", b"&b;", b"{"))
    return bytes(data[: chance.randrange(1, len(data) + 2)] if chance.random() < 0.15 else data)


def fuzz(count: int, seed: int, folder: Path) -> tuple[Counter[str], list[str], float]:
    """What came of `count` inputs, the faults, and the longest time that one took."""

    def too_long(number: int, frame: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, too_long)
    sound = samples()
    came: Counter[str] = Counter()
    faults: list[str] = []
    longest = 0.0
    try:
        for number in range(count):
            chance = random.Random(f"{seed} {number}")
            name = f"file{ENDINGS[number % len(ENDINGS)]}"
            path = folder / name
            path.write_bytes(damaged(chance, sound))
            began = time.monotonic()
            signal.alarm(SECONDS)
            try:
                came[_read(path, name)] += 1
            except Hang:
                faults.append(f"{seed} {number} {name}: more than {SECONDS} s")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is the fault looked for
                faults.append(f"{seed} {number} {name}: {type(error).__name__}: {error}"[:300])
            finally:
                signal.alarm(0)
            longest = max(longest, time.monotonic() - began)
            path.unlink()
            if any(folder.iterdir()):
                faults.append(f"{seed} {number} {name}: wrote {[p.name for p in folder.iterdir()]}")
                break
    finally:
        signal.signal(signal.SIGALRM, before)
    return came, faults, longest


def _read(path: Path, name: str) -> str:
    try:
        for source in read_sources(path, name):
            for strategy in ("genres", "topics"):
                for passage in cut(source, default_cutter(strategy), _words):
                    if source.text[passage.start : passage.end] != passage.text:
                        raise AssertionError("a passage is not its slice of the source")
    except SourceError:
        return "refused"
    return "read"


def _words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def main(arguments: list[str]) -> None:
    count = int(arguments[0]) if arguments else 20_000
    seed = int(arguments[1]) if len(arguments) > 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        came, faults, longest = fuzz(count, seed, Path(folder))
    for fault in faults[:40]:
        print(fault)
    print(f"{count} inputs: {dict(came)}, {len(faults)} faults, longest {longest:.2f} s")
    save("fuzz", {"count": count, "seed": seed, "came": dict(came), "faults": faults,
                  "longest": round(longest, 3)})  # fmt: skip
    sys.exit(bool(faults))
