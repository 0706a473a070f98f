"""One house of one process."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from salon.errors import ConfigError, InputError, RetrievalUnavailable, SalonError
from salon.house.backends import NONE, Backends
from salon.house.remembering import Ledgers
from salon.persona.brief import brief
from salon.persona.create import Created, create_persona
from salon.persona.folders import PersonaFolders, Problem
from salon.ports import Progress, no_progress
from salon.settings import FILE_NAME, Settings, load
from salon.types import (
    Answered,
    AnswerEvent,
    OriginalSpan,
    Passage,
    PersonaCard,
    Retrieved,
    Scene,
    Source,
    Span,
    Turn,
)

if TYPE_CHECKING:
    import structlog

    from salon.answer.scene import Told
    from salon.house.reading import Reading
    from salon.house.shelf import Shelf, Taken
    from salon.index.build import BuildReport

PERSONAS_FOLDER = "personas"
INDEX_FOLDER = "index"

OWN_WORDS = "own-words"
"""The name of the model that is none: the sources' own sentences."""

_CANARY_QUESTION = "What do you think about this?"


@dataclass(frozen=True, slots=True)
class PassageInSource:
    """A passage with its whole source; `original` is where it stands in the original file."""

    passage: Passage
    source: Source
    original: tuple[OriginalSpan, ...]


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a persona's search really ran just now; `error` says why it did not."""

    persona_id: str
    generation: str = ""
    error: SalonError | None = None

    @property
    def ready(self) -> bool:
        return self.error is None


