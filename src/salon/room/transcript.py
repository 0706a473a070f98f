"""What was said as markdown, JSON or HTML, with the citations that it rests on. Pure."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from salon.types import RoomMessage


def notes(message: RoomMessage) -> list[dict[str, Any]]:
    """The citations of a reply, in order."""
    return list((message.answer or {}).get("citations", ()))


def markdown(title: str, messages: Sequence[RoomMessage]) -> str:
    """One paragraph a message, its numbered citations below it."""
    parts = [f"# {_line(title)}"]
    for message in messages:
        parts.append(f"**{_line(message.speaker.nick)}**{_score(message)}\n\n{message.text}")
        if found := notes(message):
            parts.append(
                "\n".join(
                    f"> [{note['number']}] {_line(note['title'] or note['source'])}"
                    f"{_place(note)}: “{_line(note['quote'])}”"
                    for note in found
                )
            )
    return "\n\n".join(parts) + "\n"


def as_json(title: str, messages: Sequence[RoomMessage]) -> str:
    """Every field of every message."""
    rows = [
        {
            "seq": message.seq,
            "speaker": {"kind": message.speaker.kind, "nick": message.speaker.nick},
            "text": message.text,
            "at": datetime.fromtimestamp(message.at / 1000, UTC).isoformat(),
            "reply_to": message.reply_to,
            "stopped": message.stopped,
            "answer": message.answer,
        }
        for message in messages
    ]
    return json.dumps({"title": title, "messages": rows}, ensure_ascii=False, indent=2) + "\n"


def page(title: str, messages: Sequence[RoomMessage]) -> str:
    """A page that stands alone; everything that was said is escaped."""
    shown = html.escape(title)
    body = "\n".join(_article(message) for message in messages)
    return _PAGE.format(title=shown, body=body)


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 1.05rem/1.6 Georgia, serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem }}
h2 {{ font-size: 1rem; margin: 2rem 0 .3rem }} p {{ white-space: pre-wrap; margin: 0 }}
ol {{ font-size: .85rem; color: #555; padding-left: 0; list-style: none }}
</style>
<h1>{title}</h1>
{body}
</html>
"""


def _article(message: RoomMessage) -> str:
    rows = "".join(
        f"<li>[{note['number']}] {html.escape(note['title'] or note['source'])}"
        f"{html.escape(_place(note))}: <q>{html.escape(note['quote'])}</q></li>"
        for note in notes(message)
    )
    head = html.escape(message.speaker.nick + _score(message))
    listed = f"\n<ol>{rows}</ol>" if rows else ""
    return f"<article><h2>{head}</h2>\n<p>{html.escape(message.text)}</p>{listed}</article>"


def _score(message: RoomMessage) -> str:
    if message.answer is None:
        return " (stopped)" if message.stopped else ""
    return f" (grounding {message.answer['rag_confidence']:.2f})"


def _place(note: dict[str, Any]) -> str:
    section, number = note.get("section", ""), note.get("page", "")
    return "".join((f", {_line(section)}" if section else "", f", p. {number}" if number else ""))


def _line(text: str) -> str:
    return " ".join(text.split())


FORMS = {"md": markdown, "json": as_json, "html": page}
