"""How a file is read, and what reading tells besides the text: stretches that are not the
person's, repairs that were made in many places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

PageText = Callable[[int], str | None]
"""The recognised text of a file's page (from 0; an image has the one), or None where none is."""


@dataclass(frozen=True, slots=True)
class LeaveOut:
    """A stretch of an original that is kept out of the text, as a person decided.

    Offsets are those of `Cut`: in the extracted text of the part with that name ("" for a plain
    file). `begins` are its first words, so that a changed file is noticed; "" is not compared.
    """

    part: str
    start: int
    end: int
    reason: str
    begins: str = ""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a person decided about the reading of one file.

    `leave_out` goes from the text and is listed as cuts. `keep` undoes cuts: each is a cut's
    `reason` (all of that kind stay in) or a cut's `place` (that one does). `field` names the field
    of records that holds their text ("" chooses). `recognised` gives the text of pages that are
    pictures; None where nothing was recognised.
    """

    leave_out: tuple[LeaveOut, ...] = ()
    keep: frozenset[str] = frozenset()
    field: str = ""
    recognised: PageText | None = None


ProposalKind = Literal[
    "introduction", "preface", "note", "biography", "criticism", "apparatus", "advertisement"
]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A stretch that is probably somebody else's words, proposed to be left out.

    `characters` counts the cleaned text in it; `certainty` is 0..1; `why` is for a person;
    `begins` are its first words. Offsets are those of `LeaveOut`.
    """

    part: str
    start: int
    end: int
    kind: ProposalKind
    title: str
    why: str
    begins: str
    characters: int
    certainty: float

    def leave_out(self) -> LeaveOut:
        """The decision to follow the proposal."""
        return LeaveOut(self.part, self.start, self.end, self.kind, self.begins)


RepairKind = Literal[
    "mojibake", "mixed bytes", "lost byte", "line-end hyphen", "wrapped line", "control character"
]


@dataclass(frozen=True, slots=True)
class Repair:
    """Small changes of one kind, too many to list: how many, and the first of them as examples.

    They can all be seen, and undone, by comparing `Source.pieces` with the original.
    """

    kind: RepairKind
    count: int
    examples: tuple[str, ...] = ()
