"""Makes a persona folder from somebody's files: copies them, and explains what it guesses."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from salon.errors import ConfigError, InputError
from salon.persona.load import (
    PERSONA_FILE,
    PROMPT_FILE,
    SOURCES_FOLDER,
    default_colour,
    default_nick,
    default_prefix,
    load_persona,
)
from salon.persona.names import persona_id
from salon.persona.provenance import PROVENANCE_FILE
from salon.persona.schema import LANGUAGE, LONGEST_NAME
from salon.persona.write import Guess, persona_text, prompt_text, sources_text
from salon.ports import Progress, no_progress
from salon.types import PersonaCard, Source

_USABLE = "the person's writings as txt, md, html, epub, pdf with text, or json"

_SAMPLE = 8_000
"""Characters of a source that are looked at to tell its genre."""

_SHOWN = 5
"""Refused files that an error lists by name."""


@dataclass(frozen=True, slots=True)
class Created:
    """`refused` pairs each file that was left out with the reason; persona.yaml has the guesses."""

    card: PersonaCard
    folder: Path
    guesses: tuple[Guess, ...]
    sources: int
    refused: tuple[tuple[str, str], ...] = ()


def create_persona(
    personas_dir: Path,
    name: str,
    paths: Sequence[Path],
    *,
    display_name: str | None = None,
    language: str | None = None,
    colour: str | None = None,
    copy: bool = True,
    progress: Progress = no_progress,
) -> Created:
    """Builds the folder aside and renames it, so a failure leaves nothing; originals stay.

    Files that cannot be used are left out and reported. Without `copy` sources are hard links.
    Raises InputError for a bad name and for paths that do not exist or hold nothing to use,
    ConfigError when the persona exists.
    """
    identifier = persona_id(name)
    folder = personas_dir / identifier
    if folder.exists():
        raise _exists(folder)
    wanted = _collect(paths)
    try:
        personas_dir.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=".new-", dir=personas_dir))
    except OSError as error:
        raise _unwritable(personas_dir, error) from error
    work = aside / identifier
    try:
        refused = _bring(wanted, work / SOURCES_FOLDER, copy, progress)
        sources, more = _read(work / SOURCES_FOLDER, progress)
        refused += more
        if not sources:
            raise _nothing_usable(refused)
        given = {"name": display_name, "language": language, "colour": colour}
        guesses = _guesses(identifier, name, sources, given)
        _write(work, identifier, guesses, sources, refused)
        card = _checked(work)
        work.rename(folder)
    except OSError as error:
        if folder.exists():
            raise _exists(folder) from error
        raise _unwritable(personas_dir, error) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return Created(card, folder, guesses, len(sources), tuple(refused))


def _unwritable(personas_dir: Path, error: OSError) -> InputError:
    return InputError(
        f"the persona could not be written: {error.strerror or error}",
        expected=f"{personas_dir} as a folder that can be written and has room",
        cure="change its permissions or make room, or name another house with --house",
    )


def _exists(folder: Path) -> ConfigError:
    return ConfigError(
        f"there is already a persona '{folder.name}'",
        file=str(folder),
        expected="a new name: an existing persona is never overwritten",
        cure=f"choose another name, or add files to {folder / SOURCES_FOLDER} and index again",
    )


def _checked(folder: Path) -> PersonaCard:
    """The new folder as it will be read; what does not load was a value that the caller gave."""
    try:
        return load_persona(folder)
    except ConfigError as error:
        problem = f"the {error.key} that was given cannot be used"
        raise InputError(problem, expected=error.expected, cure=error.cure) from error


def _collect(paths: Sequence[Path]) -> dict[str, Path]:
    """Name below sources/ -> file. Hidden files are left alone; equal names get their folder's."""
    from salon.corpus.read import list_files

    if not paths:
        raise InputError("no sources were named", cure="name files or folders with --from")
    found: dict[str, Path] = {}
    for path in paths:
        path = path.expanduser()
        try:
            path.stat()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"{str(path)[:200]!r} cannot be used: {reason}",
                expected="a file or a folder of the person's writings",
                cure="check the path",
            ) from error
        base = path if path.is_dir() else path.parent
        files = [file for _, file in list_files(path)] if path.is_dir() else [path]
        if not files:
            raise InputError(f"{path} is an empty folder", expected=_USABLE)
        for file in files:
            found[_free_name(file.relative_to(base), base.resolve().name, found)] = file
    return found


def _free_name(relative: Path, origin: str, taken: dict[str, Path]) -> str:
    name = PurePosixPath(*relative.parts)
    number = 1
    while str(name) in taken:
        name = PurePosixPath(origin if number == 1 else f"{origin}-{number}", *relative.parts)
        number += 1
    return str(name)


def _bring(
    wanted: dict[str, Path], target: Path, copy: bool, progress: Progress
) -> list[tuple[str, str]]:
    """Copies or links each file; returns those that cannot be read, with the reason."""
    refused: list[tuple[str, str]] = []
    target.mkdir(parents=True)
    for number, (name, file) in enumerate(wanted.items(), 1):
        if not file.is_file():
            refused.append((name, "it is not an ordinary file"))
            continue
        try:
            file.open("rb").close()
        except OSError as error:
            refused.append((name, f"it cannot be read: {error.strerror}"))
            continue
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if copy:
            shutil.copyfile(file, place)
            shutil.copystat(file, place)
        else:
            place.hardlink_to(file.resolve())
        progress("copy", number, len(wanted))
    return refused


