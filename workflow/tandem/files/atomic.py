"""Files and folders that appear whole or not at all, and in the place of nothing foreign."""

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
_TOKEN_BYTES = 4
_MAX_NAME_BYTES = 200
"""How much of an output's name that of its unfinished file has; file systems allow 255 bytes."""


def atomic_path(path: str | Path) -> contextlib.AbstractContextManager[Path]:
    """Yield a temporary file beside `path`; rename it to `path` only if the body succeeds.

    TandemError where `path` is a folder, or its disk is full.
    """
    path = Path(path)
    if path.is_dir():
        raise TandemError(f"{path} is a folder, where a file is to be written. Move it away")
    return beside(path, Path.touch, Path.replace)


def atomic_folder(
    path: str | Path, overwrite: bool = True, own: Collection[str] = ()
) -> contextlib.AbstractContextManager[Path]:
    """Yield a temporary folder beside `path`; it replaces `path` only if the body succeeds.

    TandemError where `path` is a file, a symbolic link or a folder that may not be replaced (see
    `replace_folder`, also for `overwrite` and `own`), or its disk is full; nothing is lost then.
    """
    path = Path(path)
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise TandemError(f"{path} is no folder, where one is to be written. Move it away")
    return beside(path, Path.mkdir, partial(replace_folder, overwrite=overwrite, own=own))


@contextlib.contextmanager
def beside(
    path: Path, make: Callable[[Path], None], move: Callable[[Path, Path], object]
) -> Iterator[Path]:
    """Make something locked beside `path`, and move it there; remove what killed runs have left.

    Folders that are made for `path` to lie in are removed again where they stay empty.
    """
    name = os.fsdecode(os.fsencode(path.name)[:_MAX_NAME_BYTES])
    made = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    token = "[0-9a-f]" * 2 * _TOKEN_BYTES
    for left in path.parent.glob(f".{glob.escape(name)}.{token}{_ASIDE}"):
        with contextlib.suppress(OSError, TandemError), lock(left):
            remove(left)
    unlocked = path.with_name(f".{secrets.token_hex(_TOKEN_BYTES)}{_ASIDE}")
    temporary = path.with_name(f".{name}{unlocked.name}")

    def written() -> int:
        return sum(file.stat().st_size for file in _files(temporary))

    with contextlib.ExitStack() as stack:
        stack.callback(_remove_empty, made)
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
def lock(path: str | Path) -> Iterator[None]:
    """Hold a file or folder, where the file system has locks; TandemError if another holds it."""
    with contextlib.ExitStack() as stack:
        handle = os.open(path, os.O_RDONLY)
        stack.callback(os.close, handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            remedy = "Wait for it, or choose another place for the output"
            raise TandemError(f"{path} is in use by another call. {remedy}") from error
        except OSError:
            pass  # a file system without locks
        yield


def foreign(folder: Path) -> list[str]:
    """Return the files and links in a folder that no seal of its own lists, sorted."""
    seal = folder / SEAL
    listing = seal.read_bytes().decode("utf-8", "replace") if seal.is_file() else ""
    known = {SEAL, *(line[66:] for line in listing.split("\n"))}
    paths = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    return sorted({path.relative_to(folder).as_posix() for path in paths} - known)


def replace_folder(
    new: Path, place: Path, overwrite: bool = True, own: Collection[str] = ()
) -> None:
    """Move a complete folder to its place, instead of one that may be there already.

    Only an empty folder or, where `overwrite` says so, one whose seal lists all that it holds but
    for files of the names in `own` is replaced: TandemError for another one, which stays. Where the
    system can, both change places in one step, so that a reader always finds one of them. Otherwise
    the old one is moved away first, and put back on failure.
    """
    try:
        new.rename(place)  # an empty folder gives way
    except OSError:
        if place.is_symlink() or not place.is_dir():
            raise
    else:
        return
    if not overwrite:
        raise TandemError(f"{place} is there already. Choose another place, or add --overwrite")
    _refuse_foreign(place, place, own)
    if _exchange(new, place):
        aside = new
    else:
        # no leftover by its name: where a killed call leaves it, it is the only copy
        aside = new.with_name(f".{place.name}.{secrets.token_hex(_TOKEN_BYTES)}.old")
        place.rename(aside)
    try:
        _refuse_foreign(aside, place, own)  # somebody may have written there meanwhile
        if aside != new:
            new.rename(place)
    except (OSError, TandemError):
        if aside != new:
            aside.rename(place)
        else:
            _exchange(new, place)
        raise
    remove(aside)


def _refuse_foreign(folder: Path, place: Path, own: Collection[str]) -> None:
    """Refuse to replace a folder, which stood at a place, that holds what Tandem did not write."""
    if names := [name for name in foreign(folder) if name not in own]:
        problem = f"holds what Tandem did not write ({names[0]})"
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
    """Remove folders, the innermost first, as long as they are empty."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()
