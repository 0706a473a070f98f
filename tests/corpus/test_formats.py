from __future__ import annotations

import json
from pathlib import Path

import pytest

from salon.corpus.formats import extract_file
from salon.corpus.read import read_file
from salon.corpus.textmap import to_original
from salon.errors import SourceError
from salon.types import Source, Span
from tests.corpus.making import CONTAINER, epub, package, pdf

PAGE = """<?xml version="1.0"?><!DOCTYPE html><html lang="en">
<head><title>The Rain, by A. Writer</title>
<style>p { color: red }</style></head><body><nav>Home | Next</nav>
<h1>The Rain</h1><p>It   rained<br>all day. <span class="pagenum">12</span></p>
<h2>Evening</h2><div>It rained &amp; <i>rained</i>.</div><script>var x;</script>
<pre>  a line
    of verse</pre></body></html>"""


def read(folder: Path, name: str, data: bytes) -> Source:
    path = folder / name
    path.write_bytes(data)
    (source,) = read_file(path, name)
    return source


def test_html_gives_blocks_headings_and_facts(tmp_path: Path) -> None:
    source = read(tmp_path, "rain.html", PAGE.encode())
    assert source.text.replace(" \n", "\n").split("\n\n") == [
        "The Rain",
        "It rained\nall day.",
        "Evening",
        "It rained & rained.",
        "  a line\n    of verse",
    ]
    assert [(s.level, s.title) for s in source.sections] == [(1, "The Rain"), (2, "Evening")]
    assert source.info.title == "The Rain"
    assert {"navigation", "page number"} == {cut.reason for cut in source.cuts}


def test_html_declares_its_encoding(tmp_path: Path) -> None:
    page = '<html><meta charset="koi8-r"><body><p>Обычный русский текст.</p></body></html>'
    source = read(tmp_path, "a.html", page.encode("koi8-r"))
    assert source.text == "Обычный русский текст."
    assert source.info.encoding == "koi8-r"


def test_html_nested_beyond_reason_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="elements are nested"):
        read(tmp_path, "a.html", b"<html>" + b"<div>" * 20_000 + b"x")


def test_markdown_front_matter_gives_the_facts(tmp_path: Path) -> None:
    front = "title: Rain\nauthor: [A. Writer, B. Writer]\ndate: 1860-05-01\n"
    text = f"---\n{front}---\n# One\n\nIt rained.\n"
    source = read(tmp_path, "a.md", text.encode())
    assert (
        source.info.title,
        source.info.author,
        source.info.date,
    ) == ("Rain", "A. Writer, B. Writer", "1860-05-01")
    assert source.text == "# One\n\nIt rained."
    assert [cut.reason for cut in source.cuts] == ["front matter"]


def test_epub_is_read_in_its_order_with_its_facts(tmp_path: Path) -> None:
    data = epub(
        {
            "book/package.opf": package(
                ["two.xhtml", "sub/one%20x.xhtml"],
                "<dc:title>Rain</dc:title><dc:creator>A. Writer</dc:creator>"
                "<dc:language>en-GB</dc:language><dc:date>1860</dc:date>",
            ),
            "book/sub/one x.xhtml": "<html><head><title/></head><body><p>Then this.</p>",
            "book/two.xhtml": "<html><head><title/></head><h1>First</h1><p>This first.</p>",
        }
    )
    source = read(tmp_path, "a.epub", data)
    assert source.text == "First\n\nThis first.\n\nThen this."
    assert (
        source.info.title,
        source.info.author,
        source.info.language,
        source.info.date,
    ) == ("Rain", "A. Writer", "en", "1860")
    at = source.text.index("Then")
    assert to_original(source, Span(at, at + 4))[0].part == "book/sub/one x.xhtml"


