"""The house, whole: personas made, indexed, asked."""

from __future__ import annotations

import asyncio
import os
import re
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

from salon.errors import (
    ConfigError,
    IndexBusyError,
    IndexMismatchError,
    IndexMissingError,
    IndexStoppedError,
    InputError,
    ModelUnavailable,
    NotFoundError,
    RetrievalUnavailable,
)
from salon.house import House
from salon.model_files import present
from salon.settings import ModelsSettings, Settings
from salon.testing.fakes import HashEmbedder, ScriptedChat
from salon.types import Answer, Answered, Found, Token, Turn
from tests.keeper import keeper_files, keeper_house, rewrite


class BrokenEmbedder(HashEmbedder):
    """An embedder whose server went away."""

    working = True

    def embed(self, texts, kind="passage"):
        if not self.working:
            raise ModelUnavailable("the embedding server does not answer")
        return super().embed(texts, kind)


@pytest.fixture
def embedder() -> BrokenEmbedder:
    return BrokenEmbedder()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return keeper_files(tmp_path)


@pytest.fixture
def house(tmp_path: Path, files: Path, embedder: BrokenEmbedder):
    """A house with the keeper `maren`, not indexed yet."""
    with keeper_house(tmp_path, files, embedder) as opened:
        yield opened


def scripted(house: House, *replies) -> ScriptedChat:
    chat = ScriptedChat(replies)
    house.backends.plugins.chat("scripted", lambda model, context: chat, "replies as handed")
    return chat


async def answer(house: House, question: str, **options) -> Answer:
    kinds = []
    async with aclosing(house.ask("maren", question, **options)) as events:
        async for event in events:
            kinds.append(type(event))
            if isinstance(event, Answered):
                assert kinds.count(Answered) == 1
                return event.answer
    raise AssertionError("no answer")


async def test_asked_without_a_model(house: House) -> None:
    house.index("maren")
    given = await answer(house, "How often must the weight be wound up?")
    assert "Every four hours the weight must be wound up again" in given.text
    assert given.model == "own-words"
    assert given.sources[0] == "log.txt"
    assert re.fullmatch(r"mare-[0-9a-f]{6}", given.id)
    cited = await house.source("maren", given.citations[0].source_id)
    citation = given.citations[0]
    assert cited.text[citation.start : citation.end] == citation.quote


async def test_the_events_come_in_order(house: House) -> None:
    house.index("maren")
    events = [event async for event in house.ask("Maren", "What about the goat?")]
    assert isinstance(events[0], Found)
    assert isinstance(events[-1], Answered)
    assert all(isinstance(event, Token) for event in events[1:-1])


async def test_asked_with_a_model_that_the_persona_names(house: House) -> None:
    chat = scripted(house, "Every four hours [1].")
    house.index("maren")
    rewrite(house, "chat: auto", "chat: scripted")
    thread = (Turn("user", "Who are you?"), Turn("persona", "I keep the light."))
    given = await answer(house, "How often must the weight be wound?", thread=thread)
    assert given.text.startswith("Every four hours")
    assert given.model == "scripted"
    sent = [message.content for message in chat.requests[0].messages]
    assert "Maren" in sent[0]
    assert "I keep the light." in sent


async def test_the_correlation_id_is_the_callers_where_given(house: House) -> None:
    house.index("maren")
    assert (await answer(house, "The goat?", correlation_id="mare-abc123")).id == "mare-abc123"


async def test_a_model_named_for_one_question(house: House) -> None:
    scripted(house, "The goat stayed [1].")
    house.index("maren")
    assert (await answer(house, "What of the goat?", model="scripted")).model == "scripted"
    assert (await answer(house, "What of the goat?", model="none")).model == "own-words"
    with pytest.raises(NotFoundError, match="scripted"):
        await answer(house, "What of the goat?", model="scriptedd")


async def test_a_model_is_shared_and_closed_with_the_house(house: House) -> None:
    chat = scripted(house, "A.", "B.")
    assert house.backends.chat("scripted") is house.backends.chat("scripted")
    await house.aclose()
    assert chat.closed
    await house.aclose()


