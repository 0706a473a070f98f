"""Titles in notes: short, and said once."""

from __future__ import annotations

import pytest

from salon.surfaces.titles import main_title, within


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("The Log", "The Log"),
        ("Walden; or, Life in the Woods", "Walden"),
        ("The Keeper's Year: Being a True Account of Twelve Months", "The Keeper's Year"),
        ("Poems: Series One", "Poems: Series One"),
        ("; untitled", "; untitled"),
        (": " + 9 * " tail", ": " + 9 * " tail"),
        ("", ""),
    ],
)  # fmt: skip
def test_main_titles(title: str, short: str) -> None:
    assert main_title(title) == short


@pytest.mark.parametrize(
    ("section", "title", "rest"),
    [
        ("Chapter III", "The Log", "Chapter III"),
        ("The Log", "The Log", ""),
        ("The Log, Chapter III", "The Log", "Chapter III"),
        ("THE LOG, The Log, Chapter III", "The Log", "Chapter III"),
        ("Walden, Economy", "Walden; or, Life in the Woods", "Economy"),
        ("Walden; or, Life, Walden, Economy", "Walden; or, Life", "Economy"),
        ("The Logbook, Chapter III", "The Log", "The Logbook, Chapter III"),
        ("Tyger, Tyger", "Poems", "Tyger, Tyger"),
        ("Chapter III", "", "Chapter III"),
        ("", "The Log", ""),
    ],
)  # fmt: skip
def test_sections_do_not_say_the_title_again(section: str, title: str, rest: str) -> None:
    assert within(section, title) == rest
