"""A part's text as it is written paragraph by paragraph, with headings and notes on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

from salon.corpus.extract import Drop, Heading, Part


@dataclass(slots=True)
class Writer:
    """Collects paragraphs. Notes are written where they are met and are drops that stand apart."""

    written: list[str] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    drops: list[Drop] = field(default_factory=list)
    length: int = 0

    def put(self, text: str) -> None:
        self.written.append(text)
        self.length += len(text)

    def paragraph(self, text: str, *, level: int = 0, gap: str = "\n\n") -> None:
        """A paragraph, or a heading of that level; one without words is passed over."""
        text = text.strip("\n")
        if not text.strip():
            return
        self.put(gap if self.length else "")
        if level:
            title = " ".join(text.split())
            self.headings.append(Heading(self.length, self.length + len(text), level, title))
        self.put(text)

    def note(self, text: str, mark: str) -> None:
        """A footnote, behind the paragraph that it belongs to."""
        words = " ".join(text.split())
        if not words:
            return
        start = self.length
        self.put("\n\n" if self.length else "")
        self.put(f"[{mark}] {words}")
        self.drops.append(Drop(start, self.length, "footnote", apart=True))

    def part(self, name: str = "") -> Part:
        return Part(name, "".join(self.written), tuple(self.headings), tuple(self.drops))
