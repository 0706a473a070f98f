"""Notes: what each mark stands for, and the way from the text without marks to the text with."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from salon.answer.cite import Mark, Marked, take_apart
from salon.answer.notes import Rendered, Rest, citations, drop_weak, stretches
from salon.answer.support import Pool
from salon.types import Span
from tests.answer.making import SmallCorpus

CORPUS = SmallCorpus()
EVIDENCE = CORPUS.evidence("storm destroyed", "counted the ships")
POOL = Pool(EVIDENCE, "en")


def standing(reply: str) -> list[str]:
    marked = take_apart(reply, (1, 2, 3))
    return [marked.text[span.start : span.end] for span in stretches(marked)]


def test_a_mark_stands_for_its_sentence() -> None:
    assert standing("One is here. Two is there [1]. Three.") == ["Two is there"]
    assert standing("One is here. Two is there. [1] Three.") == ["Two is there."]
    assert standing("One is here. [2] Two is there. [1]") == ["One is here.", "Two is there."]


def test_several_marks_of_a_sentence_share_it() -> None:
    assert standing("It burned [1], and we rang the bell [2].") == [
        "It burned",
        "and we rang the bell",
    ]


def test_a_mark_that_opens_a_line_stands_for_what_follows() -> None:
    assert standing("[1] It burned down. More.\n[2] We rang.") == ["It burned down.", "We rang."]


@given(
    st.text(alphabet="ab .\n", max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 3)), max_size=5),
)
def test_places_move_with_the_marks(text: str, marks: list[tuple[int, int]]) -> None:
    places = {min(at, len(text)): (number,) for at, number in marks}
    rendered = Rendered(Marked(text, tuple(Mark(at, n) for at, n in sorted(places.items()))))
    for at, char in enumerate(text):
        assert rendered.text[rendered.start(at)] == char
        assert rendered.text[rendered.end(at + 1) - 1] == char


def test_what_is_known_exactly_is_not_cited_twice() -> None:
    marked = take_apart("A storm destroyed the oil store [1].", (1, 2))
    place = Span(EVIDENCE[0].spans[0].start, EVIDENCE[0].spans[0].start + 20)
    rest = Rest(Span(0, 31), 1, place, verbatim=True)
    (one,) = citations(marked, Rendered(marked), EVIDENCE, POOL, [rest])
    assert (one.start, one.end, one.verbatim) == (place.start, place.end, True)


def test_two_neighbouring_sentences_are_cited_where_both_are_needed() -> None:
    reply = "A storm destroyed the oil store, and we rang the bell by hand for three nights [1]."
    marked = take_apart(reply, (1, 2))
    (one,) = citations(marked, Rendered(marked), EVIDENCE, POOL)
    assert one.quote.startswith("In the winter of 1902 a storm")
    assert one.quote.endswith("until our palms were raw.")


def test_marks_without_support_are_dropped_where_nothing_is_covered() -> None:
    marked = take_apart("A prime has two divisors [1]. A storm destroyed the store [1].", (1, 2))
    kept = drop_weak(marked, POOL)
    assert [span.start for span in stretches(kept)] == [26]
