"""Fetching a corpus of the register: package, HTTP or local; verified before it is put in place."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from tandem.corpora.formats import IN_PLACE, PACKING
from tandem.corpora.http import Retry, discard, download, offers
from tandem.corpora.packages import downloaded, place_in_mirror
from tandem.corpora.register import Dataset
from tandem.errors import InputError, TandemError
from tandem.files.atomic import atomic_path
from tandem.files.io import PACKED, sha256

MOST_BYTES = 16 << 30
"""Most that is downloaded where the register does not say the size of a file."""
UNREACHABLE = """{error}

Tandem goes on without it. To add it, delete this folder and run again, once it can be fetched or
`mirror` in the configuration is a folder that holds the file as {place}.
"""

ABSENT = """{path}: no such file

Tandem goes on without it. To add it, put the file there, or correct its path in the register,
delete this folder, and run again.
"""


def fetch(
    dataset: Dataset, folder: str | Path, mirror: str | None, retry: Retry | None = None
) -> Path:
    """Bring a corpus into `folder` and return its path, `folder / dataset.file`.

    A file that is there already is verified and kept, so you can also put it there by hand. Beside
    it there may be `<file>.part`, an unfinished download, and `<file>.sha256`, the hash of the
    first download if the register entry has none: any later download must match it.

    A package that another corpus of the same folder has already is copied, not downloaded again.

    Args:
        dataset: the entry; one with `{language}` in its file names brings one file per language.
        folder: where to.
        mirror: a folder or an address prefix that holds HTTP sources as `<host>/<path>`, packages
            as `<kind>/<file>`. It is tried first; what it lacks comes from the source.
        retry: how often a download is tried; None: as `Retry` has it.

    Raises:
        TandemError: the corpus cannot be fetched, or is not the registered one.
    """
    folder, retry = Path(folder), retry or Retry()
    folder.mkdir(parents=True, exist_ok=True)
    for part in dataset.parts():
        target = folder / part.file
        if part.kind == "local":  # a copy: later edits of the original cannot change results
            _copy(part, Path(part.source), target)
        elif target.exists():
            _verify(part, target, target)
        elif place := _mirrored(part, mirror, retry):
            if urlsplit(place).scheme in ("http", "https"):
                _fetch_http(part, place, target, retry)
            else:
                _copy(part, Path(place), target)
        elif part.kind == "http":
            _fetch_http(part, part.source, target, retry)
        else:
            with _alone(folder.parent):  # several corpora may be in one package
                if not _copied(part, target):
                    _fetch_package(part, target, retry)
    return folder / dataset.file


def fetch_if_reachable(dataset: Dataset, folder: str | Path, mirror: str | None) -> bool:
    """Fetch an optional corpus, or leave `unreachable.txt`; return whether it was fetched.

    Raises InputError where what was fetched is not the registered corpus.
    """
    paths = (part.source for part in dataset.parts() if part.kind == "local")
    absent = next((path for path in paths if not Path(path).exists()), None)
    if absent is not None:
        return _go_without(folder, ABSENT.format(path=absent))
    try:
        fetch(dataset, folder, mirror, retry=Retry(attempts=2, timeout=15))
    except InputError:
        raise
    except TandemError as error:
        place = place_in_mirror(dataset)
        return _go_without(folder, UNREACHABLE.format(error=error, place=place))
    return True


def _go_without(folder: str | Path, note: str) -> bool:
    """Leave a note in place of a corpus; return False: it was not fetched."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / "unreachable.txt").write_text(note, encoding="utf-8")
    return False


def refuse_other(expected: str, content: Path, named: Path, origin: str) -> None:
    """Refuse a file, which messages call `named`, that has another hash: InputError."""
    if (got := sha256(content)) != expected:
        size = f"{content.stat().st_size:,} bytes"
        problem = f"not the file that {origin}: SHA-256 expected {expected}, got {got}, {size}"
        remedy = "Put the right file there, or delete it and run again; if the publisher has "
        raise InputError(named, None, problem, f"{remedy}replaced the file, correct the hash")


