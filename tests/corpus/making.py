"""Small files of every format, and a counter of words, for the tests of the corpus."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from salon.corpus.read import read_file
from salon.types import Source

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="book/package.opf"/></rootfiles></container>'
)


def words(texts: Sequence[str]) -> list[int]:
    """Tokens for tests: words."""
    return [len(text.split()) for text in texts]


def source_of(folder: Path, text: str, name: str = "text.txt") -> Source:
    """The one source of a file with that text."""
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    (source,) = read_file(path, name)
    return source


def package(items: Sequence[str], metadata: str = "") -> str:
    """An EPUB package whose reading order is `items`."""
    manifest = "".join(f'<item id="i{n}" href="{item}"/>' for n, item in enumerate(items))
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(items)))
    return (
        '<package xmlns="http://www.idpf.org/2007/opf"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{metadata}</metadata><manifest>{manifest}</manifest>"
        f"<spine>{spine}</spine></package>"
    )


def epub(members: Mapping[str, str], container: str = CONTAINER) -> bytes:
    """An EPUB archive with these members besides its container."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF whose pages have these lines of Helvetica; a page of no lines has no text."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for lines in pages:
        shown = " ".join(f"({_escaped(line)}) Tj T*" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            f" /Contents {len(objects)} 0 R /Resources << /Font << /F1 << /Type /Font"
            " /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    data = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(data)
    count = len(objects) + 1
    tail = f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer\n<< /Size {count} /Root 1 0 R >>"
    return data + f"{tail}\nstartxref\n{start}\n%%EOF\n".encode("latin-1")


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
