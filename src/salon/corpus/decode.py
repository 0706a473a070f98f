"""Bytes to text: byte order marks, UTF-8, UTF-16, and the old encodings by plausibility.

Old encodings are not told apart by frequency tables but by what each would make of the text: a
dagger between two small letters, a capital inside a word or a rare ideograph beside a Latin letter
speaks against a candidate. Candidates that read equally well (Latin-1 against Latin-2) are settled
by the language that each reading is in. On awkward real files this decides more
cases rightly than a detector alone.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

from salon.corpus.language import identify
from salon.errors import SourceError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32le"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16be"),
)
_WEST = frozenset(
    {"en", "fr", "de", "es", "it", "pt", "nl", "sv", "da", "no", "nb", "nn", "fi", "is", "ca"}
    | {"gl", "eu", "la", "af", "ga", "cy", "eo", "sq", "id"}
)
_EAST = frozenset(("pl", "cs", "sk", "hu", "ro", "hr", "sl", "bs", "sr"))
_CYRILLIC = frozenset(("ru", "uk", "bg", "be", "mk", "sr"))
# Codec to the languages that are written with it, in order of preference among equal readings.
_LANGUAGES = {
    "cp1252": _WEST, "cp437": _WEST, "cp850": _WEST, "mac-roman": _WEST, "iso8859-15": _WEST,
    "cp1250": _EAST, "iso8859-2": _EAST, "cp852": _EAST,
    "cp1251": _CYRILLIC, "koi8-r": _CYRILLIC, "koi8-u": _CYRILLIC, "cp866": _CYRILLIC,
    "iso8859-5": _CYRILLIC,
    "cp1253": {"el"}, "iso8859-7": {"el"}, "cp1254": {"tr", "az"}, "cp1255": {"he", "yi"},
    "cp1256": {"ar", "fa", "ur"}, "cp1257": {"lt", "lv", "et"},
    "gb18030": {"zh"}, "big5": {"zh"}, "cp932": {"ja"}, "euc_jp": {"ja"}, "cp949": {"ko"},
}  # fmt: skip
_DOUBLE = ("gb18030", "big5", "cp932", "euc_jp", "cp949")
_OTHER_SCRIPT = re.compile("[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff]")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CJK_MARKS = re.compile("[\u3000-\u303f\uff00-\uff65]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_HIGH = re.compile(rb"[\x80-\xff]")
_CONTROLS = re.compile(rb"[\x01-\x08\x0b\x0e-\x19\x1b-\x1f]")
_OPENING, _CLOSING = "“‘«„‚‹¿¡", "”’»›"
_JOINING = "’—–…·‐"
_MARKS = "§¶©®™°†‡½¼¾²³£€½´−×″′ªº"
_SAMPLE_BYTES = 64_000
_NEAR = 400
_SAMPLE_CHARACTERS = 1_500
_TIE = 0.01
_CONVINCING = 0.9
_LANGUAGE_BONUS = 0.4


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with every line end as "\\n"; `encoding` is its IANA-like name, lower case."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


def decode(data: bytes, name: str, declared: str = "") -> Decoded:
    """Decode a text file's bytes; `declared` is what the file itself says, and may be wrong.

    Raises SourceError when the bytes are not text in any encoding that is known here.
    """
    decoded = _by_mark(data, name) or _unicode(data, declared) or _old(data, name, declared)
    text = decoded.text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text, repaired = _undo_mojibake(text)
    notes = decoded.notes
    if repaired:
        notes += (f"{repaired} lines had been decoded wrongly before and were put right",)
    return Decoded(text, decoded.encoding, notes)


def _by_mark(data: bytes, name: str) -> Decoded | None:
    for mark, codec, label in _BOMS:
        if data.startswith(mark):
            return _wide(data[len(mark) :], codec, label, name)
    return None


def _wide(data: bytes, codec: str, label: str, name: str) -> Decoded:
    if codec == "utf-8":
        text, repairs = _repaired(data)
        return Decoded(text, label, _repair_notes(repairs))
    notes: tuple[str, ...] = ()
    unit = 4 if "32" in codec else 2
    if len(data) % unit:
        data = data[: len(data) - len(data) % unit]
        notes = (f"the file ends in the middle of a character of {label}; that byte was dropped",)
    try:
        return Decoded(data.decode(codec), label, notes)
    except UnicodeDecodeError as error:
        raise SourceError(
            name,
            f"it begins with the mark of {label} but byte {error.start} cannot be read as such",
            expected="a text file in one encoding",
            cure="save it again as UTF-8",
        ) from error


def _unicode(data: bytes, declared: str) -> Decoded | None:
    if data.isascii() and b"\0" not in data[:4096]:
        return Decoded(data.decode("ascii"), "ascii")
    even, odd = data[:4096:2].count(0), data[1:4096:2].count(0)
    half = max(1, min(len(data), 4096) // 2)
    if max(even, odd) > 0.3 * half and min(even, odd) < 0.05 * half:
        codec, label = ("utf-16-be", "utf-16be") if even > odd else ("utf-16-le", "utf-16le")
        return _wide(data, codec, label, "")
    if data.isascii():
        return Decoded(data.decode("ascii"), "ascii")
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and _has_multibyte(data[: error.start]):
            note = "the file ends in the middle of a character; those bytes were dropped"
            return Decoded(data[: error.start].decode("utf-8"), "utf-8", (note,))
    return None


def _has_multibyte(data: bytes) -> bool:
    return not data.isascii()


def _old(data: bytes, name: str, declared: str) -> Decoded:
    _refuse_binary(data, name)
    sample = _sample(data)
    codec = _settle(sample, declared)
    if codec == "utf-8":
        text, repairs = _repaired(data)
        return Decoded(text, "utf-8", _repair_notes(repairs))
    text = data.decode(codec, "replace")
    lost = text.count("\ufffd")
    notes = (f"{lost} bytes have no meaning in {codec} and stand as \ufffd",) if lost else ()
    return Decoded(text, _label(codec, data), notes)


def _refuse_binary(data: bytes, name: str) -> None:
    """Text holds almost no control characters; random bytes are a tenth of them."""
    head = data[:65536]
    odd = len(_CONTROLS.findall(head)) + head.count(0)
    if odd > 0.02 * len(head):
        raise SourceError(
            name,
            f"it is not text: {odd} of its first {len(head)} bytes are control characters",
            expected="a text file",
            cure="convert it to text, or take it out of the folder",
        )


def _sample(data: bytes) -> bytes:
    """Lines with bytes above 127, up to the sample's size: the others say nothing."""
    lines: list[bytes] = []
    size = 0
    at = 0
    while (high := _HIGH.search(data, at)) and size < _SAMPLE_BYTES:
        start = max(data.rfind(b"\n", at, high.start()) + 1, at, high.start() - _NEAR)
        newline = data.find(b"\n", high.start(), high.start() + _SAMPLE_BYTES)
        end = newline + 1 if newline >= 0 else high.start() + _SAMPLE_BYTES
        lines.append(data[start:end])
        size += end - start
        at = end
    return b"".join(lines)


