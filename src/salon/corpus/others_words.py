"""Stretches of a source that are probably somebody else's words, proposed to be left out.

An editor's introduction is told by its heading ("Translator's Preface", "Life of Emerson"), and by
its style: who writes of himself says "I", who writes of the author names him. A preface without
either sign is left to be the author's own. Nothing is left out by this: a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from salon.corpus.headings import CONTENTS
from salon.corpus.leaving_out import part_label
from salon.corpus.outline import Outline, Stretch
from salon.corpus.textmap import to_original
from salon.types import OriginalSpan, Proposal, ProposalKind, Source, Span

# Proposals below this are not worth a person's time.
_LEAST = 0.5
_TITLES: tuple[tuple[re.Pattern[str], ProposalKind, float], ...] = (
    (re.compile(r"(?:(?:the|original)\s+)?(?:editor|translator|publisher|transcriber|printer"
                r"|compiler|collector)\b", re.I), "introduction", 0.9),
    (re.compile(r"(?:a\s+)?(?:biographical|introductory|prefatory)\s+(?:note|sketch|essay|memoir)",
                re.I), "biography", 0.8),
    (re.compile(r"(?:critical opinions|criticisms?\b|opinions of the press|reviews?\b)", re.I),
     "criticism", 0.8),
    (re.compile(r"(?:chief events|chronolog\w+|bibliograph\w+|glossary|concordance|errata|index\b"
                r"|list of (?:works|illustrations|plates)|works cited)", re.I), "apparatus", 0.8),
    (re.compile(r"(?:advertisements?|also by|books by|other works)\b", re.I), "advertisement", 0.7),
    (re.compile(r"(?:general\s+)?introduct(?:ion|ory)|einleitung|avant-propos|introducci[oó]n",
                re.I), "introduction", 0.6),
    (re.compile(r"(?:foreword|vorwort|afterword|nachwort|prologue by)", re.I), "preface", 0.5),
    (re.compile(r"(?:preface|pr[eé]face|pr[oó]logo|vorrede)", re.I), "preface", 0.35),
    (re.compile(r"(?:notes?|endnotes|annotations|remarks)\b[^a-z]*$|notes (?:on|to|by)\b", re.I),
     "note", 0.5),
    (re.compile(r"append(?:ix|ices)|anhang|ap[eé]ndice", re.I), "apparatus", 0.4),
    (re.compile(r"footnotes$", re.I), "note", 0.3),
)  # fmt: skip
_LIFE = re.compile(
    r"(?:the\s+)?(?:life|memoir|portrait|character|account|death|biography|sketch|story)\b.*\bof\b",
    re.IGNORECASE,
)
_BY = re.compile(
    r"\bby\s+(?:(?:mrs?|miss|dr|prof|sir|lord)\.?\s+)?([A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+)*)"
)
_ED = re.compile(
    r"(?:[-—–]|\[|\()\s*(?:ed\.?|editor|tr\.?|trans(?:l|lator)?\.?)\s*[\])]?(?=\s|$)", re.I
)
_NOTE = re.compile(
    r"\[(?:editor|ed\.|translator|tr\.|editorial note|note by|transcriber)[^\[\]]{3,2000}\]", re.I
)
_FIRST = re.compile(r"\b(?:I|me|my|mine|myself|je|moi|mon|ma|ich|mich|mir|mein\w*|yo|mi)\b")
_WORD = re.compile(r"\w+")
_OPENING = 200
_SAMPLE = 60_000
_NAMED, _OFTEN = 0.7, 3
_SPEAKS = 6.0
_UNSIGNED = 0.6
_GAP = 400
# A section that is nearly all of a source was not told from the rest.
_MOST = 0.8
_SHOWN = 80
_CHAPTER = re.compile(r"(?:chapter|book|part|letter|lecture|section|[IVXLC]+\b|\d)", re.I)


@dataclass(frozen=True, slots=True)
class _Style:
    """Of a stretch: words, mentions of the author and of the first person per 1,000 words."""

    words: int
    mentions: int
    named: float
    speaks: float


def propose(source: Source, author: str = "") -> tuple[Proposal, ...]:
    """Proposals in the order of the text; `author` is the person's name if the file tells none."""
    surname = _surname(author or source.info.author)
    found: list[Proposal] = []
    for span, kind, title, certainty, why in _joined(_sections(source, surname)):
        if certainty >= _LEAST:
            found += _proposals(source, span, kind, title, certainty, why)
    covered = [(each.part, each.start, each.end) for each in found]
    for match in _NOTE.finditer(source.text):
        why = "it says that it is an editor's note"
        for each in _proposals(source, Span(*match.span()), "note", "", 0.8, why):
            inside = any(p == each.part and s <= each.start < e for p, s, e in covered)
            found += [] if inside else [each]
    return tuple(sorted(found, key=lambda each: (_order(source, each.part), each.start)))


def _order(source: Source, part: str) -> int:
    labels = [part_label(source.info.name, each) for each in source.parts]
    return labels.index(part) if part in labels else 0


_Found = tuple[Span, ProposalKind, str, float, str]


