"""Cleaning beyond the shared rows: other speakers, markdown, thinking of every form."""

from __future__ import annotations

import pytest

from salon.answer.clean import ReplyStream, clean


def cut_everywhere(text: str, **how: object) -> set[str]:
    """What comes out for every size of piece."""
    found = set()
    for size in (1, 2, 3, 5, len(text)):
        stream, shown = ReplyStream(("Sagan",), ("Franklin", "Ana"), **how), ""  # type: ignore[arg-type]
        for start in range(0, len(text), size):
            cleaned = stream.feed(text[start : start + size])
            shown = cleaned.text if cleaned.restart else shown + cleaned.text
            if cleaned.over:
                break
        else:
            last = stream.finish()
            shown = last.text if last.restart else shown + last.text
        found.add(shown.strip())
    return found


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Sagan: Stars.\nFranklin: No.\nUser: Hm.", "Stars."),
        ("Stars.\n**Ana** : I see.", "Stars."),
        ("Stars.\nSagan: More stars.", "Stars.\nMore stars."),
        ("Stars.\nUser: what", "Stars."),
        ("Franklin said so: yes.", "Franklin said so: yes."),
        ("As Franklin: a life.", "As Franklin: a life."),
        ("Franklin: I am he.", ""),
        ("[Franklin]: I am he.", ""),
        ("Anatomy: a book.", "Anatomy: a book."),
        ("<thinking>Franklin: x</thinking>Yes.", "Yes."),
        ("[THINK]a[/THINK]Yes [1].", "Yes [1]."),
        ("◁think▷a◁/think▷Yes.", "Yes."),
        ("<|begin_of_thought|>a<|end_of_thought|>Yes.", "Yes."),
        (
            "<|channel|>analysis<|message|>a <b><|end|><|start|>assistant"
            "<|channel|>final<|message|>Yes.",
            "Yes.",
        ),
        ("Let me see.\nSagan: draft</think>\nYes.", "Yes."),
        ("<think>a<think>b</think>c</think>Yes.<think>d", "Yes."),
        ("a < b, b > c, [1] and [x]", "a < b, b > c, [1] and [x]"),
        ("<thinker> of thoughts", "<thinker> of thoughts"),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    assert cut_everywhere(text) == {left}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("## Head\n- **bold** and _it_\n1. `code` [1]", "Head\nbold and it\ncode [1]"),
        ("see [the book](https://x.test/a) and [2]", "see the book and [2]"),
        ("snake_case and 2 * 3", "snake_case and 2 * 3"),
        ("> quoted\nplain", "quoted\nplain"),
    ],
)
def test_without_markdown(text: str, left: str) -> None:
    assert cut_everywhere(text, markdown=False) == {left}


def test_names_with_signs_of_patterns_are_only_names() -> None:
    assert clean("A.*(b): hi", "A.*(b)") == "hi"
    assert clean("Axxx: hi", "A.*") == "Axxx: hi"
    assert clean("老子：道", "老子") == "道"


def test_a_long_reply_of_brackets_is_not_held_back() -> None:
    stream = ReplyStream(("Bot",))
    shown = sum(len(stream.feed("< [ ◁ ").text) for _ in range(20_000))
    assert shown + len(stream.finish().text) == 120_000
