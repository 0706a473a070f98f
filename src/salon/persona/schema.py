"""The JSON schemas of persona.yaml and worldview.json, and how a document fares against them.

`docs/schema/*.json` are these, printed by `python -m salon.persona.schema FOLDER`.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from salon.types import CutterName, GroundingConfig, ModelsConfig, RetrievalConfig

Schema = dict[str, Any]

LANGUAGE = r"^[a-zA-Z]{2,3}(-[A-Za-z0-9]{2,8})*$"
LONGEST_NAME = 200
LONGEST_NICK = 64

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _text(description: str, **rules: Any) -> Schema:
    return {"type": "string", "minLength": 1, **rules, "description": description}


def _number(description: str, least: float, most: float, default: float, **rules: Any) -> Schema:
    return {
        "type": "integer" if isinstance(default, int) else "number",
        "minimum": least,
        "maximum": most,
        "default": default,
        **rules,
        "description": description,
    }


def _choice(description: str, values: Sequence[str], default: str) -> Schema:
    return {"enum": list(values), "default": default, "description": description}


def _switch(description: str, default: bool) -> Schema:
    return {"type": "boolean", "default": default, "description": description}


def _texts(description: str, **items: Any) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string", "minLength": 1, **items},
        "description": description,
    }


def _group(description: str, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "description": description,
    }


def _model(description: str) -> Schema:
    return _text(description, pattern=r"^[a-z][a-z0-9-]*(:\S.*)?$", default="auto")


_TOKENS = ("cl100k", "embedder")

_CUTTERS = get_args(CutterName)

_CUTTER: Schema = {
    "type": ["string", "object"],
    "if": {"type": "string"},
    "then": {"enum": list(_CUTTERS)},
    "else": {
        **_group(
            "A way of cutting with its numbers, in tokens.",
            strategy=_choice("Which rules cut.", _CUTTERS, "prose"),
            target={"type": "integer", "minimum": 0, "description": "Size aimed at; 0 never cuts."},
            maximum={"type": "integer", "minimum": 0, "description": "Size never exceeded."},
            overlap={"type": "integer", "minimum": 0, "description": "Repeated at a boundary."},
            tokens=_choice("Whose tokens the numbers count.", _TOKENS, "cl100k"),
        ),
        "required": ["strategy"],
    },
    "default": "prose",
    "description": "How the sources are cut into passages: a name, or a mapping with numbers.",
}

_MODELS = _group(
    "Which models write; kind:model, or auto for what the house has, else the sources' own words.",
    chat=_model("The model that writes answers."),
    small=_model("The model for small steps."),
    max_tokens=_number("Longest answer, in tokens.", 16, 32_000, ModelsConfig().max_tokens),
)

_RETRIEVAL = _group(
    "How passages are found for a question.",
    pattern=_choice(
        "How a question is answered.",
        ("auto", "direct", "survey", "agentic", "verbatim"),
        RetrievalConfig().pattern,
    ),
    passages=_number("Passages given to the model.", 1, 50, RetrievalConfig().passages),
    digests=_number("Digests in a survey.", 0, 20, RetrievalConfig().digests),
    primary=_number("Passages in a survey.", 1, 50, RetrievalConfig().primary),
    hyde=_switch("Search with a hypothetical answer too.", RetrievalConfig().hyde),
    headers=_choice(
        "Whether passages are searched with a situating header.",
        ("auto", "on", "off"),
        RetrievalConfig().headers,
    ),
    when_down=_choice(
        "When search cannot run: refuse, or answer with a warning.",
        ("refuse", "answer"),
        RetrievalConfig().when_down,
    ),
)

_GROUNDING = _group(
    "How answers are checked.",
    quotes=_choice(
        "Quotations that no source has: reported, or (strict) their marks are taken away.",
        ("report", "strict"),
        GroundingConfig().quotes,
    ),
    below=_number("Answers below this score are flagged.", 0.0, 1.0, GroundingConfig().below),
    score=_choice(
        "How the score is made: trained on labelled answers, or by fixed penalties (seed).",
        ("trained", "seed"),
        GroundingConfig().score,
    ),
    repair=_switch("Ask the model once more for a flagged answer.", GroundingConfig().repair),
)

_INTROSPECTION = _group(
    "How memory is digested: one prompt, a chain of prompts or an assembly.",
    strategy=_choice("The strategy.", ("monolithic", "chain", "assembly"), "monolithic"),
    chain=_texts("Prompts of the chain, in order: files of the persona's folder."),
    assembly=_text("The assembly's name, as council."),
    prompts={
        "type": "object",
        "additionalProperties": {"type": "string", "minLength": 1},
        "description": "The persona's own prompt for a stage: stage to file.",
    },
)

_MCP_SERVER: Schema = {
    "type": ["string", "object"],
    "if": {"type": "string"},
    "then": {"minLength": 1},
    "else": {
        **_group(
            "A tool server: a command with arguments, or an address.",
            name=_text("What the persona calls it."),
            command=_text("The program that serves."),
            args={"type": "array", "items": {"type": "string"}, "description": "Its arguments."},
            url=_text("The server's address."),
        ),
        "required": ["name"],
    },
}

PERSONA: Schema = {
    "$schema": _DIALECT,
    "$id": "persona.schema.json",
    "title": "persona.yaml",
    "description": "Who answers, and how. Everything but the name may be left out.",
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": _text("The person's full name.", maxLength=LONGEST_NAME),
        "nick": _text(
            "Short name, for mentions; default: the name's last word.", maxLength=LONGEST_NICK
        ),
        "language": _text(
            "The language of the answers, as en or pt-BR.",
            pattern=LANGUAGE,
            default="en",
        ),
        "colour": _text(
            "For display, '#' and six hexadecimal digits.", pattern="^#[0-9a-fA-F]{6}$"
        ),
        "prefix": _text(
            "Begins every correlation id; default: the id's first four letters.",
            pattern="^[a-z0-9]{1,16}$",
        ),
        "domain": {"type": "string", "description": "What the person may be asked about."},
        "portrait": _text("An image file in the persona's folder."),
        "embedder": _model("The embedding model; auto: the house's."),
        "models": _MODELS,
        "sources": _group("What the persona answers from.", cutter=_CUTTER),
        "retrieval": _RETRIEVAL,
        "grounding": _GROUNDING,
        "dialogue": _group(
            "How it speaks with others.",
            max_words=_number("Longest turn, in words.", 5, 2_000, 60),
            talkativeness=_number("How readily it speaks up.", 0.0, 1.0, 0.5),
        ),
        "memory": _group(
            "What it remembers of conversations.",
            update_every=_number("Turns between two updates.", 1, 1_000, 5),
            facts=_number("Facts recalled for a turn.", 0, 1_000, 20),
            edge_types=_texts("The persona's own relations between facts."),
        ),
        "introspection": _INTROSPECTION,
        "voice": _group(
            "How it sounds.",
            speaker=_text("The voice's name."),
            instruct={"type": "string", "description": "How the voice should speak."},
            language=_text("The language it speaks."),
        ),
        "tools": _texts("Tools that the persona may use, as rag_search."),
        "mcp": {"type": "array", "items": _MCP_SERVER, "description": "Tool servers."},
    },
}

WORLDVIEW: Schema = {
    "$schema": _DIALECT,
    "$id": "worldview.schema.json",
    "title": "worldview.json",
    "description": "A person's views, read out of the sources and written down by a person.",
    "type": "object",
    "required": ["display_name"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "display_name": _text("The person's name as shown."),
        "rhetorical_style": {"type": "string", "description": "How the person argues and sounds."},
        "core_principles": _texts("What the person holds above all."),
        "beliefs": {
            "type": "object",
            "propertyNames": {"minLength": 1},
            "additionalProperties": {
                **_group(
                    "A belief.",
                    stance=_text("An adjective, as skeptical or reverent."),
                    view=_text("The view in the person's own frame."),
                ),
                "required": ["stance", "view"],
            },
            "description": "Topic to belief.",
        },
    },
}

PUBLISHED = {"persona.schema.json": PERSONA, "worldview.schema.json": WORLDVIEW}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at `path` (keys and indexes from the top)."""

    path: tuple[str | int, ...]
    problem: str
    expected: str = ""
    cure: str = ""