async def test_a_house_beside_shares_the_backends(house: House, tmp_path: Path) -> None:
    chat = scripted(house, "A.")
    other = house.beside(tmp_path / "other")
    assert other.backends.chat("scripted") is house.backends.chat("scripted")
    await other.aclose()
    assert not chat.closed


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("", "empty"),
        ("  \n\t ", "empty"),
        ("\0\0", "empty"),
        ("\u200b", "empty"),
        ("x" * 20_001, "at most 20,000"),
        ("x" * 200_000, "at most 20,000"),
    ],
)
async def test_questions_that_cannot_be_asked(house: House, question: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        await answer(house, question)
    with pytest.raises(InputError, match=words):
        await house.find("maren", question)


async def test_nul_characters_are_left_out(house: House) -> None:
    house.index("maren")
    assert (await answer(house, "What about\0 the goat?")).question == "What about the goat?"


@pytest.mark.parametrize("half", ["\ud83d", "bread \udce9"])
async def test_half_characters_are_refused_in_the_question_and_before_it(
    house: House, half: str
) -> None:
    house.index("maren")
    for question, thread in ((half, ()), ("Who ate it?", (Turn("user", half),))):
        with pytest.raises(InputError, match="half of one") as raised:
            await answer(house, question, thread=thread)
        assert "UTF-8" in raised.value.cure


async def test_unknown_personas(house: House) -> None:
    with pytest.raises(NotFoundError, match="did you mean 'maren'"):
        await answer_of(house, "marne")


async def answer_of(house: House, persona: str) -> None:
    async for _ in house.ask(persona, "Who are you?"):
        pass


async def test_a_persona_without_index(house: House) -> None:
    with pytest.raises(IndexMissingError, match="salon index maren"):
        await answer(house, "Who are you?")
    (status,) = await house.ready()
    assert not status.ready
    assert isinstance(status.error, IndexMissingError)


async def test_readiness_is_found_out_by_searching(house: House, embedder) -> None:
    report = house.index("maren")
    (status,) = await house.ready()
    assert (status.persona_id, status.generation, status.ready) == (
        "maren",
        report.generation,
        True,
    )
    embedder.working = False
    (status,) = await house.ready()
    assert isinstance(status.error, RetrievalUnavailable)
    assert "does not answer" in str(status.error)


async def test_a_folder_that_does_not_load_is_not_ready(house: House) -> None:
    house.index("maren")
    (house.folder("broken")).mkdir()
    statuses = {status.persona_id: status for status in await house.ready()}
    assert statuses["maren"].ready
    assert isinstance(statuses["broken"].error, ConfigError)
    assert [problem.folder.name for problem in house.problems] == ["broken"]
    assert [card.id for card in house.personas()] == ["maren"]


async def test_search_that_is_down_refuses(house: House, embedder) -> None:
    house.index("maren")
    embedder.working = False
    with pytest.raises(RetrievalUnavailable, match="does not answer"):
        await answer(house, "Who are you?")


@pytest.mark.parametrize("opened", [True, False])
async def test_a_persona_may_answer_while_search_is_down(house: House, embedder, opened) -> None:
    house.index("maren")
    scripted(house, "I keep the light.", "I keep the light.")
    rewrite(house, "when_down: refuse", "when_down: answer")
    if opened:
        await house.find("maren", "Who are you?")
    embedder.working = False
    given = await answer(house, "Who are you?", model="scripted")
    assert not given.grounding.grounded
    assert given.hits == ()
    assert given.warnings


async def test_a_new_generation_is_picked_up(house: House) -> None:
    house.index("maren")
    before = await house.find("maren", "What did the walrus want?")
    extra = house.folder("maren") / "sources" / "walrus.txt"
    extra.write_text("A walrus came to the door and wanted the almanac.\n", encoding="utf-8")
    report = house.index("maren")
    after = await house.find("maren", "What did the walrus want?")
    assert after.generation == report.generation != before.generation
    assert after.hits[0].source.name == "walrus.txt"
    given = await answer(house, "What did the walrus want?")
    assert "almanac" in given.text


async def test_an_edited_persona_is_read_again(house: House) -> None:
    house.index("maren")
    rewrite(house, "prefix: .*", "prefix: keep")
    assert (await answer(house, "What about the goat?")).id.startswith("keep-")


async def test_another_embedder_is_refused_until_the_index_is_built_again(house: House) -> None:
    house.index("maren")
    other = HashEmbedder(dimensions=32)
    house.backends.plugins.embedder("other", lambda model, context: other, "words hashed")
    file = house.folder("maren") / "persona.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "embedder: other\n", encoding="utf-8")
    with pytest.raises(IndexMismatchError, match="salon index maren"):
        await answer(house, "Who are you?")
    house.index("maren", rebuild=True)
    assert (await answer(house, "What about the goat?")).hits


def test_indexing_can_be_stopped(house: House) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(IndexStoppedError):
        house.index("maren", stop=stop)


async def test_provenance_is_read_when_indexing(house: House) -> None:
    house.index("maren")
    file = house.folder("maren") / "sources" / "sources.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub("title: .*", "title: A Corrected Title", text), encoding="utf-8")
    assert not house.index("maren").unchanged
    hits = (await house.find("maren", "What about the goat?")).hits
    assert {hit.source.title for hit in hits} == {"A Corrected Title"}
    file.write_text("sources: [1]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"sources.yaml:1"):
        house.index("maren")


async def test_passages_lead_to_the_original(house: House, files: Path) -> None:
    house.index("maren")
    hit = (await house.find("maren", "What about the goat?", limit=1)).hits[0]
    shown = await house.passage("maren", hit.passage.id)
    assert shown.passage == hit.passage
    assert shown.source.text[hit.passage.start : hit.passage.end] == hit.passage.text
    original = (files / shown.source.info.name).read_text(encoding="utf-8")
    first = shown.original[0]
    assert hit.passage.text.startswith(original[first.start : first.end][:40])
    with pytest.raises(NotFoundError):
        await house.passage("maren", "nothing")
    with pytest.raises(NotFoundError):
        await house.source("maren", "nothing")


async def test_find_takes_as_many_as_asked(house: House) -> None:
    house.index("maren")
    assert len((await house.find("maren", "the goat", limit=1)).hits) == 1


async def test_the_loop_is_free_while_an_index_is_opened(house: House) -> None:
    house.index("maren")
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await answer(house, "What about the goat?")
    ticking.cancel()
    assert ticks > 10


def test_one_house_serves_one_loop_after_another(house: House) -> None:
    house.index("maren")
    for _ in range(2):
        assert asyncio.run(answer(house, "What about the goat?")).hits


def test_a_house_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="folder"):
        House.open(tmp_path / "file", Settings())
    with House.open(tmp_path / "new", Settings()) as fresh:
        assert fresh.personas() == ()
    assert not (tmp_path / "new").exists()


def test_settings_are_read_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "salon.toml").write_text("[server]\nport = 5099\n", encoding="utf-8")
    with House.open(tmp_path) as opened:
        assert opened.settings.server.port == 5099


