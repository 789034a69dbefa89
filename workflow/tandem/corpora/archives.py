"""Reading members of zip and tar archives without trusting them.

Zip members are read in place, tar archives are unpacked into a temporary folder under names of our
own, so no member can be written outside it. An archive with a member or a link that points outside
its folder is refused as a whole, since its other members cannot be trusted either.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tandem.errors import InputError
from tandem.io import stream_lines

_DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError)


@dataclass(frozen=True)
class Limits:
    """How far an archive may grow when unpacked.

    Attributes:
        bytes: unpacked, all members together.
        ratio: unpacked to packed bytes. Text packs about 4 to 1, the wheels' largest members 47.
        free_bytes: below this unpacked size the ratio is not checked.
    """

    bytes: int = 64 << 30
    ratio: float = 200.0
    free_bytes: int = 16 << 20


@dataclass(frozen=True)
class Archive:
    """An open archive: the names of its files, and how to open one for reading."""

    path: Path
    names: list[str]
    open: Callable[[str], IO[bytes]]

    def place(self, name: str) -> str:
        """Return the name of a member for error messages."""
        return f"{self.path}!{name}"

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a member; see `stream_lines` for what is refused."""
        with self.open(name) as stream:
            yield from stream_lines(stream, self.place(name))

    def ending(self, ending: str) -> str:
        """Return the name of the one member `*.<ending>`.

        Raises:
            InputError: there is none, or there are several.
        """
        found = [name for name in self.names if name.endswith(f".{ending}")]
        if len(found) != 1:
            problem = f"{len(found)} members end in .{ending}, expected one"
            raise InputError(self.path, None, problem, f"It has: {', '.join(self.names[:20])}")
        return found[0]


@contextlib.contextmanager
def open_archive(path: str | Path, limits: Limits | None = None) -> Iterator[Archive]:
    """Open a zip (wheels are zips) or a tar, packed or not, told apart by content.

    Raises:
        InputError: when it is neither, is damaged (which may show while a member is read), has a
            member that escapes, or unpacks to more than the limits.
    """
    path, limits = Path(path), limits or Limits()
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as opened:
                yield _zip(path, opened, limits)
        else:
            with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
                yield _tar(path, Path(folder), limits)
    except _DAMAGE as error:
        problem = f"no zip or tar archive, or a truncated or damaged one ({error})"
        raise InputError(path, None, problem, "Delete it and fetch it again") from error


def _zip(path: Path, archive: zipfile.ZipFile, limits: Limits) -> Archive:
    """Check a zip, whose members are read in place.

    zipfile itself hands out no more bytes than a member declares and checks its CRC, so the
    declared sizes are all that has to be bounded.
    """
    total = 0
    for member in archive.infolist():
        _check_name(path, member.filename)
        total += member.file_size
        sizes = member.file_size, member.compress_size
        _check_size(path, member.filename, sizes, total, limits)
    names = [member.filename for member in archive.infolist() if not member.is_dir()]
    return Archive(path, names, archive.open)


def _tar(path: Path, folder: Path, limits: Limits) -> Archive:
    """Unpack a tar into numbered files, since a packed one cannot be read out of order."""
    files: dict[str, Path] = {}
    total = 0
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            _check_name(path, member.name)
            if member.issym() or member.islnk():
                base = posixpath.dirname(member.name) if member.issym() else ""
                _check_name(path, posixpath.join(base, member.linkname))
            # the header's size is what tarfile reads: checked before a byte is written
            total += member.size
            _check_size(path, member.name, (total, path.stat().st_size), total, limits)
            if member.isfile() and (source := archive.extractfile(member)):
                files[member.name] = target = folder / str(len(files))
                with open(target, "wb") as out:
                    shutil.copyfileobj(source, out)
    return Archive(path, list(files), lambda name: open(files[name], "rb"))


def _check_name(path: Path, name: str) -> None:
    """Refuse a name that would be written outside the folder it is unpacked in."""
    normal = posixpath.normpath(name.replace("\\", "/"))
    if normal.startswith(("/", "../")) or normal == ".." or re.match(r"[A-Za-z]:", normal):
        problem = f"the member {name!r} leaves the archive's folder"
        raise InputError(path, None, problem, "Do not use it; fetch it from its publisher")


def _check_size(path: Path, name: str, sizes: tuple[int, int], total: int, limits: Limits) -> None:
    """Refuse what grows beyond the ratio (unpacked to packed) or the total allowed."""
    unpacked, packed = sizes
    if total > limits.bytes:
        problem = f"it unpacks to {total:,} bytes, over the limit of {limits.bytes:,}"
    elif unpacked > limits.free_bytes and unpacked > limits.ratio * max(packed, 1):
        problem = (
            f"the member {name!r} unpacks to {unpacked:,} bytes from {packed:,}, "
            f"over {limits.ratio:g} to 1: an archive bomb?"
        )
    else:
        return
    raise InputError(path, None, problem, "Do not use this archive, or unpack it by hand")
