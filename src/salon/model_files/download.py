"""Bytes from a server, by ranges, through everything that interrupts them.

A drop, a 429 or a 5xx is asked again, with a pause, until `FetchSettings.attempts` tries in a row
brought nothing. Anything else that is not the bytes asked for ends the origin with OriginError.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import httpx

PYPI = "https://pypi.org/simple"
_UNREACHABLE_TRIES = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How files are fetched. Times in seconds; `patience` is the longest wait a server may ask for.

    `index_url` is a simple index of packages, as pip takes it (PIP_INDEX_URL).
    """

    index_url: str = PYPI
    timeout: float = 30.0
    attempts: int = 6
    pause: float = 0.5
    patience: float = 120.0


class OriginError(Exception):
    """This origin cannot give the file; the text says why, for a person."""


class DamagedError(OriginError):
    """What arrived is not the file."""


class _Interrupted(Exception):
    """Worth asking again, after `wait` seconds where the server said so (0 unknown)."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


def open_client(settings: FetchSettings) -> httpx.Client:
    """A client with the settings' time-out that follows redirects, as file hosts need."""
    import httpx

    from salon.model_files.file_transport import FileTransport

    return httpx.Client(
        timeout=settings.timeout, follow_redirects=True, mounts={"file://": FileTransport()}
    )


def shown(url: str) -> str:
    """The address without a user and password, for messages."""
    return re.sub(r"//[^/@]*@", "//", url)


def retry_after(value: str | None) -> float:
    """Seconds of a Retry-After header, which may be a number or a date; 0 when there is none."""
    if not value:
        return 0.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return 0.0


def fetch_text(
    client: httpx.Client, url: str, accept: str, settings: FetchSettings
) -> tuple[str, str]:
    """The whole of a small resource and its media type."""

    def once() -> tuple[str, str]:
        with closing(_open(client, url, {"Accept": accept})) as response:
            response.read()
            return response.text, response.headers.get("content-type", "")

    return _insist(once, settings, lambda: 0)


def fetch_tail(
    client: httpx.Client, url: str, length: int, settings: FetchSettings
) -> tuple[bytes, int]:
    """The last `length` bytes (or all, when there are fewer) and the size of the whole."""

    def once() -> tuple[bytes, int]:
        with closing(_open(client, url, {"Range": f"bytes=-{length}"})) as response:
            if response.status_code == 206:
                return response.read(), _total(response)
            # A server without ranges sends everything; only the end is kept.
            tail, total = b"", 0
            for chunk in response.iter_raw():
                tail, total = (tail + chunk)[-length:], total + len(chunk)
            return tail, total

    return _insist(once, settings, lambda: 0)


def download(
    client: httpx.Client,
    url: str,
    into: Path,
    span: tuple[int, int],
    settings: FetchSettings,
    report: Callable[[int], None],
) -> None:
    """Makes `into` the bytes of `url` in the half-open `span`, going on where it ends already.

    `report` is told the length of `into`. Raises OriginError and leaves what arrived.
    """
    first, stop = span

    def have() -> int:
        return into.stat().st_size if into.exists() else 0

    def once() -> None:
        with into.open("ab") as out:
            for chunk in _stream(client, url, first + out.tell(), stop):
                out.write(chunk)
                report(out.tell())
        if have() < stop - first:
            raise _Interrupted("the server ended the transfer early")

    if have() > stop - first:
        into.unlink()
    if have() < stop - first:
        _insist(once, settings, have)


def _insist(once: Callable[[], T], settings: FetchSettings, have: Callable[[], int]) -> T:
    """Runs `once` until it succeeds; tries that brought bytes do not count against it."""
    import httpx

    failures, before = 0, have()
    while True:
        limit = settings.attempts
        try:
            return once()
        except (httpx.TransportError, _Interrupted) as problem:
            reason = str(problem) or type(problem).__name__
            wait = problem.wait if isinstance(problem, _Interrupted) else 0.0
            if isinstance(problem, httpx.ConnectError) and not have():
                limit = min(limit, _UNREACHABLE_TRIES)  # offline: say so soon
        failures = 0 if have() > before else failures + 1
        before = have()
        if failures >= limit:
            raise OriginError(f"{reason} ({failures} tries)")
        if wait > settings.patience:
            raise OriginError(f"{reason}; it asks to wait {wait:.0f} s")
        time.sleep(wait or settings.pause * 2 ** min(failures, 5))


def _open(client: httpx.Client, url: str, headers: dict[str, str]) -> httpx.Response:
    """A response whose body is still to be read; the caller closes it."""
    import httpx

    if url.startswith("file:///"):
        url = f"file://localhost{url[7:]}"  # httpx takes an address without a host as relative
    try:
        request = client.build_request(
            "GET", url, headers={"Accept-Encoding": "identity"} | headers
        )
        response = client.send(request, stream=True)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.TooManyRedirects) as problem:
        raise OriginError(f"{shown(url)}: {problem}") from problem
    status = response.status_code
    if status in (200, 206):
        return response
    response.close()
    reason = f"{shown(url)} answered {status} {response.reason_phrase}".rstrip()
    if status in (408, 425, 429) or status >= 500:
        raise _Interrupted(reason, retry_after(response.headers.get("retry-after")))
    raise OriginError(reason)


def _stream(client: httpx.Client, url: str, start: int, stop: int) -> Iterator[bytes]:
    """Exactly the bytes `start:stop`, or fewer when the connection ends."""
    with closing(_open(client, url, {"Range": f"bytes={start}-{stop - 1}"})) as response:
        position = 0
        if response.status_code == 206:
            position = _first(response)
            if position != start:
                raise OriginError(f"{shown(url)} answered with another range than asked for")
        # Chunks as they come: filling them up would lose what came before a drop.
        for chunk in response.iter_raw():
            piece = chunk[max(0, start - position) : max(0, stop - position)]
            position += len(chunk)
            if piece:
                yield piece
            if position >= stop:
                return


def _content_range(response: httpx.Response) -> re.Match[str]:
    value = response.headers.get("content-range", "")
    match = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", value)
    if match is None:
        raise OriginError(f"{shown(str(response.url))} answered with the range '{value}'")
    return match


def _first(response: httpx.Response) -> int:
    return int(_content_range(response)[1])


def _total(response: httpx.Response) -> int:
    return int(_content_range(response)[2])