def test_auto_takes_nothing_that_was_not_named(tmp_path: Path, monkeypatch) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(variable, "sk-test")
    settings = Settings(models_dir=tmp_path)
    with House.open(tmp_path / "house", settings) as opened:
        assert opened.backends.chat_spec("auto", "auto") == "none"
        assert opened.backends.chat_spec("auto", "ollama:qwen3") == "ollama:qwen3"
        assert opened.backends.chat_spec("none", "ollama:qwen3") == "none"
        assert opened.backends.chat("none") is None


@pytest.mark.models
def test_auto_takes_the_embedded_model_that_is_there(tmp_path: Path, models_dir: Path) -> None:
    if not present(models_dir, "qwen2.5-coder-1.5b"):
        pytest.skip("no embedded chat model: salon models get qwen2.5-coder-1.5b")
    with House.open(tmp_path / "house", Settings(models_dir=models_dir)) as opened:
        assert opened.backends.chat_spec("auto", "auto") == "local:qwen2.5-coder-1.5b"


@pytest.mark.models
async def test_with_the_real_embedder(tmp_path: Path, files: Path, models_dir: Path) -> None:
    needed = ("minilm-int8", "minilm-tokenizer", "cl100k")
    if not all(present(models_dir, name) for name in needed):
        pytest.skip(f"no local embedder: salon models get {' '.join(needed)}")
    settings = Settings(models_dir=models_dir, models=ModelsSettings("none"), fetch=False)
    house = House.open(tmp_path / "house", settings)
    try:
        house.create("Maren", [files])
        await asyncio.to_thread(house.index, "maren")
        found = await house.find("maren", "Which animal moved in after the shipwreck?")
        assert "goat" in found.hits[0].passage.text
        given = await answer(house, "How many times do you have to get up at night?")
        assert given.hits
        assert given.grounding.signals
    finally:
        await house.aclose()


def test_two_may_not_index_at_once(house: House) -> None:
    house.index("maren")
    (house.folder("maren") / "sources" / "more.txt").write_text("A second goat.", encoding="utf-8")
    errors = []

    def meanwhile(stage: str, done: int, total: int) -> None:
        try:
            house.index("maren")
        except IndexBusyError as error:
            errors.append(str(error))

    house.index("maren", progress=meanwhile)
    assert str(os.getpid()) in errors[0]
