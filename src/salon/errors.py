"""The one exception tree.

SalonError
├── ConfigError                a file of the house or a setting is wrong
│   └── NotFoundError          a persona, passage, source or backend that does not exist
├── InputError                 what the caller sent cannot be used (an empty question)
├── SourceError                a file cannot be used as a source
│   └── ScanError              it holds pictures of pages and no text: recognition can help
├── IndexError_                the index cannot be used or built
│   ├── IndexMissingError      nothing was built yet
│   ├── IndexMismatchError     built with another embedder, or the canaries do not find themselves
│   ├── IndexBusyError         another process is building it
│   └── IndexStoppedError      building was stopped on request; what was embedded is kept
├── RetrievalUnavailable       a search could not run (never an empty result)
├── ModelUnavailable           a chat or embedding model refused, failed or fell silent
├── MemoryError_               a persona's memory cannot be used
│   ├── MemorySealError        files of it are not what was sealed
│   └── MemoryBusyError        another process is writing to it
├── StateError                 the house's database cannot be used
└── ModelFileError             a model file is missing, damaged or cannot be fetched

Every message says what was wrong; `expected` and `cure` say what was expected and what to do.
"""

from __future__ import annotations


class SalonError(Exception):
    """`code` is stable and machine-readable; str() is the whole text for a person.

    `correlation_id` is that of the question which failed, "" outside of questions.
    """

    code = "error"
    correlation_id = ""

    def __init__(self, problem: str, *, expected: str = "", cure: str = "") -> None:
        self.problem = problem
        self.expected = expected
        self.cure = cure
        super().__init__(problem)

    def __str__(self) -> str:
        text = self.problem
        if self.expected:
            text += f"\nExpected: {self.expected}"
        if self.cure:
            text += f"\nTo fix it: {self.cure}"
        return text


class ConfigError(SalonError):
    """`file`, `line` (1-based, 0 unknown) and `key` say where."""

    code = "config"

    def __init__(
        self,
        problem: str,
        *,
        file: str = "",
        line: int = 0,
        key: str = "",
        expected: str = "",
        cure: str = "",
    ) -> None:
        self.file, self.line, self.key = file, line, key
        where = ":".join(str(part) for part in (file, line or "") if part)
        prefix = ", ".join(part for part in (where, f"key '{key}'" if key else "") if part)
        super().__init__(
            f"{prefix}: {problem}" if prefix else problem, expected=expected, cure=cure
        )


class NotFoundError(ConfigError):
    """`known` lists what there is instead."""

    code = "not_found"

    def __init__(
        self, problem: str, *, known: tuple[str, ...] = (), expected: str = "", cure: str = ""
    ) -> None:
        self.known = known
        super().__init__(problem, expected=expected, cure=cure)


class InputError(SalonError):
    code = "input"


class SourceError(SalonError):
    """`name` is the file's path below `sources/`."""

    code = "source"

    def __init__(self, name: str, problem: str, *, expected: str = "", cure: str = "") -> None:
        self.name = name
        super().__init__(f"{name}: {problem}", expected=expected, cure=cure)


class ScanError(SourceError):
    """`kind` is "pdf" or "image"; `pages` is how many pictures of pages it has."""

    code = "scan"

    def __init__(
        self,
        name: str,
        problem: str,
        *,
        kind: str,
        pages: int,
        expected: str = "",
        cure: str = "",
    ) -> None:
        self.kind, self.pages = kind, pages
        super().__init__(name, problem, expected=expected, cure=cure)


class IndexError_(SalonError):
    code = "index"


class IndexMissingError(IndexError_):
    code = "index_missing"


class IndexMismatchError(IndexError_):
    code = "index_mismatch"


class IndexBusyError(IndexError_):
    code = "index_busy"


class IndexStoppedError(IndexError_):
    code = "index_stopped"


class RetrievalUnavailable(SalonError):
    code = "retrieval_unavailable"


class ModelUnavailable(SalonError):
    """`status` is the HTTP status where there was one; `retry_after` is in seconds, 0 unknown."""

    code = "model_unavailable"

    def __init__(
        self,
        problem: str,
        *,
        status: int = 0,
        retry_after: float = 0.0,
        expected: str = "",
        cure: str = "",
    ) -> None:
        self.status, self.retry_after = status, retry_after
        super().__init__(problem, expected=expected, cure=cure)


class MemoryError_(SalonError):
    code = "memory"


class MemorySealError(MemoryError_):
    """`faults` are one line for each file that is not what was sealed."""

    code = "memory_seal"

    def __init__(self, problem: str, *, faults: tuple[str, ...], cure: str = "") -> None:
        self.faults = faults
        shown = "".join(f"\n  {fault}" for fault in faults[:20])
        more = f"\n  and {len(faults) - 20:,} more" if len(faults) > 20 else ""
        super().__init__(f"{problem}:{shown}{more}", cure=cure)


class MemoryBusyError(MemoryError_):
    code = "memory_busy"


class StateError(SalonError):
    code = "state"


class ModelFileError(SalonError):
    code = "model_file"
