"""Office documents, tables, subtitles, chats, editions and pictures."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from salon.corpus.others_words import propose
from salon.corpus.read import read_file
from salon.errors import ScanError, SourceError
from salon.types import ReadOptions, Source

OPTIONS = ReadOptions()


def read(folder: Path, name: str, data: bytes, options: ReadOptions = OPTIONS) -> list[Source]:
    path = folder / name
    path.write_bytes(data)
    return read_file(path, name, options)


def test_a_word_document_has_headings_and_rows(tmp_path: Path) -> None:
    import docx

    document = docx.Document()
    document.add_heading("Of Rain", 1)
    paragraph = document.add_paragraph("It ")
    paragraph.add_run("rained").italic = True
    paragraph.add_run(" on the hills.")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    document.add_paragraph("After the table.")
    data = io.BytesIO()
    document.save(data)
    (source,) = read(tmp_path, "a.docx", data.getvalue())
    assert source.text == "Of Rain\n\nIt rained on the hills.\nleft\tright\n\nAfter the table."
    assert [section.title for section in source.sections] == ["Of Rain"]


ODT = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text>'
    '<text:h text:outline-level="1">Of Rain</text:h>'
    "<text:p>It rained<text:note><text:note-citation>1</text:note-citation><text:note-body>"
    "<text:p>Hard.</text:p></text:note-body></text:note> on<text:s/>the hills.</text:p>"
    "<text:p>And stopped.</text:p></office:text></office:body></office:document-content>"
)


def test_an_open_document_has_its_notes_apart(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", ODT)
    (source,) = read(tmp_path, "a.odt", data.getvalue())
    assert source.text == "Of Rain\n\nIt rained[1] on the hills.\n\nAnd stopped.\n\n[1] Hard."
    assert [section.title for section in source.sections] == ["Of Rain", "Footnotes"]


def test_rich_text_gives_its_words(tmp_path: Path) -> None:
    data = rb"{\rtf1\ansi\ansicpg1252 {\b Know} thyself, \'e9t\'e9 \u8212? end.\par Second.}"
    (source,) = read(tmp_path, "a.rtf", data)
    assert source.text.split("\n") == ["Know thyself, été — end.", "Second."]


def test_the_text_column_is_chosen_or_named(tmp_path: Path) -> None:
    data = "title;body;remark\nOne;It rained, then.;It was a long remark\nTwo;It shone.;x\n"
    sources = read(tmp_path, "a.csv", data.encode())
    assert [(s.info.name, s.info.title, s.text) for s in sources] == [
        ("a.csv#1", "One", "It rained, then."),
        ("a.csv#2", "Two", "It shone."),
    ]
    named = read(tmp_path, "a.csv", data.encode(), ReadOptions(field="remark"))
    assert [source.text for source in named] == ["It was a long remark", "x"]
    with pytest.raises(SourceError, match="field 'words'"):
        read(tmp_path, "a.csv", data.encode(), ReadOptions(field="words"))


def test_subtitles_become_sentences_with_the_clock(tmp_path: Path) -> None:
    data = (
        "1\n00:00:01,000 --> 00:00:03,000\nIt rained on\n\n2\n00:00:03,000 --> 00:00:05,000\n"
        "<i>the hills.</i>\n\n3\n00:01:05,500 --> 00:01:07,000\nANN: Then it shone.\n"
    )
    (source,) = read(tmp_path, "a.srt", data.encode())
    assert source.text == "[00:00:01] It rained on the hills.\n\n[00:01:05] ANN: Then it shone."


def test_a_whatsapp_chat_is_what_was_said(tmp_path: Path) -> None:
    data = (
        "31.12.23, 21:15 - Messages are end-to-end encrypted.\n31.12.23, 21:16 - Ann: It rains.\n"
        "Still.\n31.12.23, 21:17 - Bob: <Media omitted>\n01.01.24, 09:05 - Bob: It shines.\n"
    )
    (source,) = read(tmp_path, "chat.txt", data.encode())
    assert source.text == (
        "2023-12-31\n\n[21:16] Ann: It rains.\nStill.\n\n2024-01-01\n\n[09:05] Bob: It shines."
    )
    assert source.info.kind == "chat"


def test_a_discord_export_and_a_chatgpt_export_are_chats(tmp_path: Path) -> None:
    discord = {
        "guild": {"name": "House"},
        "channel": {"name": "rain"},
        "messages": [
            {"timestamp": "2024-05-01T10:00:00+00:00", "content": "It rains.",
             "author": {"name": "ann", "nickname": "Ann"}, "type": "Default"},
        ],
    }  # fmt: skip
    (source,) = read(tmp_path, "d.json", json.dumps(discord).encode())
    assert source.text == "2024-05-01\n\n[10:00] Ann: It rains."
    assert source.info.title == "House, rain"

    def node(parent: str | None, role: str, words: str) -> dict[str, object]:
        content = {"parts": [words]}
        message = {"author": {"role": role}, "content": content, "create_time": 1.0}
        return {"parent": parent, "message": message}

    mapping = {
        "a": node(None, "user", "Does it rain?"),
        "b": node("a", "assistant", "No."),
        "c": node("a", "assistant", "Yes."),
    }
    gpt = [{"title": "Rain", "mapping": mapping, "current_node": "c"}]
    (chat,) = read(tmp_path, "c.json", json.dumps(gpt).encode())
    assert chat.text.endswith("[00:00] User: Does it rain?\n\n[00:00] Assistant: Yes.")


def test_an_edition_keeps_verse_and_speeches(tmp_path: Path) -> None:
    data = (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>'
        "<title>Rain</title><author>A. Writer</author></titleStmt></fileDesc></teiHeader>"
        '<text xml:lang="en"><body><div><head>One</head><p>It <choice><sic>rayned</sic>'
        '<corr>rained</corr></choice>.<note n="1">Hard.</note></p><lg><l>A line</l><l>and'
        " more</l></lg><sp><speaker>ANN.</speaker><p>It rains.</p></sp></div></body></text></TEI>"
    )
    (source,) = read(tmp_path, "a.xml", data.encode())
    assert source.text == (
        "One\n\nIt rained.[1]\n\nA line\nand more\n\nANN: It rains.\n\n[1] Hard."
    )
    assert (source.info.title, source.info.author) == ("Rain", "A. Writer")


def test_a_picture_has_the_text_that_was_recognised(tmp_path: Path, data: Path) -> None:
    name = "ocr_apcar_betrayed_armenia_a017.tiff"
    picture = (data / "corpora" / "dirty" / name).read_bytes()
    with pytest.raises(ScanError) as error:
        read(tmp_path, name, picture)
    assert (error.value.kind, error.value.pages) == ("image", 1)
    options = ReadOptions(recognised=lambda page: f"It rained on page {page}.")
    (source,) = read(tmp_path, name, picture, options)
    assert (source.text, source.parts) == ("It rained on page 0.", ("page 1",))


def test_the_translators_half_is_proposed_and_kept_out(data: Path) -> None:
    path = data / "corpora" / "plato" / "republic_pg1497.txt"
    (source,) = read_file(path, path.name)
    (proposal,) = propose(source)
    assert proposal.title == "Introduction and Analysis"
    assert 0.45 < proposal.characters / len(source.text) < 0.47
    (own,) = read_file(path, path.name, ReadOptions(leave_out=(proposal.leave_out(),)))
    assert len(source.text) - len(own.text) == proposal.characters
    assert "introduction" in {cut.reason for cut in own.cuts}
    with pytest.raises(SourceError, match="no longer begins with"):
        wrong = ReadOptions(leave_out=(proposal.leave_out().__class__("", 9, 90, "x", "nothing"),))
        read_file(path, path.name, wrong)


def test_a_cut_is_undone_by_its_kind(tmp_path: Path) -> None:
    text = b"He went\n[Pg 12]\nhome at noon."
    (cut,) = read(tmp_path, "a.txt", text)[0].cuts
    for keep in (cut.reason, cut.place):
        (source,) = read(tmp_path, "a.txt", text, ReadOptions(keep=frozenset({keep})))
        assert source.text == text.decode()
