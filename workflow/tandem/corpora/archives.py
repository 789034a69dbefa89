"""Reading members of zip and tar archives, and of Debian packages, without trusting them.

Zip members are read in place, tar archives are unpacked into one temporary file without a name, so
no member can be written elsewhere, and nothing is left of them however the process ends. A Debian
package (deb(5)) is an `ar` archive, of whose members the tar `data.tar.*` holds what is installed.
An archive with a member or a link that points outside its folder is refused as a whole, since its
other members cannot be trusted either.
"""

from __future__ import annotations

import contextlib
import io
import os
import posixpath
import re
import shutil
import struct
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from tandem.errors import InputError, writing
from tandem.files.io import MAX_DOCUMENT_BYTES, stream_lines, unpacked
from tandem.files.untrusted import Metered, refusing, refusing_each

_HEADER_BYTES = 1 << 20
"""Most bytes before a member of a tar: long names, and records of other standards."""
_NO_ARCHIVE = "no zip or tar archive, or a truncated or damaged one"
_AR, _AR_HEADER = b"!<arch>\n", struct.Struct("16s12s6s6s8s10s2s")
"""How an `ar` archive begins, and what precedes a member: its name, ..., its size, two bytes."""
_AR_MEMBERS = 100
"""Most members of an `ar` archive that are passed over: a Debian package has three."""
_REMEDY = "Do not use it; fetch it from its publisher"
MAX_BYTES = 64 << 30
"""Most bytes that all members together may unpack to."""
MAX_RATIO, FREE_BYTES = 200, 16 << 20
"""Highest ratio of unpacked to packed bytes, from FREE_BYTES on: text has 4, wheels up to 47."""


@dataclass(frozen=True)
class Archive:
    """An open archive: the names of its files, and how they are read."""

    path: Path
    names: list[str]
    opener: Callable[[str], IO[bytes]]

    def place(self, name: str) -> str:
        """Return the name of a member for error messages."""
        return f"{self.path}!{name}"

    def lines(self, name: str, most: int | None = None) -> Iterator[str]:
        """Yield the lines of a member, unpacked; see `read_lines` for `most` and the refusals."""
        place = self.place(name)
        with self.opened(name) as stream:
            yield from stream_lines(Metered(stream, place, most) if most else stream, place)

    def opened(self, name: str) -> BinaryIO:
        """Open a member, which may be packed."""
        with refusing(self.place(name)):
            return unpacked(self.opener(name))  # type: ignore[arg-type]

    def read(self, name: str, most: int = MAX_DOCUMENT_BYTES) -> bytes:
        """Return the bytes of a member, unpacked; one that has more than `most` is refused."""
        place = self.place(name)
        with self.opened(name) as stream, refusing(place):
            return Metered(stream, place, most).read()

    def unpack(self, name: str, target: Path) -> None:
        """Copy a member to a file."""
        with refusing(self.place(name)), self.opener(name) as stream, open(target, "wb") as out:
            shutil.copyfileobj(stream, out)

    def ending(self, ending: str) -> str:
        """Return the name of the one member `*.<ending>`; InputError unless there is one."""
        members = [name for name in self.names if name.endswith(f".{ending}")]
        if len(members) != 1:
            problem = f"{len(members)} members end in .{ending}, expected one"
            raise InputError(self.path, None, problem, f"It has: {', '.join(self.names[:20])}")
        return members[0]


@contextlib.contextmanager
def open_archive(path: str | Path) -> Iterator[Archive]:
    """Open a zip (wheels are zips), a tar, packed or not, or a Debian package, told by content.

    Raises:
        InputError: when it is neither, is damaged (which may show while a member is read), is
            encrypted, has a member that escapes or comes twice, or unpacks to more than the limits.
    """
    path = Path(path)
    with open(path, "rb") as stream, tempfile.TemporaryFile() as members:
        # in memory a directory of members is ten times as large
        meter: Any = Metered(stream, path, MAX_DOCUMENT_BYTES, "its directory")
        with refusing(path, _NO_ARCHIVE):
            zipped = zipfile.ZipFile(meter) if zipfile.is_zipfile(meter) else None
        meter.left = sys.maxsize
        stream.seek(0)
        if zipped:
            yield _zip(path, zipped)
        else:
            is_ar = stream.peek(len(_AR)).startswith(_AR)
            # TMPDIR may be another disk than the output's, or memory
            place = f"the members of {path}, unpacked in {tempfile.gettempdir()} (see TMPDIR)"
            with writing(place, members.fileno(), members.tell):
                archive = _tar(path, _data_of(path, stream) if is_ar else stream, members)
            yield archive


