"""TEI-XML editions: divisions and their heads, verse, speeches, notes apart; other XML as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from salon.corpus.decode import decode
from salon.corpus.extract import Extract, Facts
from salon.corpus.formats.archive import xml_tree
from salon.corpus.formats.writing import Writer
from salon.corpus.language import code_of
from salon.errors import SourceError

if TYPE_CHECKING:
    from lxml.etree import _Element

_LIMIT = 128 << 20
# Running heads, what the author struck out, and the facsimile's own data.
_SKIPPED = frozenset(
    {"fw", "del", "surplus", "teiHeader", "facsimile", "figDesc", "standOff", "listBibl", "index"}
    | {"desc", "sourceDoc"}
)
_BLOCKS = frozenset(
    {"p", "ab", "head", "stage", "opener", "closer", "dateline", "salute", "signed", "byline"}
    | {"trailer", "item", "quote", "epigraph", "argument", "cell", "row", "label", "docTitle"}
    | {"docAuthor", "docDate", "docImprint", "titlePart", "castItem", "postscript", "address"}
)
# Of two readings of a place: corrected over erroneous, but the old spelling over the new.
_CHOSEN = ("corr", "orig", "expan", "reg", "sic", "abbr", "unclear")
_DIVISION = re.compile(r"div[1-7]?$")
_SPACE = re.compile(r"[ \t\n\r]+")
_DEEPEST = 120
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def read_xml(data: bytes, name: str) -> Extract:
    """The text of an edition; raises SourceError when it is no XML or holds no words."""
    if len(data) > _LIMIT:
        raise SourceError(
            name, f"it is {len(data) / 1e6:.0f} MB of XML",
            expected=f"at most {_LIMIT / 1e6:.0f} MB", cure="divide it into several files",
        )  # fmt: skip
    root = xml_tree(data)
    if root is None:
        # The declaration may name another encoding than the bytes are in.
        decoded = re.sub(r"^\s*<\?xml[^>]*\?>", "", decode(data, name).text)
        root = xml_tree(decoded.encode("utf-8", "replace"))
    if root is None:
        raise SourceError(
            name,
            "it is not XML",
            expected="a TEI-XML edition",
            cure="give the file the ending it deserves, or convert it to text",
        )
    if _local(root) == "html":
        from salon.corpus.formats.web import read_html

        return read_html(data, name)
    writer = Writer()
    texts = [each for each in root.iter("{*}text") if not _inside_text(each)]
    for edition in texts or [root]:
        _Edition(writer).walk(edition, 0, 0)
    if not writer.length:
        raise SourceError(name, "it holds no text", expected="an edition with words in it")
    is_tei = _local(root) in ("TEI", "teiCorpus", "TEI.2") or bool(texts)
    return Extract(
        kind="tei" if is_tei else "xml",
        parts=(writer.part(),),
        facts=_facts(root),
        encoding="utf-8",
        marked=bool(writer.headings),
    )


def _inside_text(element: _Element) -> bool:
    return any(_local(above) == "text" for above in element.iterancestors())


def _local(element: _Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


class _Edition:
    """Writes an edition's blocks; notes wait for the end of the block that they stand in."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._notes: list[tuple[str, str]] = []
        self._count = 0

    def walk(self, element: _Element, level: int, depth: int) -> None:
        """The blocks below an element; words outside of any block are one as well."""
        loose: list[str] = [element.text or ""]
        for child in element:
            tag = _local(child)
            if tag and tag not in _SKIPPED and depth < _DEEPEST:
                if self._is_block(child, tag):
                    self._loose(loose)
                    self._block(child, tag, level, depth)
                else:
                    loose.append(self._words(child, depth + 1))
            loose.append(child.tail or "")
        self._loose(loose)

    def _is_block(self, element: _Element, tag: str) -> bool:
        structural = _DIVISION.match(tag) or tag in _BLOCKS
        holders = ("lg", "sp", "l", "list", "table", "text", "front", "body", "back", "group")
        if structural or tag in holders or tag == "floatingText":
            return True
        return any(
            _DIVISION.match(name) or name in _BLOCKS or name in holders
            for name in map(_local, element)
        )

    def _block(self, element: _Element, tag: str, level: int, depth: int) -> None:
        if tag == "head":
            self._paragraph(self._words(element, depth), max(level, 1))
        elif tag == "lg":
            self._stanza(element, level, depth)
        elif tag == "l":
            self._paragraph(self._words(element, depth))
        elif tag == "sp":
            self._speech(element, depth)
        elif tag in _BLOCKS and not any(self._is_block(c, _local(c)) for c in element):
            self._paragraph(self._words(element, depth))
        else:
            self.walk(element, level + bool(_DIVISION.match(tag)), depth + 1)

    def _stanza(self, element: _Element, level: int, depth: int) -> None:
        if any(_local(child) == "lg" for child in element):
            self.walk(element, level, depth + 1)
            return
        lines: list[str] = []
        for child in element:
            tag = _local(child)
            if tag == "head":
                self._paragraph(self._words(child, depth + 1), max(level, 1))
            elif tag and tag not in _SKIPPED:
                lines.append(_flat(self._words(child, depth + 1)))
        self._paragraph("\n".join(line for line in lines if line))

    def _speech(self, element: _Element, depth: int) -> None:
        """A speaker's label and words are one paragraph."""
        speaker, said = "", []
        for child in element:
            tag = _local(child)
            if tag == "speaker":
                speaker = _flat(self._words(child, depth + 1)).rstrip(".:")
            elif tag == "lg":
                said += [_flat(self._words(line, depth + 2)) for line in child]
            elif tag and tag not in _SKIPPED:
                said.append(_flat(self._words(child, depth + 1)))
        words = "\n".join(line for line in said if line)
        self._paragraph(f"{speaker}: {words}" if speaker else words)

    def _words(self, element: _Element, depth: int) -> str:
        """Running text; a note leaves its mark and waits."""
        tag = _local(element)
        if depth > _DEEPEST or not tag:
            return ""
        if tag == "note":
            self._count += 1
            mark = element.get("n") or str(self._count)
            self._notes.append((mark, " ".join("".join(map(str, element.itertext())).split())))
            return f"[{mark}]"
        if tag == "choice":
            chosen = {_local(child): child for child in element}
            first = next((chosen[each] for each in _CHOSEN if each in chosen), None)
            return self._words(first, depth + 1) if first is not None else ""
        if tag in _SKIPPED or tag in ("pb", "gb", "milestone"):
            return ""
        if tag in ("lb", "cb"):
            return "" if element.get("break") == "no" else " "
        found = [element.text or ""]
        for child in element:
            found += [self._words(child, depth + 1), child.tail or ""]
        return "".join(found)

    def _loose(self, words: list[str]) -> None:
        self._paragraph("".join(words))
        words.clear()

    def _paragraph(self, words: str, level: int = 0) -> None:
        lines = [_flat(line) for line in words.split("\n")]
        is_verse = "\n" in words and level == 0 and all(lines)
        self._writer.paragraph("\n".join(lines) if is_verse else _flat(words), level=level)
        for mark, note in self._notes:
            self._writer.note(note, mark)
        self._notes.clear()


def _flat(words: str) -> str:
    return _SPACE.sub(" ", words).strip()


def _facts(root: _Element) -> Facts:
    def first(*paths: str) -> str:
        for path in paths:
            found = root.find(path)
            words = _flat("".join(map(str, found.itertext()))) if found is not None else ""
            if words:
                return words
        return ""

    header = ".//{*}teiHeader"
    text = root.find(".//{*}text")
    language = text.get(_XML_LANG, "") if text is not None else ""
    return Facts(
        title=first(f"{header}//{{*}}titleStmt/{{*}}title"),
        author=first(f"{header}//{{*}}titleStmt/{{*}}author"),
        date=first(f"{header}//{{*}}sourceDesc//{{*}}date", f"{header}//{{*}}creation/{{*}}date"),
        language=code_of(language or root.get(_XML_LANG, "")),
        licence=first(f"{header}//{{*}}availability//{{*}}licence"),
        origin=first(f"{header}//{{*}}publicationStmt//{{*}}idno"),
    )
