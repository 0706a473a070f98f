"""Quotations: every kind of mark is seen, and only words that stand in the corpus are found."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.answer.fold import fold
from salon.answer.lookup import look_up
from salon.answer.marks import quoted
from salon.answer.quote_index import Place, QuoteIndex, index_of
from salon.answer.quotes import check
from salon.answer.sameness import Sameness
from tests.answer.making import HOPE_POEM, LETTERS, LOGBOOK, SmallCorpus, info

CORPUS = SmallCorpus()
INDEX = QuoteIndex(CORPUS.texts())


def spans(text: str) -> list[str]:
    return [one.text for one in quoted(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('I said "the lamp burned whale oil" then.', ["the lamp burned whale oil"]),
        ("I said “the lamp burned whale oil” then.", ["the lamp burned whale oil"]),
        ("„Das Licht brannte lange“, sagte ich.", ["Das Licht brannte lange"]),
        ("»Das Licht brannte lange« so.", ["Das Licht brannte lange"]),
        ("« La lampe brûlait encore », dis-je.", ["La lampe brûlait encore"]),
        ("”Lampan brann hela natten” sa hon.", ["Lampan brann hela natten"]),
        ("子曰：「學而時習之，不亦說乎」。", ["學而時習之，不亦說乎"]),
        ("‘The lamp burned oil’ was said.", ["The lamp burned oil"]),
        ("'The lamp burned oil' was said.", ["The lamp burned oil"]),
        ("'The keepers' lamps burned oil' was said.", ["The keepers' lamps burned oil"]),
        (
            "He said “I told them ‘mind the lamp now’ twice”.",
            ["I told them ‘mind the lamp now’ twice"],
        ),
        ("> one line here\n> and two\n> — Ingrid\n\nmore", ["one line here\nand two"]),
        ("It's the keepers' lamp, isn't it? 'Tis the boys' own.", []),
        ("rock 'n' roll in the '90s, 5'10\" tall", ["n"]),
        ('`a = "not a quotation here"` is code', []),
        ('```\nx = "not a quotation here"\n```', []),
        ("“never closed runs on\n\nnext paragraph", ["never closed runs on"]),
    ],
)
def test_quoted_spans_of_every_kind(text: str, expected: list[str]) -> None:
    assert spans(text) == expected


def test_quoted_spans_are_slices_of_the_answer() -> None:
    text = "So “the lamp” and\n\n> a block\n\nand 'so on and on'."
    for one in quoted(text):
        assert text[one.whole.start : one.whole.end]
        inner = text[one.inner.start : one.inner.end]
        assert re.sub(r"\s+", " ", inner) == one.text


@pytest.mark.parametrize(
    "quotation",
    [
        "The lamp burned whale oil then",
        "the lamp burned whale oil then, and the smell of it never left my coat",
        "THE LAMP BURNED “WHALE” OIL",
        "the lamp burned whale-oil then — and the smell",
        "rang the bell by hand until our palms were raw",
        "a keeper who sleeps … is a thief of ships",
        "We sat three nights in the dark ... until our palms were raw",
        "[t]he lamp burned whale oil",
        "the lamp burned [expensive] whale oil",
        "the lamp bur­ned whale oil",
    ],
)
def test_words_that_stand_in_the_corpus_are_found(quotation: str) -> None:
    places = INDEX.find(quotation)
    assert [place.source.name for place in places] == ["logbook.txt"]
    assert LOGBOOK[places[0].span.start : places[0].span.end] == places[0].text


@pytest.mark.parametrize(
    "quotation",
    [
        "the lamp burned seal oil then",
        "The lamp burned whale oil then, and I bake on Thursdays",
        "a keeper who sleeps ... for the south wall is warm",
        "I bake on Thursdays ... the lamp burned whale oil",
        "he lamp burned whale oil",
        "the lamp burned whale oi",
    ],
)
def test_invented_stitched_and_cut_words_are_not_found(quotation: str) -> None:
    assert INDEX.find(quotation) == []


def test_hyphens_at_line_ends_ligatures_long_s_and_note_numbers_are_seen_through() -> None:
    text = "The ﬁrſt keeper was con-\nfused by the œuvre[12] of _Solberg_ in the café.\n"
    index = QuoteIndex([(info("old.txt", text), text)])
    (place,) = index.find("first keeper was confused by the oeuvre of Solberg in the cafe")
    assert place.text == text[4:-2]


@pytest.mark.parametrize(
    ("source", "quotation", "found"),
    [
        (
            "In the wintcr of that year a storm came.",
            "In the winter of that year a storm came",
            True,
        ),
        (
            "the rnorning light upon the tower stairs",
            "the morning light upon the tower stairs",
            True,
        ),
        (
            "he was a thief of ships and of men alike",
            "he was a chief of ships and of men alike",
            False,
        ),
        ("the tower fell down", "the tovver fell down", True),
    ],
)
def test_a_scanner_s_confusions_are_forgiven_where_one_side_is_no_word(
    source: str, quotation: str, found: bool
) -> None:
    index = QuoteIndex([(info("scan.txt", source), source)])
    finding = look_up(index, quotation, Sameness(index, "en"))
    assert (finding.verdict == "found") is found
    assert all(source[p.span.start : p.span.end] == p.text for p in finding.places)


def test_an_ellipsis_does_not_reach_over_pages() -> None:
    text = "The lamp was lit at dusk. " + "Gulls cried over the rocks. " * 60 + "The dawn was red."
    index = QuoteIndex([(info("long.txt", text), text)])
    assert index.find("The lamp was lit at dusk ... Gulls cried over the rocks")
    assert index.find("The lamp was lit at dusk ... The dawn was red") == []


def test_scare_quotes_and_titles_claim_nothing() -> None:
    answer = 'They call it "progress", the "new light"; see "The Keeper of Halden".'
    assert check(answer, INDEX) == []


def test_an_absent_quotation_lets_the_inner_ones_be_looked_up() -> None:
    answer = "“Nobody ever wrote ‘The lamp burned whale oil’ or such things as these”"
    verdicts = [(one.quoted.text, bool(one.places)) for one in check(answer, INDEX)]
    assert verdicts[1:] == [("The lamp burned whale oil", True)]
    assert verdicts[0][1] is False


def test_the_index_is_built_once_for_a_corpus() -> None:
    corpus = SmallCorpus({"one.txt": "Only these words are in here, and no others at all."})
    first = index_of(corpus)
    assert index_of(corpus) is first
    assert corpus.read == 1


WORDS = [m.span() for m in re.finditer(r"\S+", LOGBOOK)]


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, len(WORDS) - 5), st.integers(5, 30), st.sampled_from(['"{}"', "“{}”", "«{}»"])
)
def test_any_words_of_a_source_are_found_at_an_exact_place(
    first: int, count: int, marks: str
) -> None:
    quotation = " ".join(LOGBOOK[a:b] for a, b in WORDS[first : first + count])
    (one,) = check(f"I wrote {marks.format(quotation)} once.", INDEX)
    (place,) = one.places
    assert fold(place.text) == fold(quotation)
    assert LOGBOOK[place.span.start : place.span.end] == place.text


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab cdé'’\"“”‘«»„>\n.[]…-", max_size=80))
def test_any_text_can_be_read_for_quotations(text: str) -> None:
    last = 0
    for one in quoted(text):
        assert last <= one.whole.start <= one.inner.start <= one.inner.end <= one.whole.end
        last = one.whole.start
    check(text, INDEX)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_folding_a_source_keeps_the_way_back(text: str) -> None:
    index = QuoteIndex([(info("any.txt", text), text)])
    for match in re.finditer(r"\S+(?:\s+\S+){2,4}", text):
        for place in index.find(match.group()):
            assert text[place.span.start : place.span.end] == place.text


@pytest.mark.data
def test_stitched_and_moved_quotations_of_real_books_are_absent(data: Path) -> None:
    rows = (data / "corpora/questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(row) for row in rows]
    rows = [r for r in rows if r["kind"] == "specific" and r["file"].startswith("franklin/")]
    names = sorted({row["file"] for row in rows})
    texts = {n: (data / "corpora" / n).read_text(encoding="utf-8", errors="replace") for n in names}
    index = QuoteIndex([(info(name, text), text) for name, text in texts.items()])
    evidence = [row["evidence"] for row in rows]
    assert all(index.find(each) for each in evidence)
    for one, other in pairwise(evidence):
        half, rest = one.split()[: len(one.split()) // 2], other.split()[len(other.split()) // 2 :]
        assert index.find(" ".join([*half, *rest])) == []
        assert index.find(" ".join([*half, "...", *rest])) == []
    walden = "I went to the woods because I wished to live deliberately"
    assert index.find(walden) == []


def test_the_letters_are_searched_too() -> None:
    (place,) = INDEX.find("send me seeds, for the south wall is warm")
    assert LETTERS[place.span.start : place.span.end].startswith("send me seeds")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("»Das Licht brannte lange», sade han.", ["Das Licht brannte lange"]),
        ('„Das Licht brannte lange" sagte er.', ["Das Licht brannte lange"]),
        ("「彼は灯台を守った」と『海』", ["彼は灯台を守った", "海"]),
        ("《這是一本書》說", ["這是一本書"]),
        ("He said ``the lamp burned oil'' then.", ["the lamp burned oil"]),
        ("He said ,,the lamp burned oil'' then.", ["the lamp burned oil"]),
        ("He said &ldquo;the lamp burned oil&rdquo; then.", ["the lamp burned oil"]),
        ("He said &quot;the lamp burned oil&quot; then.", ["the lamp burned oil"]),
        ("He said <q>the lamp burned oil</q> then.", ["the lamp burned oil"]),
        ("He said <<the lamp burned oil>> then.", ["the lamp burned oil"]),
        ("הוא אמר ״המנורה דלקה כל הלילה״ ושתק.", ["המנורה דלקה כל הלילה"]),
    ],
)
def test_marks_of_more_languages_and_typed_ones(text: str, expected: list[str]) -> None:
    assert spans(text) == expected
    for one in quoted(text):
        assert one.text in text[one.whole.start : one.whole.end]


def verdicts(answer: str) -> list[tuple[str, str]]:
    return [(one.quoted.text, one.verdict) for one in check(answer, INDEX)]


def test_a_quotation_that_he_said_parts_is_one() -> None:
    whole = '"I was nineteen," I wrote, "when I first climbed the tower at Halden."'
    ((text, verdict),) = verdicts(whole)
    assert (text.split(" … ")[0], verdict) == ("I was nineteen,", "found")
    stitched = '"The lamp burned whale oil then," I wrote, "and I bake on Thursdays"'
    assert [verdict for _, verdict in verdicts(stitched)] == ["stitched"]


def test_parts_of_a_parted_quotation_are_looked_up_alone_when_it_is_nowhere() -> None:
    answer = '"The lamp burned whale oil then," I said, "until the elephants came to town at last"'
    found = verdicts(answer)
    assert [verdict for _, verdict in found] in (["found", "absent"], ["changed"])


POEM = QuoteIndex([(info("lamp.txt", HOPE_POEM), HOPE_POEM)])


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("I wrote: The lamp forgives the dark its size / And asks no thanks of day.", ["found"]),
        (
            "I wrote:\n\nThe lamp forgives the dark its size\nAnd asks no thanks of day;\n\nso.",
            ["found"],
        ),
        (
            "I wrote:\n\nThe moon is made of yellow cheese\nAnd mice go up by night\n",
            ["absent"],
        ),
        ("The moon is made of yellow cheese\nAnd mice go up by night\n", []),
        ("Use one and/or the other / Then the next.", []),
    ],
)
def test_verse_set_off_by_slashes_and_lines(answer: str, expected: list[str]) -> None:
    assert [one.verdict for one in check(answer, POEM)] == expected


def test_words_of_another_source_than_the_one_that_is_named() -> None:
    answer = 'In my Letters I wrote that "the lamp burned whale oil then".'
    (one,) = check(answer, INDEX)
    assert (one.verdict, one.named) == ("misattributed", "Letters")
    assert [place.source.name for place in one.places] == ["logbook.txt"]
    right = 'In my Logbook I wrote that "the lamp burned whale oil then".'
    assert [one.verdict for one in check(right, INDEX)] == ["found"]


def test_words_of_another_persona() -> None:
    poem = POEM.find("The lamp forgives the dark its size")

    def elsewhere(quotation: str) -> list[tuple[str, Place]]:
        return [("emily", place) for place in poem if "forgives" in quotation]

    answer = 'I wrote "the lamp forgives the dark its size" and "not a word of this anywhere".'
    found = check(answer, INDEX, elsewhere=elsewhere)
    assert [one.verdict for one in found] == ["misattributed", "absent"]
    report = found[0].report(CORPUS.standing)
    assert [place.persona for place in report.places] == ["emily"]
