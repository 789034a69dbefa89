"""Reading members of zip and tar archives without trusting them.

Zip members are read in place, tar archives are unpacked into a temporary folder under names of our
own, so no member can be written outside it. An archive with a member whose name leaves its folder,
or a link that does, is refused as a whole: its maker's other content is not worth trusting either.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from tandem.errors import InputError

DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError)
"""What reading a truncated or damaged archive raises."""


@dataclass(frozen=True)
class Limits:
    """How far an archive may grow when unpacked.

    Attributes:
        bytes: unpacked, all members together.
        ratio: unpacked to packed bytes. Text packs about 4 to 1, the wheels' largest members 47.
        free_bytes: below this unpacked size the ratio is not looked at.
    """

    bytes: int = 64 << 30
    ratio: float = 200.0
    free_bytes: int = 16 << 20


class Archive(Protocol):
    """An open archive: the names of its files, and each file as a stream."""

    names: list[str]

    def open(self, name: str) -> BinaryIO:
        """Open a member for reading."""


@contextlib.contextmanager
def open_archive(path: str | Path, limits: Limits | None = None) -> Iterator[Archive]:
    """Open a zip (wheels are zips) or a tar, packed or not, told apart by content.

    Raises:
        InputError: when it is neither, is damaged, has a member that escapes, or unpacks to more
            than the limits.
    """
    limits = limits or Limits()
    path = Path(path)
    with contextlib.ExitStack() as stack:
        try:
            if zipfile.is_zipfile(path):
                archive: Archive = _Zip(path, stack.enter_context(zipfile.ZipFile(path)), limits)
            else:
                archive = _Tar(path, stack.enter_context(_temporary()), limits)
        except DAMAGE as error:
            raise damaged(path, error) from error
        yield archive


def damaged(path: str | Path, error: Exception) -> InputError:
    """Return the error for an archive that cannot be read to its end."""
    problem = f"no zip or tar archive, or a truncated or damaged one ({error})"
    return InputError(path, None, problem, "Delete it and fetch it again")


@contextlib.contextmanager
def _temporary() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tandem-") as folder:
        yield Path(folder)


class _Zip:
    """A zip whose members are read in place.

    zipfile itself hands out no more bytes than a member declares and checks its CRC, so the
    declared sizes are all that has to be bounded.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile, limits: Limits) -> None:
        self._archive = archive
        self.names = []
        total = 0
        for member in archive.infolist():
            _check_name(path, member.filename)
            _check_size(path, member.filename, member.file_size, member.compress_size, limits)
            total += member.file_size
            if not member.is_dir():
                self.names.append(member.filename)
        _check_total(path, total, limits)

    def open(self, name: str) -> BinaryIO:
        """Open a member for reading."""
        return self._archive.open(name)  # type: ignore[return-value]


class _Tar:
    """A tar unpacked into numbered files, since a packed one cannot be read out of order."""

    def __init__(self, path: Path, folder: Path, limits: Limits) -> None:
        self._files: dict[str, Path] = {}
        packed, total = path.stat().st_size, 0
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                _check_name(path, member.name)
                if member.issym() or member.islnk():
                    base = posixpath.dirname(member.name) if member.issym() else ""
                    _check_name(path, posixpath.join(base, member.linkname))
                # the header's size is what tarfile reads: checked before a byte is written
                total += member.size
                _check_total(path, total, limits)
                _check_size(path, member.name, total, packed, limits)
                if member.isfile():
                    self._files[member.name] = target = folder / str(len(self._files))
                    _copy(archive, member, target)
        self.names = list(self._files)

    def open(self, name: str) -> BinaryIO:
        """Open a member for reading."""
        return open(self._files[name], "rb")


def _copy(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    """Write one member's bytes to `target`."""
    source = archive.extractfile(member)
    with open(target, "wb") as out:
        while source and (block := source.read(1 << 20)):
            out.write(block)


def _check_name(path: Path, name: str) -> None:
    """Refuse a name that would be written outside the folder it is unpacked in."""
    normal = posixpath.normpath(name.replace("\\", "/"))
    if normal.startswith(("/", "../")) or normal == ".." or re.match(r"[A-Za-z]:", normal):
        problem = f"the member {name!r} leaves the archive's folder"
        raise InputError(path, None, problem, "Do not use it; fetch it from its publisher")


def _check_size(path: Path, name: str, unpacked: int, packed: int, limits: Limits) -> None:
    """Refuse what grows beyond the ratio allowed."""
    if unpacked > limits.free_bytes and unpacked > limits.ratio * max(packed, 1):
        problem = (
            f"the member {name!r} unpacks to {unpacked:,} bytes from {packed:,}, "
            f"over {limits.ratio:g} to 1: an archive bomb?"
        )
        raise InputError(path, None, problem, "Do not use this archive, or unpack it by hand")


def _check_total(path: Path, total: int, limits: Limits) -> None:
    """Refuse an archive larger than the limit."""
    if total > limits.bytes:
        problem = f"it unpacks to {total:,} bytes, over the limit of {limits.bytes:,}"
        raise InputError(path, None, problem, "Do not use this archive, or unpack it by hand")
