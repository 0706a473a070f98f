"""The canonical form and the file of a memory: nothing collides, nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from salon.errors import InputError
from salon.memory.form import FormError, canonical, parse, render, sealed
from salon.types import Memory

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
WHEN = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
WHOLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
SPITEFUL = st.sampled_from(
    [
        "---",
        "\n---\n",
        "\r\n",
        " ",
        "\t",
        "\0",
        "\u2028",
        "\x85",
        "\ufeff",
        "a:1:b\n",
        "é",
        "😀",
        "富",
    ]
)
WORDS = st.lists(st.one_of(WHOLE, SPITEFUL), max_size=6).map("".join)
ZONES = st.integers(-720, 720).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def memory(text: str = "Ana asks to be called Ana", **fields) -> Memory:
    return Memory(**{"id": "", "text": text, "kind": "fact", "created": WHEN, **fields})


MEMORIES = st.builds(
    Memory,
    id=st.just(""),
    text=WORDS.filter(lambda text: bool(text.strip())),
    kind=st.sampled_from(["fact", "correction", "summary-2"]),
    created=st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=ZONES),
    author=WORDS,
    room=WORDS,
    source_message=WORDS,
    confidence=st.floats(0, 1),
    tags=st.lists(WORDS, max_size=4).map(tuple),
    about=WORDS,
)


@unhurried
@given(MEMORIES)
def test_a_file_gives_back_its_memory_and_no_other_bytes(raw: Memory) -> None:
    kept = sealed(raw)
    data = render(kept)
    assert parse(data) == kept
    assert kept.text == raw.text
    assert kept.created == raw.created
    assert kept.created.utcoffset() == timedelta(0)


@unhurried
@given(MEMORIES)
def test_front_matter_is_yaml_with_the_same_values(raw: Memory) -> None:
    kept = sealed(raw)
    head = render(kept).split(b"\n---\n", 1)[0].removeprefix(b"---\n")
    loaded = yaml.safe_load(head.decode("utf-8"))
    assert (loaded["id"], loaded["author"], tuple(loaded["tags"])) == (
        kept.id,
        kept.author,
        kept.tags,
    )


@unhurried
@given(MEMORIES, MEMORIES)
def test_different_memories_have_different_canonical_forms(one: Memory, other: Memory) -> None:
    first, second = sealed(one), sealed(other)
    assert (canonical(first) == canonical(second)) == (
        replace(first, id="") == replace(second, id="")
    )


def test_separators_in_fields_do_not_collide() -> None:
    ids = {
        sealed(memory(author="a", about="b")).id,
        sealed(memory(author="a\nabout:1:b", about="")).id,
        sealed(memory(tags=("a", "b"))).id,
        sealed(memory(tags=("a,1:b",))).id,
        sealed(memory(tags=("ab",))).id,
    }
    assert len(ids) == 5


def test_the_canonical_form_stays_as_it_is_documented() -> None:
    assert (
        canonical(sealed(memory("Hé", tags=("x",))))
        == (
            "salon-memory 1\nkind:4:fact\ncreated:27:2026-03-01T10:00:00.000000Z\nauthor:0:\n"
            "about:0:\nroom:0:\nsource_message:0:\nconfidence:3:1.0\ntags:4:1:x,\nreplaces:0:\n"
            "text:3:Hé\n"
        ).encode()
    )


@pytest.mark.parametrize(
    "bad",
    [
        memory(" \n"),
        memory("half \ud83d"),
        memory("x" * 1_000_001),
        memory(author="a" * 1_001),
        memory(created=datetime(2026, 3, 1)),
        memory(confidence=1.5),
        memory(confidence=float("nan")),
        memory(kind="../x"),
        memory(replaces="../../etc/passwd"),
    ],
    ids=range(9),
)
def test_what_cannot_be_kept_is_refused(bad: Memory) -> None:
    with pytest.raises(InputError):
        sealed(bad)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'kind: "fact"', b"kind: !!python/object/apply:os.system ['true']"),
        (b'kind: "fact"', b'kind: &a "fact"'),
        (b'kind: "fact"', b'kind: "idea"'),
        (b'kind: "fact"', b'kind:  "fact"'),
        (b'kind: "fact"', b'kind: "fact"\nkind: "fact"'),
        (b'kind: "fact"', b'kind: "fact"\nmore: 1'),
        (b"asks", b"wants"),
        (b"\n", b"\r\n"),
        (b"salon_memory: 1", b"salon_memory: 2"),
        (b"redacted: false", b"redacted: true"),
        (b"Ana", b"\xff"),
        (b"---\n", b""),
        (b"confidence: 1.0", b"confidence: " + b"[" * 100_000),
        (b'id: "', b'id: "../'),
    ],
    ids=range(14),
)
def test_changed_bytes_are_refused(old: bytes, new: bytes) -> None:
    data = render(sealed(memory()))
    assert old in data
    with pytest.raises(FormError):
        parse(data.replace(old, new))
