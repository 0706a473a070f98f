"""Citation marks: read the same however the reply was cut, wherever they stand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.answer.cite import Mark, MarkStream, take_apart

KNOWN = (1, 2, 3, 4, 5)


def shown(*chunks: str) -> str:
    stream = MarkStream(KNOWN)
    return "".join(stream.feed(chunk) for chunk in chunks) + stream.finish()


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("I came ashore [2].", "I came ashore [1]."),
        ("I came ashore. [2] Then I ate. [1]", "I came ashore. [1] Then I ate. [2]"),
        ("I ate[3][1]", "I ate [1][2]"),
        ("I ate [3, 1].", "I ate [1][2]."),
        ("I ate [3] [1].", "I ate [1][2]."),
        ("I ate [[3]].", "I ate [1]."),
        ("I ate【3】.", "I ate [1]."),
        ("I ate［3］.", "I ate [1]."),
        ("I ate【3†source】.", "I ate [1]."),
        ("I ate [passage 3].", "I ate [1]."),
        ("I ate [2-4].", "I ate [1][2][3]."),
        ("I ate [2–4].", "I ate [1][2][3]."),
        ("I ate [passages 3 and 1].", "I ate [1][2]."),
        ("I ate [source 3; source 1].", "I ate [1][2]."),
        ("I ate [3 & 1].", "I ate [1][2]."),
        ("I ate [^3].", "I ate [1]."),
        ("I ate [#3].", "I ate [1]."),
        ("I ate ［３、１］。", "I ate [1][2]。"),
        ("I ate 〔3〕.", "I ate [1]."),
        ("I ate [[3]][[1]].", "I ate [1][2]."),
        ("I ate [3,1-2].", "I ate [1][2][3]."),
        ("I ate [3-99].", "I ate [1]."),
        ("I ate [9].", "I ate."),
        ("I ate [9] bread.", "I ate bread."),
        ("I ate [1, 9] bread.", "I ate [1] bread."),
        ("In [1790] I ate.", "In [1790] I ate."),
        ("See [1](http://x).", "See [1](http://x)."),
        ("Use `a[1]` here [1].", "Use `a[1]` here [1]."),
        ("```\na[1]\n```\nso [2]", "```\na[1]\n```\nso [1]"),
        ("a ` alone [1]\nnext [2]", "a ` alone [1]\nnext [2]"),
        ("[2] begins.", "[1] begins."),
        ("open [1", "open [1"),
        ("a [note] here", "a [note] here"),
        ("same [1][1] twice [1]", "same [1] twice [1]"),
    ],
)
def test_marks_are_read_in_every_form_and_renumbered(reply: str, expected: str) -> None:
    assert shown(reply) == expected


def test_a_reply_is_taken_apart_with_places_in_the_text_without_marks() -> None:
    result = take_apart("I came ashore [2]. I ate [9][1].", KNOWN)
    assert result.text == "I came ashore. I ate."
    assert result.marks == (Mark(13, (2,)), Mark(20, (1,)))
    assert result.dangling == 1


def test_what_cannot_be_a_mark_is_shown_at_once() -> None:
    stream = MarkStream(KNOWN)
    assert stream.feed("word") == "word"
    assert stream.feed(" [") == ""
    assert stream.feed("a]") == " [a]"


PIECES = st.sampled_from(
    [
        "word",
        " ",
        "\n",
        ".",
        "[1]",
        "[9]",
        "[",
        "]",
        "1",
        ",",
        "-",
        "【2】",
        "[[3]]",
        "`",
        "```",
        "~~~",
        "[passage 4]",
        "(",
        "†",
        "  ",
        "\n\n",
        "[1790]",
        "［5］",
        "2",
        "pass",
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join), st.data())
def test_cutting_a_reply_into_chunks_changes_nothing(reply: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(reply)), max_size=8)))
    chunks = [reply[a:b] for a, b in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
    whole, parts = MarkStream(KNOWN), MarkStream(KNOWN)
    expected = whole.feed(reply) + whole.finish()
    assert "".join(parts.feed(chunk) for chunk in chunks) + parts.finish() == expected
    assert parts.result == whole.result


@given(st.text(alphabet=st.characters(blacklist_characters="[［【"), max_size=60))
def test_text_without_brackets_passes_unchanged(reply: str) -> None:
    assert shown(reply) == reply
    assert take_apart(reply, KNOWN).text == reply
