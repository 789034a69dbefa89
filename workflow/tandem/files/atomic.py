"""Files and folders that appear whole or not at all; no folder replaces a foreign one."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import glob
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

from tandem.errors import TandemError, writing

SEAL = "tandem.sha256"
"""The file with the SHA-256 of each other one of a folder; `sha256sum --check` reads it."""
_ASIDE = ".tandem"
"""The end of names of unfinished files and folders; the next run removes what a killed one left."""
_STAMP = ".snakemake_timestamp"
"""What Snakemake writes into a folder that its job has made."""
_MAX_SEAL_BYTES = 1 << 26
_TOKEN_BYTES = 4
_MAX_NAME_BYTES = 200
"""How much of an output's name hidden names beside it have; file systems allow 255 bytes."""


def atomic_path(path: str | Path) -> contextlib.AbstractContextManager[Path]:
    """Yield a temporary file beside `path`; rename it to `path` only if the body succeeds.

    TandemError where `path` is a folder, or its disk is full.
    """
    path = Path(path)
    if path.is_dir():
        raise TandemError(f"{path} is a folder, where a file is to be written. Move it away")
    return beside(path, Path.touch, Path.replace)


def atomic_folder(
    path: str | Path, overwrite: bool = True, unsealed: Collection[str] = ()
) -> contextlib.AbstractContextManager[Path]:
    """Yield a temporary folder beside `path`; it replaces `path` only if the body succeeds.

    TandemError, before the body, where `path` is a file, a symbolic link or a folder that may not
    be replaced, such as one that is not sealed: see `replace_folder`, also for `overwrite` and
    `unsealed`. After it where that has become so, or where its disk is full.
    """
    path = Path(path)
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise TandemError(f"{path} is no folder, where one is to be written. Move it away")
    _check_replaceable(path, overwrite, unsealed)
    return beside(path, Path.mkdir, partial(replace_folder, overwrite=overwrite, unsealed=unsealed))


@contextlib.contextmanager
def beside(
    path: Path, make: Callable[[Path], None], move: Callable[[Path, Path], object]
) -> Iterator[Path]:
    """Make something locked beside `path`, and move it there; remove what killed runs have left.

    Folders that are made for `path` to lie in are removed again where they stay empty.
    """
    parents = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    unlocked = path.with_name(f".{secrets.token_hex(_TOKEN_BYTES)}{_ASIDE}")
    temporary = hidden(path, unlocked.name)

    def written() -> int:
        return sum(file.stat().st_size for file in _files(temporary))

    with contextlib.ExitStack() as stack:
        stack.callback(_remove_empty, parents)
        path.parent.mkdir(parents=True, exist_ok=True)
        token = "[0-9a-f]" * 2 * _TOKEN_BYTES
        for left in path.parent.glob(f"{glob.escape(hidden(path, '').name)}.{token}{_ASIDE}"):
            with contextlib.suppress(OSError, TandemError), lock(left) as held:
                if held:  # else another call may be writing there
                    remove(left)
        stack.callback(remove, temporary)
        stack.callback(remove, unlocked)
        stack.enter_context(writing(path, path.parent, written))
        make(unlocked)
        stack.enter_context(lock(unlocked))
        unlocked.rename(temporary)  # only now can another process take it for a leftover
        mode = temporary.stat().st_mode & 0o666
        yield temporary
        for file in _files(temporary):
            file.chmod(mode)  # libraries may have made it for its owner alone
        move(temporary, path)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all it holds, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def lock(path: str | Path) -> Iterator[bool]:
    """Hold a file or folder; TandemError if another process holds it.

    Yields whether it is held: file systems without locks hold nothing, and NFS no folder.
    """
    with contextlib.ExitStack() as stack:
        # NFS locks for one process alone only what is open to write
        handle = os.open(path, os.O_RDONLY if os.path.isdir(path) else os.O_RDWR)
        stack.callback(os.close, handle)
        held = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            remedy = "Wait for it, or choose another place for the output"
            raise TandemError(f"{path} is in use by another call. {remedy}") from error
        except OSError:
            held = False
        yield held


def _foreign(folder: Path) -> list[str]:
    """Return the files and links in a folder that no seal of its own lists, sorted."""
    listing = b""
    if (folder / SEAL).is_file():
        with open(folder / SEAL, "rb") as stream:
            listing = stream.read(_MAX_SEAL_BYTES)
    lines = listing.decode("utf-8", "replace").split("\n")
    listed = {SEAL, _STAMP, *(line[66:].removesuffix("\r") for line in lines)}
    paths = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    return sorted({path.relative_to(folder).as_posix() for path in paths} - listed)


def replace_folder(
    new: Path, place: Path, overwrite: bool = True, unsealed: Collection[str] = ()
) -> None:
    """Move a complete folder to its place, instead of one that may be there already.

    Only an empty folder or, where `overwrite` says so, one whose seal lists all that it holds but
    for files of the names in `unsealed` is replaced: TandemError for another one, which stays.
    Where the system can, both change places in one step, so that a reader always finds one of them.
    Otherwise the old one is moved away first, and put back on failure.
    """
    try:
        new.rename(place)  # an empty folder gives way
    except OSError:
        if place.is_symlink() or not place.is_dir():
            raise
    else:
        return
    _check_replaceable(place, overwrite, unsealed)
    swapped = _exchange(new, place)
    # no leftover by its name: where a killed call leaves it, it is the only copy
    kept = hidden(place, f".{secrets.token_hex(_TOKEN_BYTES)}.old")
    if not swapped:
        place.rename(kept)
    try:
        if not swapped:
            new.rename(place)
        refuse_foreign(new if swapped else kept, place, unsealed)  # written there meanwhile
    except BaseException as error:
        if not swapped:
            if place.exists():
                place.rename(new)
            kept.rename(place)
        elif not _exchange(new, place):
            new.rename(kept)
            error.add_note(f"What stood there is in {kept}")
        raise
    remove(new if swapped else kept)


def hidden(place: Path, ending: str) -> Path:
    """Return a hidden name beside a place, from its own name, or as much as leaves it room."""
    name = os.fsdecode(os.fsencode(place.name)[:_MAX_NAME_BYTES])
    return place.with_name(f".{name}{ending}")


def _check_replaceable(place: Path, overwrite: bool, unsealed: Collection[str]) -> None:
    """Refuse to replace a folder with anything in it, or with what no seal lists."""
    if not overwrite and place.is_dir() and any(place.iterdir()):
        raise TandemError(f"{place} is there already. Choose another place, or allow to overwrite")
    refuse_foreign(place, place, unsealed)


def refuse_foreign(folder: Path, place: Path, unsealed: Collection[str] = ()) -> None:
    """Refuse to replace a folder, which stood at a place, that holds what no seal lists."""
    if names := [name for name in _foreign(folder) if name not in unsealed]:
        problem = f"holds what Tandem did not write or seal ({names[0]})"
        raise TandemError(f"{place} {problem}. Choose another place for the output")


def _exchange(first: Path, second: Path) -> bool:
    """Let two paths change places in one step; return False where the system cannot."""
    call = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return call is not None and not call(here, bytes(first), here, bytes(second), exchange)


def _files(path: Path) -> list[Path]:
    """Return a file itself, or all files in a folder."""
    paths = path.rglob("*") if path.is_dir() else [path]
    return [file for file in paths if file.is_file() and not file.is_symlink()]


def _remove_empty(folders: list[Path]) -> None:
    """Remove folders, the innermost first, that are there and empty."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()
