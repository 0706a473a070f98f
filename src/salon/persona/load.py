"""Persona folders -> PersonaCard."""

from __future__ import annotations

import colorsys
import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from salon.errors import ConfigError, InputError
from salon.persona.document import Document, read_json, read_text, read_yaml
from salon.persona.names import persona_id
from salon.persona.schema import LONGEST_NICK, PERSONA, WORLDVIEW, Fault
from salon.types import (
    CutterConfig,
    CutterName,
    GroundingConfig,
    ModelsConfig,
    PersonaCard,
    RetrievalConfig,
    Worldview,
)

PERSONA_FILE = "persona.yaml"
PROMPT_FILE = "prompt.md"
WORLDVIEW_FILE = "worldview.json"
SOURCES_FOLDER = "sources"
DIGESTS_FOLDER = "digests"

_UNUSED_BLOCKS = ("dialogue", "memory", "introspection", "voice", "tools", "mcp")


def load_persona(folder: Path) -> PersonaCard:
    """Reads persona.yaml, prompt.md and worldview.json of `folder`, whose name is the id.

    Raises ConfigError with file, line and key.
    """
    identifier = _checked_id(folder)
    document = read_yaml(folder / PERSONA_FILE)
    document.check(PERSONA)
    values: dict[str, Any] = document.value
    name = values["name"].strip()
    worldview = load_worldview(folder / WORLDVIEW_FILE)
    return PersonaCard(
        id=identifier,
        name=name,
        nick=values.get("nick", default_nick(name)),
        language=values.get("language", "en"),
        colour=values.get("colour", default_colour(identifier)).lower(),
        prefix=values.get("prefix", default_prefix(identifier)),
        prompt=_prompt(folder),
        models=ModelsConfig(**values.get("models", {})),
        cutter=_cutter(document),
        retrieval=RetrievalConfig(**values.get("retrieval", {})),
        grounding=GroundingConfig(**values.get("grounding", {})),
        worldview=worldview,
        domain=values.get("domain", ""),
        portrait=_portrait(document, folder),
        embedder=values.get("embedder", "auto"),
        notices=tuple(_notices(folder, values)),
    )


def load_worldview(file: Path) -> Worldview | None:
    """The worldview, None when the persona has none; raises ConfigError with line and key."""
    if not file.exists():
        return None
    document = read_json(file)
    document.check(WORLDVIEW)
    values: dict[str, Any] = document.value
    return Worldview(
        display_name=values["display_name"],
        rhetorical_style=values.get("rhetorical_style", ""),
        core_principles=tuple(values.get("core_principles", ())),
        beliefs={
            topic: (belief["stance"], belief["view"])
            for topic, belief in values.get("beliefs", {}).items()
        },
    )


def default_nick(name: str) -> str:
    """The last word of the name."""
    return (name.split() or [name])[-1][:LONGEST_NICK]


def default_prefix(identifier: str) -> str:
    """The id's first four letters, or a hash where they are not ASCII: correlation ids are."""
    plain = identifier.replace("-", "")[:4]
    return plain if plain.isascii() else "p" + _digest(identifier).hex()[:3]


def default_colour(identifier: str) -> str:
    """A colour that is the persona's for ever: a hue from its id, dark enough for white text.

    The lightness is lowered until the contrast against white is 4.5 or more (WCAG 2.2, 1.4.3).
    """
    digest = _digest(identifier)
    hue = int.from_bytes(digest[:2], "big") / 65536
    saturation = 0.25 + digest[2] / 255 * 0.3
    lightness = 0.5
    while True:
        red, green, blue = colorsys.hls_to_rgb(hue, lightness, saturation)
        if 1.05 / (_luminance(red, green, blue) + 0.05) >= 4.5:
            return "#" + "".join(f"{round(part * 255):02x}" for part in (red, green, blue))
        lightness -= 0.01


def _luminance(*rgb: float) -> float:
    """Relative luminance of sRGB parts in 0..1 (WCAG 2.2)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _digest(identifier: str) -> bytes:
    return hashlib.sha256(identifier.encode()).digest()


def _checked_id(folder: Path) -> str:
    name = unicodedata.normalize("NFC", folder.name)
    try:
        wanted = persona_id(name)
    except InputError as error:
        raise ConfigError(error.problem, file=str(folder), expected=error.expected) from error
    if wanted != name:
        raise ConfigError(
            "the folder's name is not a persona id",
            file=str(folder),
            expected="lower case letters and digits of any script, with '-' between words",
            cure=f"rename the folder to '{wanted}'",
        )
    return wanted


def _prompt(folder: Path) -> str:
    file = folder / PROMPT_FILE
    return read_text(file).strip() if file.exists() else ""


def _cutter(document: Document) -> CutterConfig:
    from salon.corpus.sizes import default_cutter

    given = document.value.get("sources", {}).get("cutter", "prose")
    if isinstance(given, str):
        return default_cutter(cast("CutterName", given))
    standard = default_cutter(given["strategy"])
    config = CutterConfig(
        strategy=standard.strategy,
        target=given.get("target", standard.target),
        maximum=given.get("maximum", standard.maximum),
        overlap=given.get("overlap", standard.overlap),
        tokens=given.get("tokens", standard.tokens),
    )
    path = ("sources", "cutter")
    if config.strategy == "whole":
        if config != replace(standard, tokens=config.tokens):
            raise document.error(Fault(path, "'whole' never cuts, so sizes mean nothing"))
    elif not 0 < config.target <= config.maximum:
        problem = f"target {config.target} and maximum {config.maximum} do not fit"
        raise document.error(Fault(path, problem, "0 < target <= maximum"))
    elif config.overlap >= config.target:
        problem = f"overlap {config.overlap} is not below target {config.target}"
        raise document.error(Fault((*path, "overlap"), problem, "an overlap below the target"))
    return config


def _portrait(document: Document, folder: Path) -> str:
    name: str = document.value.get("portrait", "")
    if not name:
        return ""
    inside = (folder / name).resolve().is_relative_to(folder.resolve())
    if not inside or not (folder / name).is_file():
        problem = f"{name!r} is not a file of the persona's folder"
        raise document.error(Fault(("portrait",), problem, "an image file beside persona.yaml"))
    return name


def _notices(folder: Path, values: Mapping[str, Any]) -> list[str]:
    """What the folder asks for and this version does not do; nothing is passed over silently."""
    retrieval = values.get("retrieval", {})
    pattern = retrieval.get("pattern", "auto")
    found = [
        f"{block}: checked and kept; this version does not use it"
        for block in _UNUSED_BLOCKS
        if values.get(block)
    ]
    if pattern in ("survey", "agentic"):
        found.append(
            f"retrieval.pattern: this version has no {pattern} pattern; the direct one answers"
        )
    if any((folder / DIGESTS_FOLDER).glob("*.md")):
        found.append("digests/: kept; this version answers broad questions from the sources alone")
    if retrieval.get("hyde"):
        found.append("retrieval.hyde: this version searches with the question alone")
    return found