def _zip(path: Path, archive: zipfile.ZipFile) -> Archive:
    """Check a zip, whose members are read in place.

    zipfile itself hands out no more bytes than a member declares and checks its CRC, so it is
    enough to bound the declared sizes. Only with other methods than deflate, which are refused, it
    first unpacks a block of any size.
    """
    names: dict[str, bool] = {}
    total = 0
    for member in archive.infolist():
        _check_name(path, member.filename, names)
        stored = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if member.flag_bits & 1 or not stored:
            problem = f"the member {member.filename!r} is encrypted, or packed by another method"
            raise InputError(path, None, f"{problem} than deflate", "Unpack it, and zip it anew")
        total += member.file_size
        _check_size(path, member.filename, member.file_size, member.compress_size, total)
        names[member.filename] = not member.is_dir()
    return Archive(path, [name for name, is_file in names.items() if is_file], archive.open)


class _Part(io.RawIOBase):
    """A part of a file, which may be read along with others."""

    def __init__(self, file: IO[bytes], start: int, end: int) -> None:
        self.file, self.place, self.end = file, start, end

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401
        """Read what comes next into a buffer; return the number of bytes."""
        data = os.pread(self.file.fileno(), min(len(buffer), self.end - self.place), self.place)
        buffer[: len(data)] = data
        self.place += len(data)
        return len(data)


def _data_of(path: Path, stream: IO[bytes]) -> io.BufferedReader:
    """Return the tar of a Debian package that holds what is installed."""
    place = len(_AR)
    with refusing(path, "a truncated or damaged package"):
        for _ in range(_AR_MEMBERS):
            stream.seek(place)
            if not (head := stream.read(_AR_HEADER.size)):
                break
            name, *_, size, _ = _AR_HEADER.unpack(head)
            start, length = place + _AR_HEADER.size, max(int(size), 0)
            if name.startswith(b"data.tar"):
                return io.BufferedReader(_Part(stream, start, start + length))
            place = start + length + length % 2  # members begin at even places
    raise InputError(path, None, "a package without data.tar", _REMEDY)


def _tar(path: Path, packed: io.BufferedReader, out: IO[bytes]) -> Archive:
    """Unpack a tar into one file, since a packed one cannot be read out of order."""
    parts: dict[str, tuple[int, int]] = {}
    total = 0
    meter: Any = Metered(unpacked(packed), path, _HEADER_BYTES, "what precedes a member")
    with refusing(path, _NO_ARCHIVE):
        archive: Any = tarfile.open(fileobj=meter, mode="r|")
    for member in refusing_each(iter(archive.next, None), path, _NO_ARCHIVE):
        archive.members, archive.pax_headers = [], {}  # or it keeps every one
        name = member.name.removeprefix("./") or "."
        _check_name(path, name, parts)
        if member.issym() or member.islnk():
            base = posixpath.dirname(member.name) if member.issym() else ""
            _check_name(path, posixpath.join(base, member.linkname))
        # the header's size is what tarfile reads: checked before a byte is written
        total += max(member.size, 0)
        _check_size(path, member.name, total, path.stat().st_size, total)
        if member.isfile():
            meter.left = max(member.size, 0) + _HEADER_BYTES
            start = out.tell()
            with refusing(path, _NO_ARCHIVE):
                shutil.copyfileobj(archive.extractfile(member), out)
            parts[name] = start, out.tell()
        meter.left = _HEADER_BYTES
    out.flush()
    return Archive(path, list(parts), lambda name: io.BufferedReader(_Part(out, *parts[name])))


def _check_name(path: Path, name: str, names: Collection[str] = ()) -> None:
    """Refuse a name that leaves the archive's folder, is empty, or is among `names`."""
    normal = posixpath.normpath(name.replace("\\", "/"))
    if name in names:
        problem = f"two members are named {name!r}"
    elif not name or re.search(r"[\x00-\x1f\x7f]", name):
        problem = f"a member is named {name!r}"
    elif normal.startswith(("/", "../")) or normal == ".." or re.match(r"[A-Za-z]:", normal):
        problem = f"the member {name!r} leaves the archive's folder"
    else:
        return
    raise InputError(path, None, problem, _REMEDY)


def _check_size(path: Path, name: str, unpacked: int, packed: int, total: int) -> None:
    """Refuse an archive that unpacks beyond the ratio or the total allowed."""
    if total > MAX_BYTES:
        problem = f"it unpacks to {total:,} bytes, over the limit of {MAX_BYTES:,}"
    elif unpacked > FREE_BYTES and unpacked > MAX_RATIO * max(packed, 1):
        over = f"over {MAX_RATIO} to 1: an archive bomb?"
        problem = f"the member {name!r} unpacks to {unpacked:,} bytes from {packed:,}, {over}"
    else:
        return
    raise InputError(path, None, problem, "Do not use this archive, or unpack it by hand")
