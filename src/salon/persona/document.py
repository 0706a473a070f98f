"""Reads YAML and JSON files that people write, remembering the line of every key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from salon.errors import ConfigError
from salon.persona.schema import Fault, Schema, faults

Path_ = tuple[str | int, ...]

_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a file may hold: bytes, and values after aliases are followed."""

    bytes: int = 1_000_000
    values: int = 20_000


_LIMITS = Limits()


@dataclass(frozen=True)
class Document:
    """`lines` maps a path of keys and indexes to its 1-based line."""

    file: Path
    value: Any
    lines: dict[Path_, int]

    def error(self, fault: Fault) -> ConfigError:
        path = fault.path
        while path and path not in self.lines:
            path = path[:-1]
        return ConfigError(
            fault.problem,
            file=str(self.file),
            line=self.lines.get(path, 0),
            key=".".join(str(part) for part in fault.path),
            expected=fault.expected,
            cure=fault.cure,
        )

    def check(self, schema: Schema) -> None:
        """Raises ConfigError for the first fault of the file, in the order of its lines."""
        found = sorted(
            (self.error(fault) for fault in faults(self.value, schema)),
            key=lambda error: (error.line, error.key),
        )
        if found:
            raise found[0]


def read_yaml(file: Path, limits: Limits = _LIMITS) -> Document:
    """Raises ConfigError for what is not YAML, for a key that stands twice, and for YAML bombs.

    Plain words are read as YAML 1.2 does: `no` is a word, a date is a text.
    """
    text = read_text(file, limits)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is 10 times as fast
    try:
        depth = 0
        for event in yaml.parse(text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise _fault(file, event, f"nested deeper than {_DEEPEST} levels")
        node = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ConfigError(
            f"not YAML: {error.problem or error.context}",
            file=str(file),
            line=mark.line + 1 if mark else 0,
            cure="correct that line; texts with ':' or '#' need quotes",
        ) from error
    except yaml.YAMLError as error:
        raise ConfigError(f"not YAML: {error}", file=str(file)) from error
    walk = _Walk(file, limits)
    return Document(file, {} if node is None else walk.value(node, ()), walk.lines)


def read_json(file: Path) -> Document:
    """Raises ConfigError for what is not JSON and for a key that stands twice."""
    text = read_text(file)

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) < len(items):
            keys = [key for key, _ in items]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ConfigError(
                "stands twice", file=str(file), key=twice, cure="remove one of the two"
            )
        return result

    try:
        value = json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"not JSON: {error.msg}", file=str(file), line=error.lineno, cure="correct that line"
        ) from error
    except RecursionError as error:
        raise ConfigError("nested too deep", file=str(file)) from error
    return Document(file, value, {(): 1, **dict(_json_lines(text, value))})


def read_text(file: Path, limits: Limits = _LIMITS) -> str:
    """The text of a small UTF-8 file; raises ConfigError when it is not that."""
    try:
        with file.open("rb") as stream:
            data = stream.read(limits.bytes + 1)
    except FileNotFoundError as error:
        raise ConfigError(
            "the file is missing", file=str(file), cure="put it back, or take its folder away"
        ) from error
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}",
            file=str(file),
            expected="a file that this user may read",
            cure="change its permissions",
        ) from error
    if len(data) > limits.bytes:
        raise ConfigError(f"larger than {limits.bytes:,} bytes", file=str(file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            "not UTF-8", file=str(file), line=line, cure="save the file as UTF-8"
        ) from error


def _fault(file: Path, node: Any, problem: str, key: str = "", cure: str = "") -> ConfigError:
    line = node.start_mark.line + 1
    return ConfigError(problem, file=str(file), line=line, key=key, cure=cure)


_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_TAG = "tag:yaml.org,2002:"


class _Walk:
    """Builds values from nodes; counts them, since an alias may repeat a node without end."""

    def __init__(self, file: Path, limits: Limits) -> None:
        self.file = file
        self._limits = limits
        self.lines: dict[Path_, int] = {(): 1}
        self._nodes = 0

    def value(self, node: yaml.Node, path: Path_) -> Any:
        self._nodes += 1
        if self._nodes > self._limits.values or len(path) > _DEEPEST:
            raise _fault(self.file, node, "too many values: aliases repeat each other")
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, path: Path_) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise _fault(self.file, key_node, "a key must be a word")
            key = str(key_node.value)
            if key in result:
                cure = "remove one of the two"
                raise _fault(self.file, key_node, "stands twice", _dotted((*path, key)), cure)
            self.lines[(*path, key)] = key_node.start_mark.line + 1
            result[key] = self.value(value_node, (*path, key))
        return result

    def _scalar(self, node: yaml.Node) -> Any:
        text = str(node.value)
        kind = node.tag.removeprefix(_TAG)
        if kind == "str" or getattr(node, "style", None):
            return text
        if kind in ("null", "bool", "int", "float", "timestamp", "value"):
            return yaml_scalar(text)
        raise _fault(self.file, node, f"the tag {node.tag} is not allowed", cure="remove it")


def yaml_scalar(text: str) -> Any:
    """A plain word as YAML 1.2 reads it: nothing, true or false, a number, else a text."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _INTEGER.fullmatch(text) and len(text) < 20:
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _dotted(path: Path_) -> str:
    return ".".join(str(part) for part in path)


def _json_lines(text: str, value: Any) -> Iterator[tuple[Path_, int]]:
    """Lines of the keys of JSON text: each key is looked for after the one before it."""
    position = 0

    def visit(part: Any, path: Path_) -> Iterator[tuple[Path_, int]]:
        nonlocal position
        if isinstance(part, dict):
            for key, inner in part.items():
                forms = {re.escape(json.dumps(key, ensure_ascii=flag)) for flag in (True, False)}
                if match := re.compile(f"(?:{'|'.join(forms)})\\s*:").search(text, position):
                    position = match.end()
                    yield (*path, key), text.count("\n", 0, match.start()) + 1
                yield from visit(inner, (*path, key))
        elif isinstance(part, list):
            for index, inner in enumerate(part):
                yield from visit(inner, (*path, index))

    return visit(value, ())
