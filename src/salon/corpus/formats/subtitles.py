"""Subtitles (SubRip, WebVTT): what was said, with the clock, in whole sentences."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from salon.corpus.decode import decode
from salon.corpus.extract import Extract, Facts
from salon.corpus.formats.transcript import Said, transcript
from salon.errors import SourceError

_TIMES = re.compile(
    r"^[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})[ \t]*-->[ \t]*"
    r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})[^\n]*$",
    re.MULTILINE,
)
_VOICE = re.compile(r"<v(?:\.[\w.]+)?[ \t]+([^<>\n]{1,60})>")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,80}>|<\d[\d:.]*>|\{\\[^{}\n]*\}")
_TITLE = re.compile(r"\AWEBVTT[ \t]+-?[ \t]*(\S[^\n]*)")
_SPEAKER = re.compile(r"(?:>>[ \t]*|-[ \t]*)?([A-Z][\w.’' -]{1,40}):[ \t]+(?=\S)")
_ENDS = re.compile(r"[.!?…。！？][”’\"')\]]*$")
# A pause of so many seconds ends a paragraph, as does a length of so many characters.
_PAUSE, _LONG = 4.0, 600


@dataclass(slots=True)
class _Cue:
    start: float
    end: float
    speaker: str
    text: str


def read_subtitles(data: bytes, name: str) -> Extract:
    """Raises SourceError for a file without times."""
    decoded = decode(data, name)
    title = _TITLE.match(decoded.text)
    turns = list(_joined(_without_repeats(_cues(decoded.text))))
    if not turns:
        raise SourceError(
            name,
            "it has no line of times with words after it",
            expected="subtitles as 00:01:02,000 --> 00:01:05,000 and the words below",
            cure="give the file the ending .txt, if it is a text",
        )
    return Extract(
        kind="subtitles",
        parts=(transcript(turns),),
        facts=Facts(title=title.group(1).strip() if title else ""),
        encoding=decoded.encoding,
        notes=decoded.notes,
        repairs=decoded.repairs,
    )


def _cues(text: str) -> Iterator[_Cue]:
    found = list(_TIMES.finditer(text))
    for place, match in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        body = text[match.end() : end].lstrip("\n")
        # A blank line ends a cue; what follows is the next one's number or name.
        body = re.split(r"\n[ \t]*\n", body, maxsplit=1)[0]
        voice = _VOICE.search(body)
        words = html.unescape(_TAG.sub("", body))
        words = " ".join(words.split())
        if place + 1 < len(found) and re.fullmatch(r"(.*\s)?\d+", words) and "\n\n" not in body:
            words = re.sub(r"\s*\b\d+$", "", words) if text[end - 1 : end] == "\n" else words
        speaker = voice.group(1).strip() if voice else ""
        if not speaker and (said := _SPEAKER.match(words)):
            speaker, words = said.group(1), words[said.end() :]
        numbers = [int(each or 0) for each in match.groups()]
        yield _Cue(_seconds(*numbers[:4]), _seconds(*numbers[4:]), speaker, words)


def _seconds(hours: int, minutes: int, seconds: int, fraction: int) -> float:
    return hours * 3600 + minutes * 60 + seconds + fraction / 1000


def _without_repeats(cues: Iterator[_Cue]) -> Iterator[_Cue]:
    """Captions that roll show each line twice: what the cue before had is not said again."""
    before = ""
    for cue in cues:
        words = cue.text
        overlap = _overlap(before, words)
        before = words
        cue.text = words[overlap:].lstrip()
        if cue.text:
            yield cue


def _overlap(before: str, words: str) -> int:
    """The length of the longest end of `before`, whole words, that `words` begins with."""
    if len(before) >= 12 and words.startswith(before):
        return len(before)
    starts = [m.start() for m in re.finditer(r"(?<=\s)\S", before)]
    for start in starts:
        tail = before[start:]
        if len(tail) >= 12 and words.startswith(tail):
            return len(tail)
    return 0


def _joined(cues: Iterator[_Cue]) -> Iterator[Said]:
    """Cues to paragraphs: to the end of a sentence, a pause or another speaker."""
    held: list[str] = []
    begun, ended, speaker = 0.0, 0.0, ""
    for cue in cues:
        other = bool(cue.speaker) and cue.speaker != speaker
        length = sum(map(len, held))
        full = held and (
            other
            or cue.start - ended > _PAUSE
            or (length > _LONG / 3 and _ENDS.search(held[-1]))
            or length > _LONG
        )
        if full:
            yield Said(speaker, " ".join(held), time=_clock(begun))
            held = []
        if not held:
            begun = cue.start
            speaker = cue.speaker or speaker
        held.append(cue.text)
        ended = cue.end
    if held:
        yield Said(speaker, " ".join(held), time=_clock(begun))


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
