"""What a person decided to leave out of a file, as drops of its parts."""

from __future__ import annotations

from collections.abc import Iterable

from salon.corpus.extract import Drop, Part
from salon.errors import SourceError
from salon.types import LeaveOut


def part_label(label: str, part: str) -> str:
    """What `LeaveOut.part` and `Proposal.part` call a part of the source with that name.

    A record of a file with many ("letters.jsonl#12") is told apart by its number: "#12".
    """
    record = label.rpartition("#")[2] if "#" in label else ""
    return f"#{record} {part}".strip() if record else part


def drops_of(part: Part, wanted: Iterable[LeaveOut], label: str) -> list[Drop]:
    """The stretches that fall into this part; raises SourceError when one begins with other words.

    A part that is one stretch of a large file gets its share of what is wanted.
    """
    drops: list[Drop] = []
    names = {part.name, part_label(label, part.name)}
    for each in wanted:
        if each.part not in names:
            continue
        start, end = each.start - part.base, each.end - part.base
        if end <= 0 or start >= len(part.text):
            continue
        if start >= 0 and each.begins and not _begins(part.text[start:end], each.begins):
            raise SourceError(
                label,
                f"what is to be left out at {each.start} no longer begins with"
                f" '{each.begins[:60]}': the file has changed",
                expected="the stretch as it was when it was decided on",
                cure="run `salon intake` again and decide anew",
            )
        drops.append(Drop(max(start, 0), min(end, len(part.text)), each.reason or "left out"))
    return drops


def _begins(text: str, words: str) -> bool:
    """Letters and digits are compared: line ends and hyphens are cleaning's to change."""
    wanted = "".join(filter(str.isalnum, words))
    there = "".join(filter(str.isalnum, text[: 4 * len(words) + 400]))
    return there.startswith(wanted) or wanted.startswith(there)
