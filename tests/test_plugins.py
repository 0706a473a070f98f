from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from salon.errors import ConfigError, NotFoundError
from salon.plugins import GROUP, Plugins, load_plugins, split_spec
from salon.ports import BackendContext
from salon.testing.fakes import HashEmbedder, ScriptedChat

GOOD = """
from salon.testing.fakes import HashEmbedder, ScriptedChat

def register(registry):
    registry.chat("parrot", lambda model, context: ScriptedChat([model]), "says the model's name")
    registry.embedder("hash", lambda model, context: HashEmbedder(), "bags of words")
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose modules can be imported, as an installed package's can."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("backend_"):
            del sys.modules[name]


def _loaded(folder: Path, **sources: str) -> Plugins:
    plugins = Plugins()
    for name, source in sources.items():
        (folder / f"backend_{name}.py").write_text(source)
    plugins.load(EntryPoint(name, f"backend_{name}", GROUP) for name in sources)
    return plugins


def test_stranger_registers_and_is_found(modules: Path) -> None:
    plugins = _loaded(modules, good=GOOD)
    context = BackendContext(modules, {})
    assert isinstance(plugins.chat_factory("parrot")("polly", context), ScriptedChat)
    assert isinstance(plugins.embedder_factory("hash")("", context), HashEmbedder)
    assert [(s.port, s.kind, s.summary) for s in plugins.summaries()] == [
        ("chat", "parrot", "says the model's name"),
        ("embedder", "hash", "bags of words"),
    ]


def test_unknown_kind_lists_the_known_and_the_nearest(modules: Path) -> None:
    with pytest.raises(NotFoundError, match=r"did you mean 'parrot'\?") as caught:
        _loaded(modules, good=GOOD).chat_factory("parot")
    assert caught.value.known == ("parrot",)


def test_kinds_of_one_port_are_not_those_of_another(modules: Path) -> None:
    plugins = _loaded(modules, good=GOOD)
    with pytest.raises(NotFoundError, match="embedder of the kind 'parrot'"):
        plugins.embedder_factory("parrot")
    with pytest.raises(NotFoundError, match="vector store of the kind 'parrot'"):
        plugins.store_factory("parrot")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import a_library_that_nobody_has", "a_library_that_nobody_has"),
        ("def register(registry:", "SyntaxError"),
        ("x = 1", "register"),
    ],
)
def test_broken_backend_is_named_and_the_others_work(
    source: str, reason: str, modules: Path
) -> None:
    plugins = _loaded(modules, bad=source, good=GOOD)
    assert plugins.chat_factory("parrot")
    assert reason in plugins.broken["bad"]
    with pytest.raises(NotFoundError, match="the backend bad could not be loaded"):
        plugins.chat_factory("other")


def test_two_backends_of_one_kind_are_an_error(modules: Path) -> None:
    with pytest.raises(ConfigError, match="two backends offer the chat kind 'parrot'"):
        _loaded(modules, first=GOOD, second=GOOD)


def test_ours_are_installed_as_strangers_are() -> None:
    plugins = load_plugins()
    kinds = {(s.port, s.kind) for s in plugins.summaries() if s.package == "salon"}
    assert {("chat", "local"), ("chat", "anthropic"), ("chat", "claude-cli")} <= kinds
    assert {("embedder", "minilm"), ("embedder", "http"), ("store", "qdrant-edge")} <= kinds
    assert not plugins.broken


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("local", ("local", "")),
        ("ollama:llama3.2:1b", ("ollama", "llama3.2:1b")),
        ("local:/models/a b.gguf", ("local", "/models/a b.gguf")),
    ],
)
def test_spec_splits_at_its_first_colon(spec: str, parts: tuple[str, str]) -> None:
    assert split_spec(spec) == parts


def test_option_that_no_backend_reads_is_refused_with_what_was_meant(modules: Path) -> None:
    source = GOOD.replace('name")', 'name", ("url", "timeout"))').replace('words")', 'words", ())')
    plugins = _loaded(modules, good=source)
    plugins.check_options({"parrot": {"url": "x", "timeout": "3"}, "hash": {}})
    with pytest.raises(ConfigError, match="did you mean 'timeout'") as caught:
        plugins.check_options({"parrot": {"timout": "3"}})
    assert caught.value.key == "backends.parrot.timout"
    with pytest.raises(ConfigError, match="did you mean 'parrot'"):
        plugins.check_options({"parot": {"url": "x"}})


def test_options_of_a_backend_that_declares_none_are_its_own(modules: Path) -> None:
    _loaded(modules, good=GOOD).check_options({"parrot": {"feather": "green"}})


def test_kind_of_a_backend_that_could_not_be_loaded_keeps_its_options(modules: Path) -> None:
    plugins = _loaded(modules, good=GOOD, bad="import nothing_of_this_name")
    plugins.check_options({"vendor": {"url": "x"}})


@pytest.mark.parametrize("kind", ["openai", "http", "ollama", "local", "claude-cli", "minilm"])
def test_own_backends_declare_their_options(kind: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_plugins().check_options({kind: {"no_such_option": "1"}})
    assert caught.value.expected
