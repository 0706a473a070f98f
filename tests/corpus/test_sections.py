from __future__ import annotations

from pathlib import Path

from salon.corpus.read import read_file
from tests.corpus.making import source_of

PROSE = (
    "It was a day like others, and nobody thought that it would be remembered for\n"
    "anything but its rain, which fell from morning to evening without a stop, and\n"
    "which the old people compared with the rain of the year of the great flood.\n"
    "They were wrong, as old people sometimes are, but nobody told them so at all.\n"
)


def titles(folder: Path, text: str, name: str = "text.txt") -> list[tuple[int, str]]:
    source = source_of(folder, text, name)
    for section in source.sections:
        assert section.heading_end > section.start
    return [(section.level, section.title) for section in source.sections]


def test_chapters_with_titles_on_the_next_line(tmp_path: Path) -> None:
    text = f"CHAPTER I.\n\nTHE RAIN\n\n{PROSE}\n\nCHAPTER II.\n\nTHE SUN\n\n{PROSE}"
    assert titles(tmp_path, text) == [(1, "Chapter I. The Rain"), (1, "Chapter II. The Sun")]


def test_chapters_stand_below_books(tmp_path: Path) -> None:
    text = (
        f"BOOK ONE\n\nCHAPTER 1\n\n{PROSE}\nCHAPTER 2\n\n{PROSE}\nBOOK TWO\n\nCHAPTER 1\n\n{PROSE}"
    )
    assert [level for level, _ in titles(tmp_path, text)] == [1, 2, 2, 1, 2]


def test_a_list_of_contents_makes_no_sections(tmp_path: Path) -> None:
    contents = (
        "CONTENTS\n\n  CHAPTER I. THE RAIN   1\n\n  CHAPTER II. THE SUN   9\n\n  INDEX   20\n"
    )
    text = f"{contents}\n\n\n\nCHAPTER I. THE RAIN\n\n{PROSE}\n\nCHAPTER II. THE SUN\n\n{PROSE}"
    assert titles(tmp_path, text) == [(1, "Chapter I. The Rain"), (1, "Chapter II. The Sun")]


def test_a_title_page_makes_no_sections(tmp_path: Path) -> None:
    page = "RAIN AND SUN\n\nBY\n\nA. WRITER\n\nNEW YORK\n\n1860\n\n\n\n"
    text = f"{page}PREFACE\n\n{PROSE}\n\n\nTHE RAIN\n\n{PROSE}"
    assert titles(tmp_path, text) == [(1, "Preface"), (1, "The Rain")]


def test_poem_numbers_and_titles_are_sections(tmp_path: Path) -> None:
    poem = "The rain it came,\nThe rain it went,\n\nAnd nobody\nWas ill content.\n\n\n\n"
    text = f"I.\n\nRAIN.\n\n{poem}II.\n\n{poem}III.\n\nSUN.\n\n{poem}"
    assert titles(tmp_path, text) == [(1, "I. Rain"), (1, "II"), (1, "III. Sun")]


def test_a_number_without_a_blank_line_before_it_is_found(tmp_path: Path) -> None:
    rain = "I.\n\nThe rain it came,\nThe rain it went.\nII.\n\n"
    text = f"{rain}And then the sun.\nA cat.\n\n\nIII.\n\nEnd it."
    assert [title for _, title in titles(tmp_path, text)] == ["I", "II", "III"]


def test_a_lone_number_or_letter_is_no_heading(tmp_path: Path) -> None:
    assert titles(tmp_path, f"{PROSE}\nC.\n\n{PROSE}\n1784\n\n{PROSE}") == []


def test_signatures_and_salutations_are_no_headings(tmp_path: Path) -> None:
    letter = f"MY DEAR FRIEND,\n\n{PROSE}\n                                   B. FRANKLIN.\n\n"
    assert titles(tmp_path, letter * 2) == []


def test_letters_after_a_divider_are_sections(tmp_path: Path) -> None:
    divider = "       *       *       *       *       *\n\n"
    one = f"{divider}_To the same._[13]\n\n{PROSE}\n"
    text = f"LETTERS.\n\n{PROSE}\n{one}{divider}_Lord Kames._\n\n{PROSE}"
    assert titles(tmp_path, text) == [(1, "Letters"), (2, "To the same"), (2, "Lord Kames")]


def test_underlined_lines_are_headings(tmp_path: Path) -> None:
    text = f"Rain\n====\n\n{PROSE}\nDrops\n-----\n\n{PROSE}"
    assert titles(tmp_path, text) == [(1, "Rain"), (2, "Drops")]


def test_titles_with_much_space_above_are_headings(tmp_path: Path) -> None:
    text = f"{PROSE}\n\n\n\nWhere I Lived, and What I Lived For\n\n{PROSE}"
    assert titles(tmp_path, text) == [(1, "Where I Lived, and What I Lived For")]


def test_chinese_chapters_are_headings(tmp_path: Path) -> None:
    text = "第一章 春\n\n天下雨了，人们都在家里。\n\n第二章 夏\n\n太阳出来了，孩子们去游泳。"
    assert [title for _, title in titles(tmp_path, text)] == ["第一章 春", "第二章 夏"]


def test_markdown_headings_but_not_those_in_code(tmp_path: Path) -> None:
    text = "# One *two*\n\nwords\n\n```\n# no\n```\n\n## Three\n\nwords\n\nFour\n====\n\nwords\n"
    assert titles(tmp_path, text, "a.md") == [(1, "One two"), (2, "Three"), (1, "Four")]


def test_sections_of_real_books(data: Path) -> None:
    def found(name: str) -> list[str]:
        path = data / "corpora" / name
        return [section.title for section in read_file(path, name)[0].sections]

    beagle = found("darwin/voyage_of_the_beagle_pg944.txt")
    assert sum(title.startswith("Chapter ") for title in beagle) == 21
    assert beagle[1] == "Chapter I. St. Jago--Cape de Verd Islands"
    assert [f"Letter {n}" for n in ("I", "II", "III")] == found(
        "wollstonecraft/letters_sweden_pg3529.txt"
    )[1:4]
    walden = found("thoreau/walden_pg205.txt")
    assert walden[:3] == ["Walden", "Economy", "Where I Lived, and What I Lived For"]
    assert walden[-2:] == ["Conclusion", "On the Duty of Civil Disobedience"]
    assert len(walden) == 20
    memoirs = found("franklin/memoirs_vol2_essays_letters_pg40236.txt")
    assert "The Whistle. To Madame Brillon" in memoirs
    assert memoirs.count("To the same") > 5
    assert "The American Scholar" in found("emerson/essays_turpin_pg16643.txt")