def _read(folder: Path, progress: Progress) -> tuple[tuple[Source, ...], list[tuple[str, str]]]:
    """Reads what was copied; files that cannot be used are taken out of the folder again."""
    from salon.corpus.read import read_folder

    result = read_folder(folder, progress=progress)
    refused = []
    for error in result.refused:
        refused.append((error.name, str(error).removeprefix(f"{error.name}: ")))
        (folder / error.name).unlink(missing_ok=True)
    return tuple(result.sources), refused


def _nothing_usable(refused: list[tuple[str, str]]) -> InputError:
    lines = [f"  {name}: {reason.splitlines()[0]}" for name, reason in refused[:_SHOWN]]
    if len(refused) > _SHOWN:
        lines.append(f"  and {len(refused) - _SHOWN} more")
    return InputError(
        "none of the files can be used as a source:\n" + "\n".join(lines),
        expected=_USABLE,
        cure="name files that hold the person's own words",
    )


def _guesses(
    identifier: str, typed: str, sources: Sequence[Source], given: dict[str, str | None]
) -> tuple[Guess, ...]:
    from salon.corpus.guess import guess_cutter

    cutter, reason = guess_cutter(sources)
    name = _name(identifier, typed, sources)
    language = _language(sources)
    colour = Guess("colour", default_colour(identifier), "made from the id; any #rrggbb does")
    found = {guess.key: guess for guess in (name, language, colour)}
    for key, value in given.items():
        if value:
            found[key] = Guess(key, value, "as you gave it")
    return (
        found["name"],
        Guess("nick", default_nick(found["name"].value), "the name's last word"),
        found["language"],
        found["colour"],
        Guess("prefix", default_prefix(identifier), "from the id"),
        Guess("cutter", cutter.strategy, reason),
        _pattern(cutter.strategy, sources),
    )


def _name(identifier: str, typed: str, sources: Sequence[Source]) -> Guess:
    """The author that most sources name, else the name as typed."""
    if " " in typed.strip() and not set(typed) & set("/\\"):
        return Guess("name", " ".join(typed.split()), "as you wrote it")
    authors = Counter(_plain_author(s.info.author) for s in sources if s.info.author)
    if authors:
        author, count = authors.most_common(1)[0]
        if 0 < len(author) <= LONGEST_NAME and count * 2 > len(sources):
            who = "the source names" if len(sources) == 1 else f"{count} of {len(sources)} name"
            return Guess("name", author, f"the author that {who}")
    return Guess("name", identifier.replace("-", " ").title(), "from the id")


def _plain_author(author: str) -> str:
    """'Franklin, Benjamin, 1706-1790' -> 'Benjamin Franklin'."""
    author = re.sub(r",?\s*\(?\d{3,4}\??\s*[-–]\s*(\d{3,4}\??)?\)?\s*$", "", author.strip())
    last, comma, first = author.partition(",")
    swapped = comma and "," not in first and len(last.split()) <= 2
    return " ".join((f"{first} {last}" if swapped else author).split())


def _language(sources: Sequence[Source]) -> Guess:
    characters: Counter[str] = Counter()
    for source in sources:
        if re.fullmatch(LANGUAGE, source.info.language):
            characters[source.info.language] += source.info.characters
    if not characters:
        return Guess("language", "en", "the sources do not tell")
    return Guess("language", characters.most_common(1)[0][0], "the language of the sources")


def _pattern(cutter: str, sources: Sequence[Source]) -> Guess:
    """Verbatim for verse that is never cut: there the wording is the work."""
    if cutter == "whole" and _mostly_verse(sources):
        reason = "verse: whole pieces are the answer; or auto | direct"
        return Guess("pattern", "verbatim", reason)
    return Guess("pattern", "auto", "or direct | verbatim (whole pieces, for poems)")


def _mostly_verse(sources: Sequence[Source]) -> bool:
    """Whether more than half of the text is in sources whose middle is verse."""
    from salon.corpus.genre import genre_of

    verse = 0
    for source in sources:
        middle = max(0, len(source.text) // 2 - _SAMPLE // 2)
        if genre_of(source.text[middle : middle + _SAMPLE]) == "verse":
            verse += len(source.text)
    return 2 * verse > sum(len(source.text) for source in sources)


def _write(
    work: Path,
    identifier: str,
    guesses: tuple[Guess, ...],
    sources: Sequence[Source],
    refused: list[tuple[str, str]],
) -> None:
    values = {guess.key: guess.value for guess in guesses}
    files = {
        PERSONA_FILE: persona_text(identifier, guesses),
        PROMPT_FILE: prompt_text(values["name"]),
        f"{SOURCES_FOLDER}/{PROVENANCE_FILE}": sources_text(sources, refused),
    }
    for name, text in files.items():
        (work / name).write_text(text, encoding="utf-8")
