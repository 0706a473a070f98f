"""Strategies: one row each, and what every row must keep to."""

from __future__ import annotations

import pytest

from salon.room import chain, orchestrator
from salon.room.mentions import Directory
from salon.room.speakers import STRATEGIES, Choosing, choose
from salon.types import Participant, RoomOptions
from tests.room.pack33 import DIRECTORY, NICK_OF, TABLE, some

POOL = (
    Participant("ann", "Ann", talkativeness=0.9),
    Participant("bob", "Bob", talkativeness=0.5),
    Participant("cy", "Cy", talkativeness=0.1),
)


def pick(strategy: str, responders: int = 1, **more: object) -> list[str]:
    options = RoomOptions(strategy=strategy, responders=responders)  # type: ignore[arg-type]
    choosing = Choosing("well", POOL, TABLE, options, **more)  # type: ignore[arg-type]
    return list(choose(choosing, Directory(POOL)).personas)


@pytest.mark.parametrize(
    ("strategy", "given", "personas"),
    [
        ("routed", {}, ["ann"]),
        ("natural", {"draw": (0.5, 0.4, 0.5)}, ["ann"]),
        ("natural", {"draw": (0.5, 0.4, 0.5), "responders": 3}, ["ann", "bob"]),
        ("natural", {"draw": (0.5, 0.4, 0.5), "spoken": ("ann",)}, ["bob"]),
        ("natural", {"draw": (1.0, 1.0, 1.0)}, ["ann"]),
        ("list", {}, ["ann"]),
        ("list", {"spoken": ("cy", "ann")}, ["bob"]),
        ("list", {"spoken": ("cy",), "responders": 2}, ["ann", "bob"]),
        ("pooled", {"spoken": ("ann", "bob"), "since_person": ("bob",)}, ["cy"]),
        ("pooled", {"spoken": ("cy", "ann", "bob"), "since_person": ("bob",)}, ["cy"]),
        ("pooled", {"spoken": ("ann", "bob", "cy"), "since_person": ("ann", "bob", "cy")}, ["ann"]),
        ("manual", {"responders": 5}, []),
        ("moderated", {"named": "bob"}, ["bob"]),
        ("moderated", {"named": ""}, ["ann"]),
        ("moderated", {"named": "nobody"}, ["ann"]),
        ("moderated", {"named": "bob", "spoken": ("bob",)}, ["ann"]),
    ],
)
def test_who_speaks(strategy: str, given: dict[str, object], personas: list[str]) -> None:
    assert pick(strategy, **given) == personas  # type: ignore[arg-type]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_mention_comes_before_every_strategy(strategy: str) -> None:
    options = RoomOptions(strategy=strategy)  # type: ignore[arg-type]
    choosing = Choosing("@cy and @ann", POOL, TABLE, options)
    assert choose(choosing, Directory(POOL)).personas == ("cy", "ann")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nobody_answers_twice_and_the_cap_holds(strategy: str) -> None:
    found = pick(strategy, responders=2)
    assert len(set(found)) == len(found) <= 2


def test_mention_only_rooms_are_silent_without_one() -> None:
    choosing = Choosing("le son", some(["Schaeffer"]), TABLE, RoomOptions(mention_only=True))
    assert choose(choosing, DIRECTORY).personas == ()


def test_mentions_have_a_cap_of_their_own() -> None:
    nicks = ["Eno", "Cage", "Oram", "Pina", "Batty", "Ikeda"]
    text = " ".join(f"@{nick}" for nick in nicks)
    chosen = choose(Choosing(text, some(nicks), TABLE, RoomOptions()), DIRECTORY, 5)
    assert [NICK_OF[name] for name in chosen.personas] == nicks[:5]


def test_a_chain_ends_at_its_depth_its_budget_and_when_two_go_round() -> None:
    assert chain.ending(2, 3, ("a", "b", "a"), "b", 0, 100) == ""
    assert chain.ending(3, 3, ("a", "b", "a", "b"), "a", 0, 100) == "depth"
    assert chain.ending(3, 9, ("a", "b", "a", "b"), "a", 0, 100) == "loop"
    assert chain.ending(3, 9, ("a", "b", "a", "b"), "c", 0, 100) == ""
    assert chain.ending(0, 9, ("a",), "b", 100, 100) == "tokens"


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("one two three", 50, "one two three"),
        ("one two three", 13, "one two three"),
        ("one two three", 9, "one two…"),
        ("one two three", 8, "one two…"),
        ("one two three", 7, "one…"),
        ("one\n\n two", 7, "one two"),
        ("无空格的中文句子在这里", 6, "无空格的中…"),
    ],
)
def test_a_handed_over_text_ends_at_a_word(text: str, most: int, cut: str) -> None:
    assert chain.cut_at_word(text, most) == cut
    assert len(cut) <= most


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("Le bruit est matière. @Merzbow peut approfondir.", []),
        ("Un. Deux. @Merzbow sait.", ["sentences"]),
        ("- Le bruit\n- Le son. @Merzbow sait.", ["layout"]),
        ("**Le bruit** est matière. @Merzbow sait.", ["layout"]),
        ("Le bruit est matière.", ["handover"]),
        ("@Merzbow le sait. Le bruit est matière.", ["handover"]),
        ("@Nobody le sait.", ["handover"]),
    ],
)
def test_the_orchestrators_rules(text: str, rules: list[str]) -> None:
    there = set(NICK_OF)
    assert [b.rule for b in orchestrator.check(text, DIRECTORY, there)] == rules
    mended = orchestrator.mend(text, DIRECTORY, there, "Cage", "fr")
    assert orchestrator.check(mended, DIRECTORY, there) == []


def test_the_orchestrator_does_not_repeat_itself() -> None:
    said = "Le bruit. @Cage sait."
    found = orchestrator.check(said, DIRECTORY, set(NICK_OF), earlier="le  bruit. @cage sait.")
    assert [breach.rule for breach in found] == ["repeated"]