def faults(document: Any, schema: Schema) -> list[Fault]:
    """Everything in `document` that breaks `schema`, in no order."""
    from jsonschema import Draft202012Validator

    found: list[Fault] = []
    for error in Draft202012Validator(schema).iter_errors(document):
        found.extend(_faults_of(error))
    return found


def _faults_of(error: Any) -> list[Fault]:
    path: tuple[str | int, ...] = tuple(error.absolute_path)
    rule, wanted, value = error.validator, error.validator_value, error.instance
    if rule == "additionalProperties":
        return [
            _unknown_key(path, key, tuple(error.schema["properties"]))
            for key in value
            if key not in error.schema.get("properties", {})
        ]
    if rule == "required":
        missing = next(key for key in wanted if key not in value)
        return [Fault(path, f"'{missing}' is missing", cure=f"add the key '{missing}'")]
    if rule == "enum":
        near = difflib.get_close_matches(str(value), [str(v) for v in wanted], 1, 0.6)
        cure = f"did you mean '{near[0]}'?" if near else ""
        return [Fault(path, f"{value!r} is not a choice", f"one of {', '.join(wanted)}", cure)]
    return [Fault(path, *_value_problem(rule, wanted, value, error.schema))]


def _unknown_key(path: tuple[str | int, ...], key: Any, known: tuple[str, ...]) -> Fault:
    near = difflib.get_close_matches(str(key), known, 1, 0.6)
    expected = "" if near else f"one of {', '.join(known)}"
    return Fault(
        (*path, key), "unknown key", expected, f"did you mean '{near[0]}'?" if near else ""
    )


_TYPE_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}


def _value_problem(rule: str, wanted: Any, value: Any, schema: Schema) -> tuple[str, str, str]:
    """Problem, expectation and cure for a single value."""
    about = str(schema.get("description", ""))
    if rule == "type":
        names = [wanted] if isinstance(wanted, str) else wanted
        cure = (
            "put it in quotes" if "string" in names and not isinstance(value, dict | list) else ""
        )
        if value is None:
            cure = "give a value or remove the key; a text that begins with '#' needs quotes"
        shown = "nothing" if value is None else json.dumps(value, ensure_ascii=False)[:60]
        return f"{shown} does not fit", " or ".join(_TYPE_NAMES[name] for name in names), cure
    if rule in ("minimum", "maximum"):
        bounds = (f"at least {schema['minimum']:g}" if "minimum" in schema else "") + (
            f" and at most {schema['maximum']:g}" if "maximum" in schema else ""
        )
        return f"{value} does not fit", bounds, ""
    if rule == "minLength":
        return "empty", about, "give a text or remove the key"
    if rule == "maxLength":
        return f"{len(value)} characters are too many", f"at most {wanted}", ""
    return f"{str(value)[:60]!r} does not fit", about, ""


def main(arguments: Sequence[str]) -> None:
    """Writes the schemas into the folder that the first argument names."""
    for name, schema in PUBLISHED.items():
        text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        Path(arguments[0], name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
