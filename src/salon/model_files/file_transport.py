"""Addresses that begin with file://: an index on a disk or a stick, where there is no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.request import url2pathname

import httpx

_CHUNK = 1 << 18


class FileTransport(httpx.BaseTransport):
    """Answers a request for a file as a server with ranges would; a folder gives its index.html."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        path = Path(url2pathname(request.url.raw_path.decode()))
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            return httpx.Response(404)
        size = path.stat().st_size
        first, stop, status = 0, size, 200
        if span := re.fullmatch(r"bytes=(\d*)-(\d*)", request.headers.get("range", "")):
            status = 206
            if span[1]:
                first, stop = int(span[1]), min(int(span[2] or size) + 1, size)
            else:
                first = max(0, size - int(span[2]))
        headers = {"Content-Range": f"bytes {first}-{stop - 1}/{size}"} if status == 206 else {}
        return httpx.Response(status, headers=headers, stream=_Span(path, first, stop))


class _Span(httpx.SyncByteStream):
    def __init__(self, path: Path, first: int, stop: int) -> None:
        self._path, self._first, self._stop = path, first, stop

    def __iter__(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            file.seek(self._first)
            while chunk := file.read(min(_CHUNK, self._stop - file.tell())):
                yield chunk
