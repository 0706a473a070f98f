"""Zip archives of documents, which are not trusted: members are read within limits."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

from salon.corpus.decode import decode
from salon.errors import SourceError

if TYPE_CHECKING:
    from lxml.etree import _Element

_MOST_MEMBERS = 10_000
_MOST_BYTES = 512 << 20
_MOST_MEMBER_BYTES = 64 << 20
_HIGHEST_RATIO = 200
_RATIO_FROM = 1 << 20
# What the zip module raises for members that are damaged, encrypted or packed in unknown ways.
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, OSError,
    RuntimeError, struct.error, ValueError,
)  # fmt: skip


def xml_tree(data: bytes, *, recover: bool = True) -> _Element | None:
    """A tree without entities resolved and without network; None when there is none."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=recover)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None


class Archive:
    """A zip archive whose members are read within limits; `sizes` are the expanded ones.

    `what` names it in errors ("an EPUB").
    """

    def __init__(self, data: bytes, name: str, what: str) -> None:
        self.name, self._what = name, what
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise self.damaged(str(error)) from error
        members = self._archive.infolist()
        if len(members) > _MOST_MEMBERS:
            raise self._bomb(f"it holds {len(members)} members", f"at most {_MOST_MEMBERS}")
        self.sizes = {member.filename: member.file_size for member in members}
        expanded = sum(member.file_size for member in members)
        if expanded > _MOST_BYTES:
            raise self._bomb(
                f"it expands to {expanded / 1e6:.0f} MB", f"at most {_MOST_BYTES / 1e6:.0f} MB"
            )

    def read(self, member: str) -> bytes:
        try:
            info = self._archive.getinfo(member)
        except KeyError as error:
            raise self.damaged(f"the member {member} is missing") from error
        if info.flag_bits & 1:
            raise SourceError(
                self.name, "it is encrypted", expected="a file without copy protection"
            )
        ratio = info.file_size / max(info.compress_size, 1)
        if info.file_size > _RATIO_FROM and ratio > _HIGHEST_RATIO:
            raise self._bomb(
                f"{member} expands to {ratio:.0f} times its size", f"at most {_HIGHEST_RATIO} times"
            )
        try:
            with self._archive.open(info) as file:
                # The directory may lie about sizes: what counts is what comes out.
                data = file.read(_MOST_MEMBER_BYTES + 1)
        except _UNREADABLE as error:
            raise self.damaged(f"{member}: {error}") from error
        if len(data) > _MOST_MEMBER_BYTES:
            raise self._bomb(f"{member} is larger than {_MOST_MEMBER_BYTES / 1e6:.0f} MB", "a text")
        return data

    def text(self, member: str) -> str:
        return decode(self.read(member), f"{self.name} ({member})").text

    def xml(self, member: str) -> _Element:
        """A tree without entities resolved and without network."""
        root = xml_tree(self.read(member))
        if root is None:
            raise self.damaged(f"{member} is not XML")
        return root

    def _bomb(self, problem: str, expected: str) -> SourceError:
        return SourceError(self.name, problem, expected=expected, cure="take it out of the folder")

    def damaged(self, problem: str) -> SourceError:
        return SourceError(
            self.name,
            f"it is not sound as {self._what}: {problem}",
            expected="a whole file, as it was published",
            cure="fetch it again, or convert it to text",
        )