def test_epub_without_headings_takes_its_contents(tmp_path: Path) -> None:
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Rain'
        '</text></navLabel><content src="a.html"/></navPoint></navMap></ncx>'
    )
    opf = (
        package(["a.html"])
        .replace("<spine>", '<spine toc="n">')
        .replace("<manifest>", '<manifest><item id="n" href="toc.ncx"/>')
    )
    data = epub(
        {"book/package.opf": opf, "book/toc.ncx": ncx, "book/a.html": "<p>Rain</p><p>It fell.</p>"}
    )
    source = read(tmp_path, "a.epub", data)
    assert [(section.level, section.title) for section in source.sections] == [(1, "Rain")]


BOMB_XML = (
    '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {b} "{("&" + a + ";") * 10}">'
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]>"
)


@pytest.mark.parametrize(
    ("members", "container", "problem"),
    [
        (
            {"book/package.opf": package(["a.html"]), "book/a.html": "a" * 60_000_000},
            CONTAINER,
            "times its size",
        ),
        ({f"m{n}": "b" * 60_000_000 for n in range(9)}, CONTAINER, "expands to 540 MB"),
        ({"book/package.opf": package(["../../../../etc/passwd"])}, CONTAINER, "holds no text"),
        ({"book/package.opf": package([])}, CONTAINER, "holds no text"),
        ({}, CONTAINER, "holds no text"),
        ({}, BOMB_XML + "<container>&i;</container>", "holds no text"),
        ({"book/package.opf": "no xml"}, CONTAINER, "holds no text"),
    ],
)
def test_epubs_that_are_bombs_or_broken_are_refused(
    tmp_path: Path, members: dict[str, str], container: str, problem: str
) -> None:
    with pytest.raises(SourceError, match=problem):
        read(tmp_path, "a.epub", epub(members, container))


def test_epub_entities_read_no_files(tmp_path: Path) -> None:
    outside = tmp_path / "secret"
    outside.write_text("a secret")
    opf = f'<!DOCTYPE p [<!ENTITY e SYSTEM "{outside.as_uri()}">]>' + package(
        ["a.html"], "<dc:title>&e;</dc:title>"
    )
    source = read(
        tmp_path, "a.epub", epub({"book/package.opf": opf, "book/a.html": "<p>Words.</p>"})
    )
    assert "secret" not in source.text + source.info.title


def test_pdf_pages_are_parts_and_furniture_is_dropped(tmp_path: Path) -> None:
    pages = [
        [f"The Rain {n}", "It rained on the hills and in the towns.", f"And day {n} was as wet."]
        for n in range(1, 6)
    ]
    source = read(tmp_path, "a.pdf", pdf(pages))
    assert "The Rain" not in source.text
    assert source.text.count("It rained on the hills") == 5
    assert [cut.reason for cut in source.cuts].count("running head") == 5
    at = source.text.index("And day 3")
    assert to_original(source, Span(at, at + 5))[0].part == "page 3"


def test_a_scan_says_that_it_has_no_text(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"scan\.pdf: its 2 pages hold no text"):
        read(tmp_path, "scan.pdf", pdf([[], []]))


def test_a_damaged_pdf_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not a sound PDF"):
        read(tmp_path, "a.pdf", b"%PDF-1.4\nbroken")


def test_json_records_become_sources(tmp_path: Path) -> None:
    path = tmp_path / "letters.jsonl"
    records = [
        {"title": "One", "body": "It rained.", "date": "1860", "author": "A. Writer"},
        {"title": "Two", "body": "It cleared.\r\nThen dried."},
    ]
    path.write_text("\n\n".join(json.dumps(record) for record in records), "utf-8")
    one, two = read_file(path, "letters.jsonl")
    assert (
        one.info.name,
        one.info.title,
        one.info.date,
        one.info.author,
        one.text,
    ) == ("letters.jsonl#1", "One", "1860", "A. Writer", "It rained.")
    assert (two.info.name, two.text) == ("letters.jsonl#3", "It cleared.\nThen dried.")