def _candidates(declared: str) -> list[str]:
    """Codecs to try, the file's own claim first among the old ones."""
    names = ["utf-8"]
    for name in (declared, *_LANGUAGES):
        try:
            codec = codecs.lookup(name).name if name else ""
        except LookupError:
            continue
        # What calls itself Latin-1 or ASCII is in practice windows-1252.
        codec = "cp1252" if codec in ("iso8859-1", "ascii") else codec
        if codec and codec not in names and not codec.startswith(("utf-16", "utf-32")):
            names.append(codec)
    return names


def _attempt(sample: bytes, codec: str) -> str | None:
    """The sample in that encoding, or None when it cannot be that."""
    if codec == "utf-8":
        text, repairs = _repaired(sample)
        whole = len(_NOT_ASCII.findall(text)) - repairs
        return text if whole * 10 >= repairs and whole > 0 else None
    try:
        return sample.decode(codec, "strict" if codec in _DOUBLE else "replace")
    except UnicodeDecodeError:
        return None


def _plausibility(text: str) -> float:
    """Mean over characters above 127 of what each says for (1) or against (-1) the reading."""
    total, seen = 0.0, 0
    for match in _NOT_ASCII.finditer(text):
        at = match.start()
        before = text[at - 1] if at else " "
        after = text[at + 1] if at + 1 < len(text) else " "
        total += _weigh(match.group(), before, after)
        seen += 1
        if seen >= _SAMPLE_CHARACTERS:
            break
    return total / seen if seen else 0.0


def _weigh(char: str, before: str, after: str) -> float:
    if char == "\ufffd" or "\x80" <= char <= "\x9f" or "\ue000" <= char <= "\uf8ff":
        return -2.0
    if _CJK.match(char):
        beside_latin = _is_latin(before) or _is_latin(after)
        return -1.0 if beside_latin or not _is_common(char) else 1.0
    if _CJK_MARKS.match(char):
        return 1.0
    if char in _JOINING and before.isalpha() and after.isalpha():
        return 1.0
    if char.isalpha() and char not in "ªº":
        return _weigh_letter(char, before, after)
    if before.islower() and after.islower():
        return -1.0
    if char in _OPENING:
        return 1.0 if not before.isalnum() and not after.isspace() else 0.2
    if char in _CLOSING:
        return 1.0 if not before.isspace() else 0.2
    if char in _JOINING or char in "\xa0•":
        return 0.8
    return 0.5 if char in _MARKS else -0.5


