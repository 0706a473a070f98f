"""Persona folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from salon.errors import ConfigError
from salon.persona.load import default_colour, default_prefix, load_persona
from salon.types import CutterConfig, RetrievalConfig

FULL = """\
name: Benjamin Franklin
nick: Franklin            # for @mentions
language: en
colour: "#8D6E63"
models: {chat: auto, small: auto, max_tokens: 700}
sources: {cutter: prose}
prefix: fran
domain: "thrift, electricity"
portrait: portrait.png
retrieval: {pattern: auto, passages: 6, digests: 3, primary: 3, hyde: false, headers: auto,
            when_down: refuse}
grounding: {quotes: report, below: 0.5, repair: false}
dialogue: {max_words: 60, talkativeness: 0.5}
memory: {update_every: 5, facts: 20, edge_types: []}
introspection: {strategy: monolithic}
voice: {speaker: David, instruct: "warm, unhurried", language: en}
tools: [rag_search]
mcp: []
"""


@pytest.fixture
def folder(tmp_path: Path):
    def make(text: str, name: str = "franklin", **files: str) -> Path:
        place = tmp_path / name
        place.mkdir(exist_ok=True)
        (place / "persona.yaml").write_text(text, encoding="utf-8")
        for file, content in files.items():
            (place / file.replace("_", ".")).write_text(content, encoding="utf-8")
        return place

    return make


def test_the_whole_shape_is_accepted(folder) -> None:
    card = load_persona(folder(FULL, portrait_png="x", prompt_md="Speak plainly.\n"))
    assert (card.id, card.name, card.nick, card.prefix) == (
        "franklin",
        "Benjamin Franklin",
        "Franklin",
        "fran",
    )
    assert card.colour == "#8d6e63"
    assert card.prompt == "Speak plainly."
    assert card.cutter == CutterConfig("prose", 750, 1000, 100)
    assert card.retrieval == RetrievalConfig()
    assert card.portrait == "portrait.png"


def test_blocks_that_are_not_used_are_noticed(folder) -> None:
    notices = load_persona(folder(FULL, portrait_png="x")).notices
    blocks = [notice.split(":")[0] for notice in notices]
    assert blocks == ["dialogue", "memory", "introspection", "voice", "tools"]


@pytest.mark.parametrize("pattern", ["survey", "agentic"])
def test_patterns_of_later_versions_are_accepted_and_noticed(folder, pattern: str) -> None:
    card = load_persona(folder(f"name: A\nretrieval: {{pattern: {pattern}}}\n"))
    assert card.retrieval.pattern == pattern
    assert any(pattern in notice for notice in card.notices)


def test_what_is_asked_for_and_not_done_is_noticed(folder) -> None:
    place = folder("name: A\nretrieval: {hyde: true}\ngrounding: {repair: true}\n")
    (place / "digests").mkdir()
    (place / "digests" / "essentials.md").write_text("# Essentials\n", encoding="utf-8")
    keys = [notice.split(":")[0] for notice in load_persona(place).notices]
    assert keys == ["digests/", "retrieval.hyde"]


def test_a_name_is_enough(folder) -> None:
    card = load_persona(folder("name: Marcus Aurelius\n", "marcus-aurelius"))
    assert (card.nick, card.language, card.prefix) == ("Aurelius", "en", "marc")
    assert card.notices == ()
    assert card.worldview is None


def test_cutter_with_numbers(folder) -> None:
    text = "name: A\nsources:\n  cutter: {strategy: fragments, target: 300, tokens: embedder}\n"
    assert load_persona(folder(text)).cutter == CutterConfig("fragments", 300, 800, 75, "embedder")


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("nick: B\n", 1, "", "'name' is missing"),
        ("", 1, "", "'name' is missing"),
        ("name: A\nlanguge: en\n", 2, "languge", "did you mean 'language'"),
        ("name: A\nretrieval:\n  passages: 3\n  pasages: 6\n", 4, "retrieval.pasages", "passages"),
        ("name: A\nretrieval: {patern: auto}\n", 2, "retrieval.patern", "did you mean 'pattern'"),
        ("name: A\nzzz: 1\n", 2, "zzz", "one of name, nick"),
        ("name: A\nretrieval: {pattern: directt}\n", 2, "retrieval.pattern", "mean 'direct'"),
        ("name: A\nretrieval: {passages: 0}\n", 2, "retrieval.passages", "at least 1"),
        ("name: A\nretrieval: {passages: six}\n", 2, "retrieval.passages", "a whole number"),
        ("name: A\nretrieval: {hyde: yes}\n", 2, "retrieval.hyde", "true or false"),
        ("name: A\ngrounding: {below: 2}\n", 2, "grounding.below", "at most 1"),
        ("name: A\ngrounding:\n", 2, "grounding", "a mapping"),
        ("name: A\ncolour: #8d6e63\n", 2, "colour", "needs quotes"),
        ("name: A\ncolour: red\n", 2, "colour", "hexadecimal"),
        ("name: 1984\n", 1, "name", "quotes"),
        ("name: ''\n", 1, "name", "empty"),
        ("name: A\nprefix: Fr\n", 2, "prefix", "correlation"),
        ("name: A\nsources: {cutter: poems}\n", 2, "sources.cutter", "prose"),
        ("name: A\nsources: {cutter: {target: 5}}\n", 2, "sources.cutter", "'strategy' is missing"),
        (
            "name: A\nsources:\n  cutter:\n    strategy: prose\n    overlap: 900\n",
            5,
            "sources.cutter.overlap",
            "below target",
        ),
        (
            "name: A\nsources: {cutter: {strategy: prose, target: 2000}}\n",
            2,
            "sources.cutter",
            "<= maximum",
        ),
        (
            "name: A\nsources: {cutter: {strategy: whole, target: 9}}\n",
            2,
            "sources.cutter",
            "never cuts",
        ),
        ("name: A\nportrait: ../x.png\n", 2, "portrait", "not a file"),
        ("name: A\nname: B\n", 2, "name", "twice"),
        ("name: A\nmodels:\n  chat: x\n  chat: y\n", 4, "models.chat", "twice"),
        ("name: A\nmcp: [{url: x}]\n", 2, "mcp.0", "'name' is missing"),
        ("- name\n", 1, "", "a mapping"),
        ("name: a: b\n", 1, "", "not YAML"),
        ("name: A\n\tnick: B\n", 2, "", "not YAML"),
        ("name: !!python/object:os.system A\n", 1, "", "tag"),
        ("name: A\nmodels: [1, 2\n", 3, "", "not YAML"),
        ("? [a]\n: b\n", 1, "", "a key must be a word"),
    ],
)
def test_errors_name_file_line_and_key(folder, text: str, line: int, key: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_persona(folder(text))
    assert (caught.value.line, caught.value.key) == (line, key), str(caught.value)
    assert words in str(caught.value)
    assert caught.value.file.endswith("persona.yaml")


def test_the_first_fault_of_the_file_is_reported(folder) -> None:
    with pytest.raises(ConfigError) as caught:
        load_persona(folder("name: A\nzzz: 1\ngrounding: {below: 7}\naaa: 2\n"))
    assert caught.value.line == 2


def test_plain_words_stay_words(folder) -> None:
    card = load_persona(folder("name: On\nlanguage: no\ndomain: 1776-07-04\nnick: Yes\n"))
    assert (card.name, card.language, card.domain, card.nick) == ("On", "no", "1776-07-04", "Yes")


def test_a_bomb_of_aliases_is_refused(folder) -> None:
    layers = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    for n in range(1, 10):
        layers.append(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]")
    with pytest.raises(ConfigError, match="aliases"):
        load_persona(folder("name: A\n" + "\n".join(layers)))


def test_an_alias_of_itself_is_refused(folder) -> None:
    with pytest.raises(ConfigError):
        load_persona(folder("name: A\ntools: &a [*a]\n"))


def test_deep_nesting_is_refused(folder) -> None:
    with pytest.raises(ConfigError, match="nest"):
        load_persona(folder("name: " + "[" * 100_000))


def test_a_huge_file_is_refused(folder) -> None:
    with pytest.raises(ConfigError, match="larger than"):
        load_persona(folder("name: A\n" + "# x\n" * 300_000))


def test_a_file_that_is_not_utf8_is_refused_with_its_line(folder) -> None:
    place = folder("")
    (place / "persona.yaml").write_bytes(b"name: A\nnick: caf\xe9\n")
    with pytest.raises(ConfigError, match="UTF-8") as caught:
        load_persona(place)
    assert caught.value.line == 2


def test_a_byte_order_mark_is_harmless(folder) -> None:
    assert load_persona(folder("\ufeffname: A\n")).name == "A"


def test_a_folder_without_persona_yaml(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="missing"):
        load_persona(tmp_path / "empty")


def test_the_folder_must_be_named_by_an_id(folder) -> None:
    with pytest.raises(ConfigError, match="rename the folder to 'big-name'"):
        load_persona(folder("name: A\n", "Big Name"))


WORLDVIEW = {
    "display_name": "Carl",
    "rhetorical_style": "poetic",
    "core_principles": ["Evidence first"],
    "beliefs": {"wealth": {"stance": "indifferent", "view": "Not material."}},
}


def test_worldview(folder) -> None:
    card = load_persona(folder("name: A\n", worldview_json=json.dumps(WORLDVIEW)))
    assert card.worldview is not None
    assert card.worldview.beliefs == {"wealth": ("indifferent", "Not material.")}
    assert card.worldview.core_principles == ("Evidence first",)


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ('{\n "display_name": "A",\n "belief": {}\n}', 3, "belief", "did you mean 'beliefs'"),
        ('{"rhetorical_style": "x"}', 1, "", "'display_name' is missing"),
        (
            '{\n"display_name": "A",\n"beliefs": {\n "war": {\n  "stance": "x"}}}',
            4,
            "beliefs.war",
            "'view' is missing",
        ),
        ('{\n"display_name": "A",\n"core_principles": "one"}', 3, "core_principles", "a list"),
        ('{\n"display_name": "A",\n}', 3, "", "not JSON"),
        ('{"display_name": "A", "display_name": "B"}', 0, "display_name", "twice"),
        ("[" * 100_000, 0, "", "nested"),
    ],
)
def test_worldview_errors(folder, text: str, line: int, key: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_persona(folder("name: A\n", worldview_json=text))
    assert (caught.value.line, caught.value.key) == (line, key), str(caught.value)
    assert words in str(caught.value)
    assert caught.value.file.endswith("worldview.json")


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz孔-", min_size=1, max_size=20))
def test_a_colour_is_stable_and_readable(identifier: str) -> None:
    colour = default_colour(identifier)
    assert colour == default_colour(identifier)
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert 1.05 / (luminance + 0.05) > 4.4


def test_prefixes_are_ascii() -> None:
    assert default_prefix("w-e-b") == "web"
    assert default_prefix("孔子").isascii()
    assert len(default_prefix("孔子")) == 4
