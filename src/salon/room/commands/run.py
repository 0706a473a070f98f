"""Carries a command out. What it says is for the sender alone; what it changes, everybody sees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from salon.errors import InputError, NotFoundError
from salon.room.commands.parse import Typed, help_text, resolve
from salon.room.commands.table import Command
from salon.room.live import LiveRoom
from salon.room.people import People, Visitor
from salon.room.speakers import STRATEGIES
from salon.room.store import RoomStore
from salon.types import Participant, Strategy

_EXPORT_CHARACTERS = 100_000

Service = Callable[[LiveRoom, Visitor, str], Awaitable[str]]
"""Does what a command asks of something outside the room, and gives what to tell the sender."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a command may touch. `services`: web, imagine, compose, memory, roundtable, by name."""

    store: RoomStore
    people: People
    models: Callable[[], Mapping[str, str]]
    services: Mapping[str, Service] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the sender is told, and what its client should do."""

    text: str = ""
    join: str = ""
    nick: str = ""
    clear: bool = False


async def run(
    typed: Typed, room: LiveRoom | None, visitor: Visitor, around: Around, language: str
) -> Outcome:
    """Raises InputError for what cannot be done, DeniedError for what this role may not do."""
    command = resolve(typed, visitor.role, language)
    if command.name in ("help", "nick", "join", "channels"):
        return await _anywhere(command, typed, visitor, around, language)
    if room is None:
        raise InputError(
            "you are in no room" if language != "fr" else "vous n'êtes dans aucun salon",
            cure="/join #salon",
        )
    return await _ROWS[command.name](
        _Call(room, visitor, around, typed.arguments, language, command)
    )


@dataclass(frozen=True, slots=True)
class _Call:
    room: LiveRoom
    visitor: Visitor
    around: Around
    arguments: str
    language: str
    command: Command

    def say(self, english: str, french: str) -> Outcome:
        return Outcome(french if self.language.startswith("fr") else english)

    def persona(self, among: tuple[Participant, ...] | None = None) -> Participant:
        """The persona that the first word names; also one that is disabled or away."""
        word = self.arguments.split()[0]
        everybody = among or self.room.parts.participants()
        from salon.room.mentions import Directory

        found = Directory(everybody).find(word)
        for member in everybody:
            if member.id == found:
                return member
        known = tuple(member.nick for member in everybody)
        raise NotFoundError(
            f"no persona {word!r}", known=known, expected=f"one of {', '.join(known)}"
        )


async def _anywhere(
    command: Command, typed: Typed, visitor: Visitor, around: Around, language: str
) -> Outcome:
    if command.name == "help":
        return Outcome(help_text(visitor.role, language))
    if command.name == "nick":
        return Outcome(nick=typed.arguments)
    if command.name == "join":
        if not typed.arguments.startswith("#"):
            raise InputError("a room's name begins with '#'", cure="/join #salon")
        return Outcome(join=typed.arguments.split()[0])
    rooms = await around.store.rooms()
    none = "aucun salon" if language.startswith("fr") else "no rooms yet"
    return Outcome(
        "\n".join(f"#{room.name}  {room.options.topic}".rstrip() for room in rooms) or none
    )


async def _who(call: _Call) -> Outcome:
    people = [person.nick for person in call.room.people.values()]
    personas = [member.nick for member in call.room.pool()]
    return Outcome("\n".join([*people, *(f"{nick} (persona)" for nick in personas)]))


async def _personas(call: _Call) -> Outcome:
    models = call.around.models()
    return Outcome(
        "\n".join(
            f"{m.nick}  {call.room.model_of(m.id) or models.get(m.id, '')}  {m.domain}".rstrip()
            for m in call.room.pool()
        )
    )


async def _models(call: _Call) -> Outcome:
    return Outcome("\n".join(sorted(set(call.around.models().values()))))


async def _persona(call: _Call) -> Outcome:
    if not call.arguments:
        return await _personas(call)
    member = call.persona()
    model = call.room.model_of(member.id) or call.around.models().get(member.id, "")
    off = " (disabled)" if member.id in call.room.room.options.disabled else ""
    return Outcome(f"{member.nick}{off}: {member.name}\n{member.domain}\n{model}")


async def _clear(call: _Call) -> Outcome:
    return Outcome(clear=True)


async def _stop(call: _Call) -> Outcome:
    count = await call.room.stop()
    return call.say(f"stopped: {count}", f"arrêté : {count}")


async def _history(call: _Call) -> Outcome:
    count = _number(call, 1, 100) if call.arguments else 20
    return Outcome(_lines(call, await call.around.store.newest(call.room.room.id, count)))


async def _export(call: _Call) -> Outcome:
    text = _lines(call, await call.around.store.messages(call.room.room.id))
    return Outcome(text[-_EXPORT_CHARACTERS:])


def _lines(call: _Call, messages: list) -> str:  # type: ignore[type-arg]
    return "\n".join(f"{m.speaker.nick}: {m.text}" for m in messages) or (
        call.say("nothing was said yet", "rien n'a été dit").text
    )


async def _context(call: _Call) -> Outcome:
    messages = await call.around.store.messages(call.room.room.id)
    summaries = await call.around.store.summaries(call.room.room.id)
    size = sum(len(message.text) for message in messages)
    return call.say(
        f"{len(messages)} messages, {size:,} characters, {len(summaries)} summaries",
        f"{len(messages)} messages, {size:,} caractères, {len(summaries)} résumés",
    )


async def _status(call: _Call) -> Outcome:
    options = call.room.room.options
    return Outcome(
        f"#{call.room.room.name}: {options.strategy}, responders {options.responders}, "
        f"{len(call.room.pool())} personas, {len(call.room.people)} people, "
        f"{len(call.room.turns)} replies under way" + (", paused" if options.paused else "")
    )


async def _topic(call: _Call) -> Outcome:
    if not call.arguments:
        return Outcome(call.room.room.options.topic or "-")
    return await _change(call, topic=call.arguments[:200])


async def _responders(call: _Call) -> Outcome:
    if not call.arguments:
        return Outcome(str(call.room.room.options.responders))
    return await _change(call, responders=_number(call, 1, 5))


async def _strategy(call: _Call) -> Outcome:
    if not call.arguments:
        rows = (f"{name}  {row.summary}" for name, row in STRATEGIES.items())
        return Outcome("\n".join([call.room.room.options.strategy, "", *rows]))
    for name in get_args(Strategy):
        if name == call.arguments.lower():
            return await _change(call, strategy=name)
    raise InputError(f"no strategy {call.arguments!r}", expected=f"one of {', '.join(STRATEGIES)}")


async def _model(call: _Call) -> Outcome:
    member = call.persona()
    words = call.arguments.split()
    if len(words) > 1:
        call.room.models[member.id] = words[1]
    model = call.room.model_of(member.id) or call.around.models().get(member.id, "")
    return Outcome(f"{member.nick}: {model}")


async def _reload(call: _Call) -> Outcome:
    count = len(call.room.parts.participants())
    return call.say(f"{count} personas", f"{count} personas")


async def _invite(call: _Call) -> Outcome:
    member = call.persona()
    options = call.room.room.options
    newest = await call.around.store.newest(call.room.room.id, 1)
    await call.around.store.arrive(call.room.room.id, member.id, newest[-1].seq if newest else 0)
    disabled = tuple(name for name in options.disabled if name != member.id)
    personas = options.personas
    if personas and member.id not in personas:
        personas = (*personas, member.id)
    return await _change(call, disabled=disabled, personas=personas)


async def _dismiss(call: _Call) -> Outcome:
    member = call.persona()
    newest = await call.around.store.newest(call.room.room.id, 1)
    await call.around.store.leave(call.room.room.id, member.id, newest[-1].seq if newest else 0)
    return await _disable(call)


async def _disable(call: _Call) -> Outcome:
    disabled = call.room.room.options.disabled
    return await _change(call, disabled=tuple(dict.fromkeys((*disabled, call.persona().id))))


async def _enable(call: _Call) -> Outcome:
    gone = call.persona().id
    left = tuple(name for name in call.room.room.options.disabled if name != gone)
    return await _change(call, disabled=left)


async def _pause(call: _Call) -> Outcome:
    await call.room.stop()
    return await _change(call, paused=True)


async def _unpause(call: _Call) -> Outcome:
    return await _change(call, paused=False)


async def _ban(call: _Call) -> Outcome:
    await call.around.people.ban(call.arguments, call.visitor.nick)
    return call.say(f"banned: {call.arguments}", f"exclu : {call.arguments}")


async def _unban(call: _Call) -> Outcome:
    await call.around.people.unban(call.arguments)
    return call.say(f"admitted: {call.arguments}", f"réadmis : {call.arguments}")


async def _service(call: _Call) -> Outcome:
    service = call.around.services.get(call.command.name)
    if service is None:
        raise InputError(
            f"/{call.command.name} : indisponible ici"
            if call.language.startswith("fr")
            else f"/{call.command.name} is unavailable here: nothing is set up for it"
        )
    return Outcome(await service(call.room, call.visitor, call.arguments))


async def _change(call: _Call, **values: object) -> Outcome:
    changed = replace(call.room.room.options, **values)  # type: ignore[arg-type]
    await call.room.change(changed, call.visitor.nick)
    return Outcome()


def _number(call: _Call, least: int, most: int) -> int:
    word = call.arguments.split()[0]
    if not word.isdecimal() or not least <= int(word) <= most:
        raise InputError(f"usage: {call.command.usage(call.language)}")
    return int(word)


_ROWS: Mapping[str, Callable[[_Call], Awaitable[Outcome]]] = {
    "who": _who,
    "personas": _personas,
    "clear": _clear,
    "stop": _stop,
    "history": _history,
    "export": _export,
    "context": _context,
    "status": _status,
    "models": _models,
    "persona": _persona,
    "topic": _topic,
    "invite": _invite,
    "responders": _responders,
    "strategy": _strategy,
    "model": _model,
    "reload": _reload,
    "dismiss": _dismiss,
    "persona-disable": _disable,
    "persona-enable": _enable,
    "pause": _pause,
    "unpause": _unpause,
    "ban": _ban,
    "unban": _unban,
    **dict.fromkeys(("memory", "web", "imagine", "compose", "roundtable"), _service),
}