def _sections(source: Source, surname: str) -> Iterator[_Found]:
    outline = Outline(source)
    stretches = [each for each in outline.stretches if each.path]
    for place, stretch in enumerate(stretches):
        title = stretch.path[-1].title
        after = stretches[place + 1] if place + 1 < len(stretches) else None
        end = stretch.end
        # A title of its own over what stands before the first words ("Introduction" + subtitle).
        if after is not None and _is_title_over(stretch, after):
            end = after.end
        text = source.text[stretch.body : end]
        if not text.strip() or CONTENTS.match(title) or len(text) > _MOST * len(source.text):
            continue
        style = _style(text, surname)
        kind, certainty, why = _judged(title, style, surname, text)
        if kind is not None:
            yield Span(stretch.start, end), kind, title, certainty, why


def _is_title_over(stretch: Stretch, after: Stretch) -> bool:
    small = stretch.end - stretch.body < _OPENING
    return (
        small and not _CHAPTER.match(after.path[-1].title) and _kind(stretch.path[-1].title)[1] > 0
    )


def _kind(title: str) -> tuple[ProposalKind | None, float]:
    for pattern, kind, certainty in _TITLES:
        if pattern.match(title):
            return kind, certainty
    return None, 0.0


def _judged(
    title: str, style: _Style, surname: str, text: str
) -> tuple[ProposalKind | None, float, str]:
    """What a section is taken for, how surely, and why."""
    kind, certainty = _kind(title)
    why = f"its heading is '{title}'" if kind else ""
    by = _BY.search(title)
    if kind and by and surname and surname.lower() not in by.group(1).lower():
        return kind, 0.95, f"its heading names {by.group(1)}"
    if surname and _LIFE.match(title) and surname.lower() in title.lower():
        return "biography", 0.85, f"its heading speaks of {surname}"
    if _ED.search(text[-_OPENING:]) or len(_ED.findall(text[:_SAMPLE])) >= _OFTEN:
        kind, certainty = kind or "note", max(certainty, 0.5) + 0.2
        why = f"{why} and " * bool(why) + "it is signed by an editor or translator"
    often = style.mentions >= _OFTEN and style.named >= _NAMED
    if kind and often:
        certainty += 0.3
        why += f" and it names {surname} {style.mentions} times"
    elif kind and style.mentions == 0 and style.speaks > _SPEAKS:
        certainty -= 0.2
    elif kind and surname and style.mentions == 0 and certainty <= _UNSIGNED:
        certainty -= 0.15
    elif kind is None and often and style.named > 2 * _NAMED and style.speaks < _SPEAKS / 2:
        kind, certainty = "criticism", 0.55
        why = f"it names {surname} {style.mentions} times and hardly says 'I'"
    return kind, min(certainty, 0.95), why


def _style(text: str, surname: str) -> _Style:
    sample = text[:_SAMPLE]
    words = max(len(_WORD.findall(sample)), 1)
    named = re.findall(rf"\b{re.escape(surname)}\b", sample, re.IGNORECASE) if surname else []
    spoken = len(_FIRST.findall(sample))
    return _Style(words, len(named), 1_000 * len(named) / words, 1_000 * spoken / words)


def _surname(author: str) -> str:
    """The last name of "Friedrich Nietzsche" and of "Nietzsche, Friedrich"; "" for none."""
    name = re.sub(r"\[[^\]]*\]|\([^)]*\)|,?\s*\d.*$", "", author).strip()
    if "," in name:
        name = name.partition(",")[0]
    words = name.split()
    # "Leonardo da Vinci" is called by his first name, as are those with one name.
    small = [place for place, word in enumerate(words) if word in ("da", "of", "von", "Da")]
    word = words[0] if small and small[0] == 1 and words[small[0]] in ("da", "Da", "of") else ""
    return word or (words[-1] if words else "")


def _joined(found: Iterator[_Found]) -> list[_Found]:
    """Without those inside another."""
    kept: list[_Found] = []
    for each in found:
        if kept and each[0].start < kept[-1][0].end:
            continue
        kept.append(each)
    return kept


def _proposals(
    source: Source, span: Span, kind: ProposalKind, title: str, certainty: float, why: str
) -> list[Proposal]:
    """One for each unbroken stretch of the original."""
    runs: list[OriginalSpan] = []
    for each in to_original(source, span):
        last = runs[-1] if runs else None
        if last and last.part == each.part and 0 <= each.start - last.end <= _GAP:
            runs[-1] = replace(last, end=each.end)
        else:
            runs.append(each)
    words = " ".join(source.text[span.start : min(span.end, span.start + 4 * _SHOWN)].split())
    proposals: list[Proposal] = []
    for place, run in enumerate(runs):
        characters = run.end - run.start if len(runs) > 1 else len(span)
        proposals.append(
            Proposal(
                part=part_label(source.info.name, run.part),
                start=run.start,
                end=run.end,
                kind=kind,
                title=title,
                why=why,
                begins=_words_at(source, run) if place or len(runs) > 1 else words[:_SHOWN],
                characters=characters,
                certainty=round(certainty, 2),
            )
        )
    return proposals


def _words_at(source: Source, run: OriginalSpan) -> str:
    """The first words of a stretch of the original, as the cleaned text has them."""
    number = source.parts.index(run.part)
    for piece in source.pieces:
        if piece.part == number and piece.part_start <= run.start < piece.part_start + piece.length:
            start = piece.start + run.start - piece.part_start
            end = min(piece.start + piece.length, start + 2 * _SHOWN)
            return " ".join(source.text[start:end].split())[:_SHOWN]
    return ""
