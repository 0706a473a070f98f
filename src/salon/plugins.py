"""Finds backends by the `salon.backends` entry point; nothing here knows any by name.

A backend that cannot be imported is left out of the kinds and kept in `broken` with its reason,
which every message about an unknown kind repeats.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, Literal, TypeVar

from salon.errors import ConfigError, NotFoundError
from salon.ports import ChatFactory, EmbedderFactory, Options, StoreFactory

GROUP = "salon.backends"

Port = Literal["chat", "embedder", "store"]
F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Summary:
    """One backend as `salon models` lists it. `package` is the distribution that brought it."""

    port: Port
    kind: str
    summary: str
    package: str


@dataclass(frozen=True, slots=True)
class _Entry(Generic[F]):
    factory: F
    package: str


class Plugins:
    """The Registry that backends register with, and the look-ups for those who want one."""

    def __init__(self) -> None:
        self._chats: dict[str, _Entry[ChatFactory]] = {}
        self._embedders: dict[str, _Entry[EmbedderFactory]] = {}
        self._stores: dict[str, _Entry[StoreFactory]] = {}
        self._summaries: list[Summary] = []
        self._options: dict[str, set[str] | None] = {}
        self._broken: dict[str, str] = {}
        self._package = ""

    @property
    def broken(self) -> Mapping[str, str]:
        """Entry points that could not be used, with the reason."""
        return self._broken

    def chat(self, kind: str, factory: ChatFactory, summary: str, options: Options = None) -> None:
        self._add(self._chats, "chat", kind, factory, summary)
        self._allow(kind, options)

    def embedder(
        self, kind: str, factory: EmbedderFactory, summary: str, options: Options = None
    ) -> None:
        self._add(self._embedders, "embedder", kind, factory, summary)
        self._allow(kind, options)

    def store(
        self, kind: str, factory: StoreFactory, summary: str, options: Options = None
    ) -> None:
        self._add(self._stores, "store", kind, factory, summary)
        self._allow(kind, options)

    def chat_factory(self, kind: str) -> ChatFactory:
        """Raises NotFoundError, which lists the kinds there are."""
        return self._find(self._chats, "chat model", kind)

    def embedder_factory(self, kind: str) -> EmbedderFactory:
        return self._find(self._embedders, "embedder", kind)

    def store_factory(self, kind: str) -> StoreFactory:
        return self._find(self._stores, "vector store", kind)

    def summaries(self) -> tuple[Summary, ...]:
        """All backends, by port and kind."""
        return tuple(sorted(self._summaries, key=lambda entry: (entry.port, entry.kind)))

    def check_options(self, given: Mapping[str, Mapping[str, str]]) -> None:
        """Refuse options that no backend reads: a slip of the pen would go unnoticed.

        `given` maps a kind to its options. Raises ConfigError with what was meant, perhaps.
        """
        for kind, options in given.items():
            if kind not in self._options:
                if not self._broken:  # else the kind may be one of those
                    raise _unknown(f"backends.{kind}", "kind of backend", kind, self._options)
                continue
            allowed = self._options[kind]
            for option in options if allowed is not None else ():
                if allowed is not None and option not in allowed:
                    key = f"backends.{kind}.{option}"
                    raise _unknown(key, f"option of '{kind}'", option, allowed)

    def load(self, points: Iterable[EntryPoint]) -> None:
        """Imports each entry point's module and hands it this registry."""
        for point in points:
            package = point.dist.name if point.dist else ""
            label = f"{point.name} ({package})" if package else point.name
            self._package = package
            try:
                register = point.load().register
            except (ImportError, AttributeError, SyntaxError) as problem:
                self._broken[label] = f"{type(problem).__name__}: {problem}"
            else:
                register(self)
        self._package = ""

    def _add(
        self, table: dict[str, _Entry[F]], port: Port, kind: str, factory: F, summary: str
    ) -> None:
        if kind in table:
            raise ConfigError(
                f"two backends offer the {port} kind '{kind}': "
                f"{table[kind].package or 'one'} and {self._package or 'another'}",
                expected="one backend for each kind",
                cure="uninstall one of the two packages",
            )
        table[kind] = _Entry(factory, self._package)
        self._summaries.append(Summary(port, kind, summary, self._package))

    def _allow(self, kind: str, options: Options) -> None:
        """A kind's options are those of all its ports; unchecked when one does not say."""
        known = self._options.setdefault(kind, set())
        self._options[kind] = None if known is None or options is None else known | {*options}

    def _find(self, table: Mapping[str, _Entry[F]], what: str, kind: str) -> F:
        if kind in table:
            return table[kind].factory
        known = tuple(sorted(table))
        near = difflib.get_close_matches(kind, known, n=1)
        broken = "".join(
            f"; the backend {label} could not be loaded ({reason})"
            for label, reason in self._broken.items()
        )
        raise NotFoundError(
            f"there is no {what} of the kind '{kind}'{broken}",
            known=known,
            expected=f"one of {', '.join(known)}" if known else "an installed backend",
            cure=f"did you mean '{near[0]}'?" if near else "run `salon models` for the list",
        )


def _unknown(key: str, what: str, name: str, known: Iterable[str]) -> ConfigError:
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    return ConfigError(
        f"there is no {what} '{name}'" if what.startswith("kind") else f"not an {what}",
        key=key,
        expected=f"one of {', '.join(names)}" if names else "no options",
        cure=f"did you mean '{near[0]}'?" if near else "",
    )


def split_spec(spec: str) -> tuple[str, str]:
    """ "kind:model" as (kind, model); the model may have colons, and is "" when none is named."""
    kind, _, model = spec.partition(":")
    return kind.strip(), model.strip()


def load_plugins() -> Plugins:
    """Every backend that is installed, ours among them."""
    plugins = Plugins()
    plugins.load(sorted(entry_points(group=GROUP), key=lambda point: point.name))
    return plugins
