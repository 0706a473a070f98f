"""README and guide: every command and option that they name exists, and console examples run.

A block fenced as ```console is a transcript: its lines that begin with "$ " are run in order and
must succeed. In any other block, and in `code` within a sentence, what begins with `salon` or
`make` must name a command, options and targets that exist.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main

from salon.surfaces.cli.app import app
from salon.surfaces.cli.demo import bring_host
from tests.places import ROOT
from tests.surfaces.running import PATIENCE, SALON, environment, salon

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
_FENCE = re.compile(r"^(```+)(\S*)[^\n]*\n(.*?)^\1[ \t]*$", re.M | re.S)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_ASSIGNMENT = re.compile(r"[A-Z_]+=\S*")


@dataclass(frozen=True)
class Example:
    """A command line of a page; `line` is 1-based. `whole` ones have all that they need."""

    page: str
    line: int
    text: str
    whole: bool

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"

    def words(self) -> list[str]:
        """The command and its arguments, without a prompt, variables, a comment or a pipe."""
        text = self.text.removeprefix("$ ")
        words = shlex.split(text, comments=True)
        while words and _ASSIGNMENT.fullmatch(words[0]):
            words.pop(0)
        ends = [at for at, word in enumerate(words) if word in ("|", "&&", ">", ";", "&", "\\")]
        return words[: min(ends)] if ends else words


def _named(page: Path) -> Iterator[Example]:
    """Every command line that the page names."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    for block in _FENCE.finditer(text):
        first = text.count("\n", 0, block.start(3)) + 1
        for number, line in enumerate(block[3].splitlines()):
            if re.match(r"(\$ )?([A-Z_]+=\S+ )*(salon|make)\b", line):
                yield Example(name, first + number, line, whole=True)
    prose = _FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)
    for code in _INLINE.finditer(prose):
        if re.match(r"([A-Z_]+=\S+ )*(salon|make) [a-z-]", code[1]):
            yield Example(name, prose.count("\n", 0, code.start()) + 1, code[1], whole=False)


def _targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z]+):", makefile, re.M))


def _fault(words: list[str], whole: bool) -> str:
    """What of a `salon` command line does not exist or, of a whole one, is missing; or ""."""
    command: Any = typer.main.get_command(app)
    takes_value = _options(command)
    is_value = False
    given = 0
    for word in words[1:]:
        if is_value:
            is_value = False
        elif word.startswith("-") and len(word) > 1:
            option, _, value = word.partition("=")
            if option not in takes_value:
                return f"no option {option}"
            is_value = takes_value[option] and not value
        elif hasattr(command, "commands") and word != "...":
            if word not in command.commands:
                return f"no command {word}"
            command = command.commands[word]
            takes_value |= _options(command)
        else:
            given += 1
    needed = [p.name for p in command.params if p.param_type_name == "argument" and p.required]
    missing = needed[given:] if whole and "--help" not in words else []
    return f"no {missing[0]}" if missing else ""


def _options(command: Any) -> dict[str, bool]:
    """Each option of a command, and whether a value follows it."""
    found = {
        name: not option.is_flag
        for option in command.params
        if option.param_type_name == "option"
        for name in (*option.opts, *option.secondary_opts)
    }
    return {**found, "--help": False, "-h": False}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_and_option_exists(page: Path) -> None:
    targets = _targets()
    faults = []
    for example in _named(page):
        words = example.words()
        if words[0] == "make":
            unknown = [word for word in words[1:] if "=" not in word and word not in targets]
            faults += [f"{example}: no target {word}" for word in unknown]
        elif fault := _fault(words, example.whole):
            faults.append(f"{example}: {fault}")
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="module")
def demo_house(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """A house with the bundled Host, indexed."""
    home = tmp_path_factory.mktemp("docs")
    bring_host(home / "house" / "personas" / "host")
    made = salon("--house", "house", "index", "host", home=home, models=models_dir)
    assert made.returncode == 0, made.stderr
    return home / "house"


def _transcripts() -> list[tuple[str, list[str]]]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in _FENCE.finditer(text):
            if block[2] == "console":
                line = text.count("\n", 0, block.start()) + 1
                commands = [row[2:] for row in block[3].splitlines() if row.startswith("$ ")]
                found.append((f"{page.name}:{line}", commands))
    return found


@pytest.mark.models
@pytest.mark.parametrize("commands", [pytest.param(c, id=name) for name, c in _transcripts()])
def test_console_examples_run(
    commands: list[str], demo_house: Path, models_dir: Path, tmp_path: Path
) -> None:
    shutil.copytree(demo_house, tmp_path / "house")
    settings = environment(
        tmp_path,
        SALON_HOUSE=str(tmp_path / "house"),
        SALON_MODELS=str(models_dir),
        SALON_MODELS_CHAT="none",
    )
    settings["PATH"] = f"{SALON.parent}:{settings['PATH']}"
    script = "set -e\n" + "\n".join(commands)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=settings,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
