"""Whether words stand in the sources of another persona of the house."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path

from salon.answer.quote_file import DamagedFile
from salon.answer.quote_index import Place, QuoteIndex
from salon.errors import IndexError_
from salon.house.corpus import QUOTES_FILE
from salon.index.folder import IndexFolder

_KEPT = 64


class Others:
    """The indexes of quotations of all personas but one. Thread-safe; blocking.

    `root` is the folder of the house's indexes. Only what is built already is asked: another
    persona's index of quotations is made when it is indexed, or at its own first question.
    """

    def __init__(self, root: Path, persona_id: str) -> None:
        self._root = root
        self._own = persona_id
        self._lock = threading.Lock()
        self._open: OrderedDict[Path, QuoteIndex] = OrderedDict()

    def __call__(self, quotation: str) -> Sequence[tuple[str, Place]]:
        """The personas that have these words letter for letter, each with its first place."""
        found = []
        for persona, index in self._indexes():
            if places := index.find(quotation):
                found.append((persona, places[0]))
        return found

    def _indexes(self) -> Iterator[tuple[str, QuoteIndex]]:
        for folder in sorted(self._root.iterdir()) if self._root.is_dir() else ():
            if folder.name == self._own or not folder.is_dir():
                continue
            try:
                path = IndexFolder(folder).current() / QUOTES_FILE
                yield folder.name, self._index(path)
            except (IndexError_, DamagedFile, OSError):
                continue  # it is not built, or being replaced: its own questions will say so

    def _index(self, path: Path) -> QuoteIndex:
        with self._lock:
            index = self._open.pop(path, None) or QuoteIndex.at(path)
            self._open[path] = index
            while len(self._open) > _KEPT:
                self._open.popitem(last=False)
            return index
