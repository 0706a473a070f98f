"""Words to personas: a house's routes.yaml, and which of its routes a text takes."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from salon.errors import ConfigError
from salon.persona.document import Document, read_yaml
from salon.persona.schema import Schema
from salon.room.names import fold
from salon.types import Route, Routes

FILE_NAME = "routes.yaml"

_WORD = re.compile(r"\w+")
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")

_TEXTS: Schema = {"type": "array", "items": {"type": "string", "minLength": 1}}

ROUTES: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "routes.schema.json",
    "title": "routes.yaml",
    "description": "Who takes which topic, and who takes the rest.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "orchestrator": {
            "type": "string",
            "description": "The id of the persona that takes what no route fits.",
        },
        "routes": {
            "type": "array",
            "description": "The first that fits wins.",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["topic", "words", "personas"],
                "properties": {
                    "topic": {"type": "string", "minLength": 1, "description": "Its name."},
                    "words": {**_TEXTS, "description": "Whole words or phrases, any language."},
                    "personas": {**_TEXTS, "description": "Ids, the first answers first."},
                },
            },
        },
        "relations": {
            "type": "object",
            "additionalProperties": _TEXTS,
            "description": "Id to the ids of those whom it likes to hand over to.",
        },
    },
}


def load_routes(file: Path) -> Routes:
    """The routes of the file; none when it does not exist. Raises ConfigError with line and key."""
    if not file.exists():
        return Routes()
    document: Document = read_yaml(file)
    if document.value is None:
        return Routes()
    document.check(ROUTES)
    values = document.value
    return Routes(
        orchestrator=values.get("orchestrator", ""),
        routes=tuple(
            Route(row["topic"], tuple(row["words"]), tuple(row["personas"]))
            for row in values.get("routes", ())
        ),
        relations={name: tuple(ids) for name, ids in values.get("relations", {}).items()},
    )


class RouteTable:
    """Routes made ready: what a text costs depends on its words, not on the number of personas."""

    def __init__(self, routes: Routes) -> None:
        self.routes = routes
        self._phrases: dict[str, list[tuple[tuple[str, ...], int]]] = {}
        self._within: list[tuple[str, int]] = []
        for number, route in enumerate(routes.routes):
            for text in route.words:
                words = tuple(_WORD.findall(fold(text)))
                if _SPACELESS.search(text):
                    self._within.append((fold(text), number))
                elif words:
                    self._phrases.setdefault(words[0], []).append((words, number))

    def topics(self, text: str) -> list[int]:
        """The numbers of the routes that have a word in the text, in the table's order."""
        folded = fold(text)
        words = _WORD.findall(folded)
        found = {number for piece, number in self._within if piece in folded}
        for place, word in enumerate(words):
            for start in _singulars(word):
                for phrase, number in self._phrases.get(start, ()):
                    if _same(phrase, words[place : place + len(phrase)]):
                        found.add(number)
        return sorted(found)

    def match(self, text: str, present: Collection[str]) -> tuple[str, ...]:
        """Those of `present` that the first fitting route names; a route with none is passed over.

        Empty when no route fits.
        """
        for number in self.topics(text):
            named = self.routes.routes[number].personas
            if takers := tuple(identifier for identifier in named if identifier in present):
                return takers
        return ()

    def topic_of(self, text: str) -> str:
        """The name of the first route that fits, or ""."""
        numbers = self.topics(text)
        return self.routes.routes[numbers[0]].topic if numbers else ""


def _singulars(word: str) -> tuple[str, ...]:
    return (word, word[:-1]) if len(word) > 2 and word[-1] in "sx" else (word,)


def _same(phrase: tuple[str, ...], words: Sequence[str]) -> bool:
    return len(phrase) == len(words) and all(
        wanted in _singulars(word) for wanted, word in zip(phrase, words, strict=True)
    )


def check_routes(routes: Routes, known: Collection[str], file: Path) -> None:
    """Raises ConfigError for a persona that the house does not have."""
    named = {routes.orchestrator} | {name for route in routes.routes for name in route.personas}
    named |= set(routes.relations) | {n for names in routes.relations.values() for n in names}
    if missing := sorted(named - set(known) - {""}):
        raise ConfigError(
            f"no persona {', '.join(missing)}",
            file=str(file),
            expected="ids of personas of this house",
            cure="correct the id, or remove it",
        )