@pytest.mark.parametrize(
    ("document", "texts"),
    [
        (["one text", "two texts"], ["one text", "two texts"]),
        ({"content": "one text"}, ["one text"]),
        ({"documents": [{"text": "one"}, {"text": ""}, {"text": "three"}]}, ["one", "three"]),
        ([{"chapter": "C", "paragraphs": ["one", "two"]}], ["one\n\ntwo"]),
        ([{"n": 1, "writing": "words enough to be taken for the text of the record"}], None),
    ],
)
def test_the_text_of_a_record_is_found(document: object, texts: list[str] | None) -> None:
    found = [e.parts[0].text for _, e in extract_file(json.dumps(document).encode(), "a.json")]
    assert (texts or ["words enough to be taken for the text of the record"]) == found


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'[{"a": 1, "b": 2}]', "its fields are a, b"),
        (b"[]", "it has no records"),
        (b'{"text": "x"', "not JSON"),
        (b"[" * 100_000 + b"]" * 100_000, "not JSON"),
    ],
)
def test_json_without_texts_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        list(extract_file(data, "a.json"))


def test_a_bad_line_of_json_is_named_by_its_number() -> None:
    with pytest.raises(SourceError, match="line 2"):
        list(extract_file(b'{"text": "one"}\n{"text": \n', "a.jsonl"))


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(100), "it is a picture"),
        ("a.jpg", b"\xff\xd8\xff\xe0" + bytes(100), "it is a picture"),
        ("a.docx", b"PK\x03\x04" + bytes(100), "a damaged archive"),
        ("a.rtf", b"hello", "not a Rich Text document"),
        ("a.csv", b"a,b\n1,2\n", "its fields are a, b"),
        ("a.xls", b"a,b\n1,2\n", "files ending in .xls are not read"),
        ("a.txt", b"", "it is empty"),
        ("a.md", b" \r\n\t\n", "it is empty"),
        ("a.txt", b"\0\0\0", "it is empty"),
        ("a.epub", b"no zip", "it is not an EPUB"),
    ],
)
def test_what_is_not_read_is_refused_with_the_reason(name: str, data: bytes, problem: str) -> None:
    with pytest.raises(SourceError, match=problem) as error:
        list(extract_file(data, name))
    assert name == error.value.name
    assert error.value.expected


def test_a_pdf_that_is_called_txt_is_read_as_what_it_is(tmp_path: Path) -> None:
    source = read(tmp_path, "a.txt", pdf([["It rained on the hills and in the towns."]]))
    assert source.info.kind == "pdf"
    assert "It rained on the hills" in source.text
    assert "read as such" in source.notes[0]


def test_a_text_that_begins_like_a_picture_is_a_text(tmp_path: Path) -> None:
    assert read(tmp_path, "a.txt", b"BM is short for a name.").text == "BM is short for a name."


def test_real_books_in_other_formats(data: Path) -> None:
    dirty = data / "corpora" / "dirty"
    (seneca,) = read_file(dirty / "seneca_moral_letters_wikisource.epub", "seneca.epub")
    assert "→" not in seneca.text
    assert "display:" not in seneca.text
    assert "II. On Discursiveness in Reading" in [s.title for s in seneca.sections]
    assert "navigation" in {cut.reason for cut in seneca.cuts}
    (meditations,) = read_file(dirty / "meditations_pg2680.epub", "meditations.epub")
    assert "Project Gutenberg License" not in meditations.text
    assert meditations.info.language == "en"
    (varieties,) = read_file(dirty / "varieties_pg621.pdf", "varieties.pdf")
    assert "our scientific doctrines" in varieties.text
    assert "\ufffe" not in varieties.text
    assert "Lecture II. Circumscription of the Topic" in [s.title for s in varieties.sections]
    analects = read_file(dirty / "lunyu_zh.json", "lunyu_zh.json")
    assert len(analects) == 20
    assert (analects[0].info.title, analects[0].info.language) == ("学而篇", "zh")
