"""A question and its answer at the terminal, and the conversation made of them."""

from __future__ import annotations

import json
import sys
from asyncio import Runner
from collections.abc import Sequence

from salon.errors import SalonError
from salon.house.house import OWN_WORDS
from salon.surfaces.cli.live import Writing, follow, stopped_text
from salon.surfaces.cli.opening import Opened
from salon.surfaces.render import answer_view
from salon.surfaces.safe_text import safe_json
from salon.surfaces.terminal import note, out, own_command, print_error
from salon.types import Answer, Turn

__all__ = [
    "Writing",
    "answer_once",
    "converse",
    "print_answer",
    "print_json",
    "stopped_text",
    "tell_of_models",
]

LEAVE = ("/quit", "/exit", "/q")


def converse(
    runner: Runner, place: Opened, persona: str, chosen: str | None, person: str = ""
) -> SalonError | None:
    """Until the reader leaves; returns the last failure, which a script wants to know of."""
    thread: list[Turn] = []
    failure: SalonError | None = None
    while (line := _next_line()) is not None:
        if line == "/new":
            thread.clear()
            note("The conversation begins again.")
            continue
        writing = Writing(place.watch)
        try:
            answer = answer_once(runner, place, persona, line, thread, chosen, writing, person)
        except KeyboardInterrupt:
            out.print(stopped_text(writing))
        except SalonError as error:
            failure = error
            print_error(error)
        else:
            if not thread and not chosen:
                tell_of_models(answer)
            print_answer(answer)
            thread += [Turn("user", line), Turn("persona", answer.text)]
        out.print()
    return failure


def _next_line() -> str | None:
    """The next question, None when the reader leaves."""
    interactive = sys.stdin.isatty()
    if interactive:
        import readline  # noqa: F401  (gives input() history and editing)
    while True:
        try:
            line = input("> " if interactive else "").strip()
        except EOFError:
            return None
        except KeyboardInterrupt:
            note("\n/quit leaves.")
            continue
        if line in LEAVE:
            return None
        if line:
            return line


def answer_once(
    runner: Runner,
    place: Opened,
    persona: str,
    question: str,
    thread: Sequence[Turn],
    model: str | None,
    writing: Writing,
    person: str = "",
) -> Answer:
    """One answer, shown while it is written. Ctrl-C stops the model, then raises."""
    with writing.shown():
        events = place.house.ask(persona, question, tuple(thread), model=model, person=person)
        return runner.run(follow(events, writing))


def print_answer(answer: Answer) -> None:
    out.print(answer_view(answer, out), soft_wrap=not out.is_terminal)


def print_json(answer: Answer) -> None:
    from salon.surfaces.http.schemas import answer_body

    body = answer_body(answer).model_dump()
    print(safe_json(json.dumps(body, ensure_ascii=not out.encoding.startswith("utf"), indent=2)))


def tell_of_models(answer: Answer) -> None:
    """One line for a reader who may not know that a model could write the answer."""
    if answer.model == OWN_WORDS:
        note(
            "No model wrote this: these are the sources' own words. "
            f"`{own_command()} models` names the one command that brings a model."
        )