class House:
    """Everything heavy is opened at its first use; close it at the end.

    `create`, `index` and the reading of persona folders block; what is `async` does not, and may
    be called by one event loop after another.
    """

    def __init__(
        self, path: Path, settings: Settings, progress: Progress, shared: Backends | None = None
    ) -> None:
        self.path = path
        self.settings = settings
        self.backends = shared or Backends(settings, progress)
        self._owns_backends = shared is None
        self._progress = progress
        self._folders = PersonaFolders(path / PERSONAS_FOLDER)
        self.ledgers = Ledgers(self._folders)
        self._lock = threading.Lock()
        self._shelf: Shelf | None = None

    @classmethod
    def open(
        cls, path: Path, settings: Settings | None = None, *, progress: Progress = no_progress
    ) -> House:
        """The house in the folder `path`, which need not exist yet.

        Without `settings` they are read from its salon.toml and the environment. Raises ConfigError
        for bad settings and for a path that is no folder.
        """
        if path.exists() and not path.is_dir():
            raise ConfigError(
                "a house is a folder", file=str(path), cure="name the folder with --house"
            )
        return cls(path, settings or load(path / FILE_NAME), progress)

    def beside(self, path: Path) -> House:
        """A house in another folder that uses this one's backends and leaves them open."""
        return House(path, self.settings, self._progress, self.backends)

    # --- personas -----------------------------------------------------------------------------

    def personas(self) -> tuple[PersonaCard, ...]:
        """The personas that load, by id."""
        return self._folders.cards()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The persona folders that do not load, each with its error."""
        return self._folders.problems()

    def persona(self, name: str) -> PersonaCard:
        """The persona with this id, nick or name; NotFoundError suggests the nearest."""
        return self._folders.find(name)

    def folder(self, persona_id: str) -> Path:
        """The persona's folder."""
        return self._folders.root / persona_id

    def index_folder(self, persona_id: str) -> Path:
        """The folder of the persona's index; see ARCHITECTURE.md for what is in it."""
        return self.path / INDEX_FOLDER / persona_id

    def create(
        self,
        name: str,
        paths: Sequence[Path],
        *,
        display_name: str | None = None,
        language: str | None = None,
        colour: str | None = None,
        copy: bool = True,
        progress: Progress | None = None,
    ) -> Created:
        """Makes a persona folder from files; see `salon.persona.create`."""
        return create_persona(
            self._folders.root,
            name,
            paths,
            display_name=display_name,
            language=language,
            colour=colour,
            copy=copy,
            progress=progress or self._progress,
        )

    def index(
        self,
        persona_id: str,
        *,
        rebuild: bool = False,
        progress: Progress | None = None,
        stop: threading.Event | None = None,
    ) -> BuildReport:
        """Brings the persona's index up to its sources; see `salon.index.build`."""
        from salon.house.indexing import build_index

        card = self.persona(persona_id)
        return build_index(
            card,
            self.folder(card.id),
            self.index_folder(card.id),
            self.settings,
            self.backends,
            rebuild=rebuild,
            progress=progress or self._progress,
            stop=stop,
        )

    # --- questions ----------------------------------------------------------------------------

    async def ask(
        self,
        persona_id: str,
        question: str,
        thread: Sequence[Turn] = (),
        *,
        correlation_id: str | None = None,
        model: str | None = None,
        scene: Scene | None = None,
        told: Told | None = None,
        person: str = "",
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Found, Token by Token, Answered. Close it (`aclosing`) to stop the model.

        `model` is used in place of the persona's; `scene` is the room that it answers in, `told`
        hears of thinking and of restarts, `person` is who asks (default: who asked in the scene),
        for what is remembered of them. Raises InputError for a question that cannot be
        asked, NotFoundError, IndexMissingError and its kin, RetrievalUnavailable, ModelUnavailable.
        """
        import structlog

        from salon.answer.compose import compose
        from salon.answer.scene import SceneChat

        card = self.persona(persona_id)
        text = self._question(question)
        answer_id = correlation_id or f"{card.prefix}-{secrets.token_hex(3)}"
        log = structlog.get_logger("salon.house").bind(persona=card.id, correlation_id=answer_id)
        try:
            reading = await asyncio.to_thread(self._reading, card)
            memory = await asyncio.to_thread(self.ledgers.compiled, card.id, person, scene)
            chat = await asyncio.to_thread(self.backends.chat, self._chat_spec(card, model))
            events = compose(
                text,
                self._thread(thread),
                brief(card, memory),
                reading.find,
                reading.corpus,
                SceneChat(chat, (card.name, card.nick), scene, told) if chat else None,
                await asyncio.to_thread(self.backends.chat, self._small_spec(card, model)),
                answer_id,
                rate=reading.rate,
                background=reading.background,
            )
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, Answered):
                        _log_answer(log, event)
                    yield event
        except SalonError as error:
            error.correlation_id = answer_id
            log.warning("failed", code=error.code, problem=error.problem)
            raise

    async def find(self, persona_id: str, question: str, *, limit: int | None = None) -> Retrieved:
        """The hits for a question, with no answer; `limit` in place of the persona's passages."""
        card = self.persona(persona_id)
        text = self._question(question)

        def look() -> Retrieved:
            from salon.house.reading import search

            return search(self._take(card), limit or card.retrieval.passages, text)

        return await asyncio.to_thread(look)

    async def passage(self, persona_id: str, passage_id: str) -> PassageInSource:
        """A passage by its id; NotFoundError when the current index has none."""
        card = self.persona(persona_id)

        def look() -> PassageInSource:
            from salon.corpus.textmap import to_original

            table = self._take(card).generation.passages
            passage, info = table.passage(passage_id)
            source = table.source(info.id)
            span = Span(passage.start, passage.end)
            return PassageInSource(passage, source, to_original(source, span))

        return await asyncio.to_thread(look)

    async def source(self, persona_id: str, source_id: str) -> Source:
        """A source by its id; NotFoundError when the current index has none."""
        card = self.persona(persona_id)
        return await asyncio.to_thread(
            lambda: self._take(card).generation.passages.source(source_id)
        )

    async def texts(self, persona_id: str) -> list[str]:
        """The cleaned text of every source of the current index."""
        card = self.persona(persona_id)
        return await asyncio.to_thread(
            lambda: [text for _, text in self._take(card).corpus.texts()]
        )

    async def ready(self) -> tuple[Readiness, ...]:
        """Whether each persona's search runs, found out by searching."""
        broken = [Readiness(problem.folder.name, error=problem.error) for problem in self.problems]
        found = [await self._readiness(card) for card in self.personas()]
        return tuple(sorted([*broken, *found], key=lambda status: status.persona_id))

    async def _readiness(self, card: PersonaCard) -> Readiness:
        try:
            found = await self.find(card.id, _CANARY_QUESTION, limit=1)
        except SalonError as error:
            return Readiness(card.id, error=error)
        return Readiness(card.id, found.generation)

    def model_name(self, persona_id: str, model: str | None = None) -> str:
        """The spec of the model that would answer, `own-words` for none."""
        spec = self._chat_spec(self.persona(persona_id), model)
        return OWN_WORDS if spec == NONE else spec

    # --- inside -------------------------------------------------------------------------------

    def _question(self, question: str) -> str:
        text = _writable(question).strip()
        most = self.settings.limits.question_characters
        if not any(character.isprintable() and not character.isspace() for character in text):
            raise InputError("the question is empty", expected="a question in words")
        if len(text) > most:
            raise InputError(
                f"the question has {len(text):,} characters",
                expected=f"at most {most:,}",
                cure="ask a shorter question; long texts belong among the sources",
            )
        return text

    def _chat_spec(self, card: PersonaCard, model: str | None) -> str:
        if model is not None:
            return self.backends.chat_spec(model)
        return self.backends.chat_spec(card.models.chat, self.settings.models.chat)

    def _small_spec(self, card: PersonaCard, model: str | None) -> str:
        if model is not None:
            return self.backends.chat_spec(model)
        return self.backends.chat_spec(
            card.models.small, self.settings.models.small, self._chat_spec(card, None)
        )

    def _thread(self, thread: Sequence[Turn]) -> tuple[Turn, ...]:
        most = self.settings.limits.thread_turns
        kept = tuple(thread)[-most:] if most else ()
        return tuple(replace(turn, text=_writable(turn.text)) for turn in kept)

    def _take(self, card: PersonaCard) -> Taken:
        from salon.house.shelf import Shelf

        with self._lock:
            if self._shelf is None:
                self._shelf = Shelf(self.path / INDEX_FOLDER, self.backends)
            shelf = self._shelf
        return shelf.take(card)

    def _reading(self, card: PersonaCard) -> Reading:
        from salon.house.reading import read, read_nothing

        try:
            return read(self._take(card), card.retrieval.passages)
        except RetrievalUnavailable as error:
            if card.retrieval.when_down == "refuse":
                raise
            return read_nothing(error)

    def close(self) -> None:
        """Gives back what was opened; for use outside an event loop. Twice is once."""
        asyncio.run(self.aclose())

    async def aclose(self) -> None:
        """Gives back what was opened. Twice is once."""
        with self._lock:
            shelf, self._shelf = self._shelf, None
        if shelf is not None:
            shelf.close()
        if not self._owns_backends:
            return
        await self.backends.close_chats()
        await asyncio.to_thread(self.backends.close_embedders)

    def __enter__(self) -> House:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _writable(text: str) -> str:
    """`text` without NULs; raises InputError for half characters, which no encoding can write."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"the character at {error.start + 1:,} is only half of one, or a byte of no encoding",
            expected="a question, and turns before it, of whole Unicode characters",
            cure="send it as UTF-8",
        ) from error
    return text.replace("\0", "")


def _log_answer(log: structlog.typing.FilteringBoundLogger, event: Answered) -> None:
    answer = event.answer
    log.info(
        "answered",
        model=answer.model,
        passages=len(answer.hits),
        score=round(answer.grounding.score, 3),
        grounded=answer.grounding.grounded,
        declined=answer.declined,
        elapsed_ms=answer.elapsed_ms,
    )