def _verify(dataset: Dataset, content: Path, target: Path, source: Path | None = None) -> None:
    """Check the hash of the file `content`, which is to be moved to `target`.

    `source` is the file of this machine that it is a copy of.
    """
    lock = target.with_name(target.name + ".sha256")
    expected, place = dataset.sha256, "the register"
    if expected is None and lock.exists():
        place, seen = lock.name, lock.read_text(encoding="utf-8", errors="replace")
        if not re.match(r"[0-9a-f]{64}\b", seen):
            remedy = f"Write down that of {target.name} as sha256sum does, or delete both"
            raise InputError(lock, None, "it holds no SHA-256", remedy)
        expected = seen[:64]
    if expected is None and dataset.kind == "http":
        _refuse_page(content, target)
        with atomic_path(lock) as temporary:
            temporary.write_text(f"{sha256(content)}  {target.name}\n", encoding="utf-8")
    elif expected is not None:
        refuse_other(expected, content, source or target, f"{place} names for {dataset.name}")


def _refuse_page(content: Path, target: Path) -> None:
    """Refuse what is not packed though its name says so, as the page of a proxy: InputError."""
    packed = PACKING.search(target.name) or target.suffix in (".tgz", ".zip")
    with open(content, "rb") as stream:
        head = stream.read(8)
    if packed and not head.startswith((*PACKED, *IN_PLACE)):
        problem = f"it begins with {head!r}, and is not packed as its name says"
        remedy = "Look whether the address, a mirror or a proxy gives a page in its place"
        raise InputError(target, None, problem, remedy)


def _mirrored(dataset: Dataset, mirror: str | None, retry: Retry) -> str | None:
    """Return the path or the address at which the mirror has a corpus; None: it lacks it."""
    if mirror is None:
        return None
    place = f"{mirror.rstrip('/')}/{place_in_mirror(dataset)}"
    if urlsplit(mirror).scheme in ("http", "https"):
        return place if offers(place, retry) else None
    if not Path(mirror).is_dir():
        remedy = "Correct `mirror` in the configuration, or set it to null"
        raise InputError(mirror, None, "no such folder", remedy)
    return place if Path(place).is_file() else None


def _copied(dataset: Dataset, target: Path) -> bool:
    """Copy the package that another corpus has beside this one; False: there is none.

    A link would be one file for both: Snakemake touches what a job has made, and all that was
    made from the other corpus would be older than its text.
    """
    for other in sorted(target.parent.parent.glob(f"*/{target.name}")):
        if other != target and sha256(other) == dataset.sha256:
            _copy(dataset, other, target)
            return True
    return False


def _fetch_package(dataset: Dataset, target: Path, retry: Retry) -> None:
    """Download a package with its client, and verify it."""
    with downloaded(dataset, target, retry, dataset.bytes or MOST_BYTES) as package:
        _verify(dataset, package, target)
        package.replace(target)


def _fetch_http(dataset: Dataset, url: str, target: Path, retry: Retry) -> None:
    """Download from an address, going on from what an earlier fetch has left, and verify."""
    part = target.with_name(target.name + ".part")
    with _alone(target.parent):
        if target.exists():  # another fetch brought it meanwhile
            return _verify(dataset, target, target)
        resumed = part.exists()
        try:
            _download(dataset, url, part, target, retry)
        except InputError:
            if not resumed:
                raise
            # the beginning that was kept may be another version's: download all of it anew
            _download(dataset, url, part, target, retry)


def _download(dataset: Dataset, url: str, part: Path, target: Path, retry: Retry) -> None:
    try:
        download(url, part, retry, dataset.bytes or MOST_BYTES)
        _verify(dataset, part, target)
    except InputError:
        discard(part)
        raise
    part.replace(target)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other fetches from a folder, where the file system has locks."""
    place = folder / ".lock"  # a file: NFS locks no folder
    with contextlib.ExitStack() as stack:
        handle = stack.enter_context(open(place, "a"))
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        if not _is_there(handle, place):  # whoever held it has removed it
            stack.enter_context(_alone(folder))
        else:
            stack.callback(place.unlink, missing_ok=True)
        yield


def _is_there(handle: IO[str], place: Path) -> bool:
    """Tell whether an open file is the one at a place."""
    try:
        return os.path.samestat(os.fstat(handle.fileno()), os.stat(place))
    except FileNotFoundError:
        return False


def _copy(dataset: Dataset, source: Path, target: Path) -> None:
    """Copy a file that is on this machine, verified where the register has its hash."""
    if not source.is_file():
        remedy = f"Put it there, or correct the path of {dataset.name} in the register"
        raise InputError(source, None, "no such file", remedy)
    with atomic_path(target) as temporary:
        shutil.copyfile(source, temporary)
        _verify(dataset, temporary, target, source)