def _weigh_letter(char: str, before: str, after: str) -> float:
    if char.isupper() and before.islower():
        return -1.0
    if _OTHER_SCRIPT.match(char) and (_is_latin(before) or _is_latin(after)):
        return -1.0
    if char in "ßŸƒµ" and not before.isalpha():
        return -0.5
    return 1.0 if before.isalpha() or after.isalpha() or char in "àÀéÉóÓ" else 0.0


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _is_common(char: str) -> bool:
    """Kana, a Hangul syllable of KS X 1001, or an ideograph of the first level of GB or Big5."""
    if "\u3040" <= char <= "\u30ff":
        return True
    if "\uac00" <= char <= "\ud7af":
        return len(char.encode("euc_kr", "ignore")) == 2
    common = char.encode("gb2312", "ignore")
    if len(common) == 2 and 0xB0 <= common[0] <= 0xD7:
        return True
    common = char.encode("big5", "ignore")
    if len(common) == 2 and 0xA4 <= common[0] <= 0xC6:
        return True
    common = char.encode("shift_jis", "ignore")
    return len(common) == 2 and 0x88 <= common[0] <= 0x97


def _settle(sample: bytes, declared: str) -> str:
    """The codec whose reading is most plausible.

    A reading in a language that is written in that encoding gets a bonus; among readings that are
    then nearly equal the more usual encoding wins.
    """
    readings: dict[str, str] = {}
    scores: dict[str, float] = {}
    for codec in _candidates(declared):
        text = _attempt(sample, codec)
        if text is None:
            continue
        readings[codec], scores[codec] = text, _plausibility(text)
        if codec == "utf-8" and scores[codec] > _CONVINCING:
            return codec
        if scores[codec] > _CONVINCING and codec in ("cp1252", declared):
            language, probability = identify(text)
            if probability > _CONVINCING and language in _LANGUAGES.get(codec, ()):
                return codec
    best = max(scores.values())
    for codec in [each for each in scores if scores[each] >= best - _LANGUAGE_BONUS]:
        language, probability = identify(readings[codec])
        if language in _LANGUAGES.get(codec, ()):
            scores[codec] += _LANGUAGE_BONUS * probability
    first = max(scores, key=lambda codec: scores[codec])
    if first in _DOUBLE:
        return first
    return next(codec for codec in scores if scores[codec] >= scores[first] - _TIE)


def _label(codec: str, data: bytes) -> str:
    if codec == "cp1252":
        return "windows-1252" if re.search(rb"[\x80-\x9f]", data) else "iso-8859-1"
    if codec == "gb18030":
        try:
            data.decode("gb2312")
        except UnicodeDecodeError:
            return "gb18030"
        return "gb2312"
    if codec.startswith("cp125"):
        return codec.replace("cp", "windows-")
    return {"cp932": "shift_jis", "cp949": "euc-kr", "mac-roman": "macintosh"}.get(codec, codec)


def _cp1252_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error("salon.cp1252", _cp1252_bytes)


def _repaired(data: bytes) -> tuple[str, int]:
    """UTF-8 with every run of bytes that is none read as windows-1252, and how many there were."""
    text = data.decode("utf-8", "salon.cp1252")
    lossy = data.decode("utf-8", "ignore")
    return text, len(text) - len(lossy)


def _repair_notes(repairs: int) -> tuple[str, ...]:
    if not repairs:
        return ()
    return (f"{repairs} characters were not UTF-8 and were read as windows-1252",)


_MOJIBAKE = re.compile(
    "[\u00c2-\u00f4\u0102\u0103][\u0080-\u00bf\u0152-\u0178\u02c6\u02dc\u2013-\u2122\u20ac]"
)


def _undo_mojibake(text: str) -> tuple[str, int]:
    """Lines that are UTF-8 once read as something else, put right; nothing else is touched."""
    if text.isascii() or not _MOJIBAKE.search(text):
        return text, 0
    repair = _line_repair()
    lines = text.split("\n")
    repaired = 0
    for at, line in enumerate(lines):
        if _MOJIBAKE.search(line):
            better = repair(line)
            if better != line:
                lines[at] = better
                repaired += 1
    return ("\n".join(lines), repaired) if repaired else (text, 0)


def _line_repair() -> Callable[[str], str]:
    import ftfy

    config = ftfy.TextFixerConfig(
        unescape_html=False,
        remove_terminal_escapes=False,
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        fix_line_breaks=False,
        remove_control_chars=False,
        replace_lossy_sequences=False,
        normalization=None,
        explain=False,
    )
    return lambda line: ftfy.fix_text(line, config)
