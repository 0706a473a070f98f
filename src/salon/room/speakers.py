"""Who answers a message: one row a strategy. Pure; chance comes in as numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from salon.room.mentions import Directory, Mentions
from salon.room.routes import RouteTable
from salon.types import Participant, RoomOptions


@dataclass(frozen=True, slots=True)
class Choosing:
    """What a choice rests on.

    `pool`: who may answer, in the house's order. `spoken`: ids of who spoke, oldest first;
    `since_person`: those since a person last did. `draw` in 0..1 for each of the pool. `named`:
    whom the moderator's model named, "" when it named nobody. `there`: the pool's ids, from its
    directory.
    """

    text: str
    pool: tuple[Participant, ...]
    routes: RouteTable
    options: RoomOptions
    spoken: tuple[str, ...] = ()
    since_person: tuple[str, ...] = ()
    draw: tuple[float, ...] = ()
    named: str = ""
    there: frozenset[str] = frozenset()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(member.id for member in self.pool)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who answers, in order, each once. `unknown`: mentioned names that nobody has."""

    personas: tuple[str, ...]
    unknown: tuple[str, ...] = ()
    mentioned: bool = False


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """`pick` orders who would answer; `asks_model`: a model names somebody first."""

    pick: Callable[[Choosing], Sequence[str]]
    summary: str
    asks_model: bool = False


def choose(choosing: Choosing, directory: Directory, mentions_cap: int = 5) -> Chosen:
    """Mentions first, all of them up to `mentions_cap`; else the room's strategy, capped."""
    if not choosing.pool:
        return Chosen(())
    mentions = present(directory.scan(choosing.text), directory.ids)
    if mentions.personas:
        return Chosen(mentions.personas[:mentions_cap], mentions.unknown, mentioned=True)
    if choosing.options.mention_only:
        return Chosen((), mentions.unknown)
    choosing = replace(choosing, there=directory.ids)
    picked = tuple(dict.fromkeys(STRATEGIES[choosing.options.strategy].pick(choosing)))
    return Chosen(picked[: max(1, choosing.options.responders)], mentions.unknown)


def present(mentions: Mentions, there: Collection[str]) -> Mentions:
    """The mentions of those who are there."""
    return Mentions(tuple(i for i in mentions.personas if i in there), mentions.unknown)


def routed(choosing: Choosing) -> Sequence[str]:
    """The first fitting route, else the orchestrator, else the first of the pool."""
    if found := choosing.routes.match(choosing.text, choosing.there):
        return found
    orchestrator = choosing.routes.routes.orchestrator
    return (orchestrator,) if orchestrator in choosing.there else (choosing.pool[0].id,)


def natural(choosing: Choosing) -> Sequence[str]:
    """Each speaks up as readily as it is talkative; who spoke last holds back; one always does."""
    last = choosing.spoken[-1:]
    rated = []
    for place, member in enumerate(choosing.pool):
        draw = choosing.draw[place] if place < len(choosing.draw) else 0.5
        ready = member.talkativeness * (0.3 if member.id in last else 1.0)
        rated.append((ready - draw, member.id))
    rated.sort(key=lambda pair: -pair[0])
    willing = [identifier for margin, identifier in rated if margin > 0]
    return willing or [rated[0][1]]


def in_turn(choosing: Choosing) -> Sequence[str]:
    """The room's order, or the pool's, from the one after who spoke last."""
    there = set(choosing.ids)
    order = [name for name in choosing.options.order if name in there] or list(choosing.ids)
    last = next((name for name in reversed(choosing.spoken) if name in order), None)
    start = order.index(last) + 1 if last is not None else 0
    return [*order[start:], *order[:start]]


def pooled(choosing: Choosing) -> Sequence[str]:
    """Who has not spoken since a person did, those silent for longest first; then everybody."""
    place = {name: number for number, name in enumerate(choosing.spoken)}
    order = sorted(choosing.ids, key=lambda name: place.get(name, -1))
    fresh = [name for name in order if name not in choosing.since_person]
    return fresh or order


def manual(choosing: Choosing) -> Sequence[str]:
    """Nobody: somebody must be mentioned."""
    return ()


def moderated(choosing: Choosing) -> Sequence[str]:
    """Whom the moderator's model named; nobody, or the same as before: `pooled` decides."""
    again = choosing.spoken[-1:] == (choosing.named,)
    if choosing.named in choosing.ids and not again:
        return (choosing.named,)
    orchestrator = choosing.routes.routes.orchestrator
    others = [
        name
        for name in pooled(choosing)
        if name != orchestrator and choosing.spoken[-1:] != (name,)
    ]
    return others or pooled(choosing)


STRATEGIES: Mapping[str, StrategyRow] = {
    "routed": StrategyRow(routed, "by topic words, else the orchestrator"),
    "natural": StrategyRow(natural, "by how talkative each is"),
    "list": StrategyRow(in_turn, "one after the other"),
    "pooled": StrategyRow(pooled, "who has been silent longest"),
    "manual": StrategyRow(manual, "only who is mentioned"),
    "moderated": StrategyRow(moderated, "whom the moderator's model names", asks_model=True),
}
