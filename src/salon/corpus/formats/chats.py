"""Exported chats: Discord (DiscordChatExporter), ChatGPT (conversations.json), WhatsApp (txt)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from salon.corpus.extract import Extract, Facts
from salon.corpus.formats.transcript import Said, transcript

_MOST_TURNS = 1_000_000
_WHATSAPP = re.compile(
    r"^\u200e?\[?(\d{1,4}[./-]\d{1,2}[./-]\d{2,4}),?[ \u202f]+(\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)"
    r"(?:[ \u202f]?([AaPp])\.?[ \u202f]?[Mm]\.?)?\]?(?: -|:)? (.*)$",
    re.MULTILINE,
)
_SENDER = re.compile(r"\u200e?([^:\n]{1,60}): ?(.*)", re.DOTALL)
_LEFT_OUT = re.compile(
    r"\u200e?<[^<>\n]{3,60}>$|\u200e|(?:image|video|audio|sticker|GIF|document) omitted$"
    r"|(?:This message was deleted|You deleted this message)\.?$"
)
_FEWEST = 3
_HEAD = 4_000


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation: `left_out` counts what had no words (pictures, notices, system lines)."""

    title: str
    date: str
    turns: tuple[Said, ...]
    left_out: int = 0


def chat_extract(chat: Chat, encoding: str, notes: tuple[str, ...] = ()) -> Extract:
    """A chat as a source; its days are its sections."""
    if chat.left_out:
        notes += (f"{chat.left_out} entries without words (pictures, notices) were left out",)
    part = transcript(chat.turns)
    facts = Facts(title=chat.title, date=chat.date)
    return Extract("chat", (part,), facts, encoding, marked=bool(part.headings), notes=notes)


def chats_of(document: Any) -> list[Chat]:
    """The conversations of a JSON export; none when it is none that is known."""
    if isinstance(document, Mapping):
        messages = document.get("messages")
        if isinstance(document.get("channel"), Mapping) and isinstance(messages, list):
            return [_discord(document, messages)]
        if isinstance(document.get("mapping"), Mapping):
            return [_chatgpt(document)]
    if isinstance(document, list) and document:
        first = document[0]
        if isinstance(first, Mapping) and isinstance(first.get("mapping"), Mapping):
            return [_chatgpt(each) for each in document if isinstance(each, Mapping)]
    return []


def _discord(document: Mapping[str, Any], messages: list[Any]) -> Chat:
    turns: list[Said] = []
    for message in messages[:_MOST_TURNS]:
        if not isinstance(message, Mapping) or not isinstance(message.get("content"), str):
            continue
        author = message.get("author")
        names = author if isinstance(author, Mapping) else {}
        speaker = str(names.get("nickname") or names.get("name") or "")
        day, time = _moment(message.get("timestamp"))
        usual = message.get("type", "Default") in ("Default", "Reply", 0, 19)
        turns.append(Said(speaker, message["content"] if usual else "", day, time))
    guild = document.get("guild")
    places = [each for each in (guild, document["channel"]) if isinstance(each, Mapping)]
    return _chat(", ".join(str(each["name"]) for each in places if each.get("name")), turns)


def _chatgpt(document: Mapping[str, Any]) -> Chat:
    """The branch that is shown: from the current node up to the root."""
    nodes: Mapping[str, Any] = document.get("mapping") or {}
    turns: list[Said] = []
    at = document.get("current_node") or next(reversed(list(nodes)), None)
    seen: set[Any] = set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        node = nodes[at] if isinstance(nodes[at], Mapping) else {}
        if said := _chatgpt_turn(node.get("message")):
            turns.append(said)
        at = node.get("parent")
    turns.reverse()
    return _chat(str(document.get("title") or ""), turns)


def _chatgpt_turn(message: Any) -> Said | None:
    if not isinstance(message, Mapping):
        return None
    author, content = message.get("author"), message.get("content")
    role = str(author.get("role", "")) if isinstance(author, Mapping) else ""
    if role not in ("user", "assistant") or not isinstance(content, Mapping):
        return None
    parts = content.get("parts")
    words = [each for each in parts if isinstance(each, str)] if isinstance(parts, list) else []
    day, time = _moment(message.get("create_time"))
    return Said(role.capitalize(), "\n".join(words), day, time)


def whatsapp(text: str) -> Chat | None:
    """An exported WhatsApp chat, or None when the text is none."""
    if len(_WHATSAPP.findall(text[:_HEAD])) < _FEWEST or not _WHATSAPP.match(text.lstrip("\ufeff")):
        return None
    turns: list[Said] = []
    found = list(_WHATSAPP.finditer(text))
    american = _month_first([match.group(1) for match in found])
    for place, match in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        words = text[match.start(4) : end]
        sender = _SENDER.match(words)
        day, time = _day(match.group(1), american), _clock(match.group(2), match.group(3))
        said = sender.group(2).strip() if sender else ""
        if _LEFT_OUT.match(said):
            said = ""
        turns.append(Said(sender.group(1).strip() if sender else "", said, day, time))
    return _chat("", turns)


def _chat(title: str, turns: list[Said]) -> Chat:
    spoken = tuple(turn for turn in turns if turn.text.strip())
    date = next((turn.day for turn in spoken if turn.day), "")
    return Chat(title, date, spoken, len(turns) - len(spoken))


def _moment(value: Any) -> tuple[str, str]:
    """Day and time of an ISO stamp (as written) or of seconds since 1970 (in UTC)."""
    if isinstance(value, str):
        match = re.match(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})", value)
        return (match.group(1), match.group(2)) if match else ("", "")
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            moment = datetime.fromtimestamp(value, UTC)
        except (ValueError, OverflowError, OSError):
            return "", ""
        return moment.strftime("%Y-%m-%d"), moment.strftime("%H:%M")
    return "", ""


def _month_first(dates: list[str]) -> bool:
    """Whether a second number above twelve says that the first is the month."""
    pairs = [re.split(r"[./-]", date) for date in dates]
    return any(int(second) > 12 for _, second, _ in pairs) and not any(
        12 < int(first) < 32 for first, _, _ in pairs
    )


def _day(date: str, american: bool) -> str:
    first, second, third = (int(each) for each in re.split(r"[./-]", date))
    if first > 31:
        year, month, day = first, second, third
    else:
        year = third + 2000 if third < 100 else third
        month, day = (first, second) if american else (second, first)
    return f"{year:04}-{month:02}-{day:02}" if month <= 12 and day <= 31 else ""


def _clock(time: str, half: str | None) -> str:
    hour, minute, *_ = re.split(r"[:.]", time)
    hours = int(hour) % 12 + 12 * (half.lower() == "p") if half else int(hour)
    return f"{hours:02}:{minute}"
