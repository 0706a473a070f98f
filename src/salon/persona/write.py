"""The texts of a new persona's files, with a comment at each guess."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from salon.types import GroundingConfig, ModelsConfig, RetrievalConfig, Source


@dataclass(frozen=True, slots=True)
class Guess:
    """What was chosen for `key` of persona.yaml, and why."""

    key: str
    value: str
    reason: str


_CUTTER_NOTES = """\
# How the sources are cut into passages:
#   prose      books, essays, letters: at sentences, about 750 tokens
#   fragments  notebooks and maxims: each fragment stays in one piece, about 600 tokens
#   whole      poems, short letters: a document is one passage, never cut
#   topics     transcripts: at shifts of scene, place and time
#   genres     a mixture: books, lessons and verse each by own rules
# With numbers: cutter: {strategy: prose, target: 750, maximum: 1000, overlap: 100}"""


def persona_text(identifier: str, guesses: Sequence[Guess]) -> str:
    """persona.yaml: what was guessed, why, and what else there is."""
    guess = {g.key: g for g in guesses}

    def line(key: str) -> str:
        found = guess[key]
        entry = f"{key}: {json.dumps(found.value, ensure_ascii=False)}"
        return f"{entry:<40} # {_one_line(found.reason)}"

    models, retrieval, grounding = ModelsConfig(), RetrievalConfig(), GroundingConfig()
    cutter, pattern = guess["cutter"], guess["pattern"]
    return f"""\
# The persona '{identifier}'. Change what you like: a running Salon reads the file again.
# After a change of sources or cutter: salon index {identifier}

{line("name")}
{line("nick")}
{line("language")}
{line("colour")}
{line("prefix")}
# domain: "what the person may be asked about"
# portrait: portrait.png                 # an image file in this folder

{_CUTTER_NOTES}
sources:
  cutter: {cutter.value:<30} # {_one_line(cutter.reason)}

# Which models write. auto: what the house has (salon.toml), else the sources' own words.
# Named: local, anthropic:NAME, openai:NAME, ollama:NAME, claude-cli:NAME, or none.
models: {{chat: {models.chat}, small: {models.small}, max_tokens: {models.max_tokens}}}

retrieval:
  pattern: {pattern.value:<29} # {_one_line(pattern.reason)}
  passages: {retrieval.passages:<28} # given to the model for a question
  when_down: {retrieval.when_down:<27} # if search cannot run: refuse, or answer with a warning

grounding:
  quotes: {grounding.quotes:<30} # invented quotations: report, or strict (no quotation marks)
  below: {grounding.below:<31} # answers that score less are flagged
"""


def prompt_text(name: str) -> str:
    """prompt.md: a plain voice to start from."""
    return f"""\
You are {name}. Speak in the first person, in the voice of your own writings: their words, their \
rhythm, their plainness or their ornament.

Answer from the passages you are given and from nothing else. Where they do not cover a question, \
say so in your own manner rather than guess.

You know nothing of what happened after your writings.
"""


def sources_text(sources: Sequence[Source], refused: Sequence[tuple[str, str]]) -> str:
    """sources.yaml: where each file comes from, as far as the file itself tells."""
    import yaml

    files: dict[str, dict[str, Any]] = {}
    for source in sources:
        name, record, _ = source.info.name.partition("#")
        if name not in files:
            files[name] = _provenance(source)
        if record:
            files[name]["records"] = files[name].get("records", 0) + 1
    document = {"sources": files, "left_out": dict(refused)}
    head = (
        "# Where each source comes from, as far as the file itself tells. Correct what is wrong:\n"
        "# title, author, date, language, licence and origin are read from here at `salon index`.\n"
    )
    return head + yaml.safe_dump(document, allow_unicode=True, sort_keys=False, width=100)


def _provenance(source: Source) -> dict[str, Any]:
    info = source.info
    known: dict[str, Any] = {
        "title": info.title,
        "author": info.author,
        "date": info.date,
        "language": info.language,
        "licence": info.licence,
        "origin": info.origin,
        "kind": info.kind,
        "encoding": info.encoding,
        "sha256": info.sha256,
        "characters": info.characters,
    }
    if source.notes:
        known["notes"] = list(source.notes)
    return known


def _one_line(text: str) -> str:
    return " ".join(text.split())
