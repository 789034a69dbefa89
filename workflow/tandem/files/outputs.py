"""Where results may go: only what Tandem wrote is ever replaced, and never an input."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tandem.errors import TandemError
from tandem.files.io import lock, read_json, read_lines, remove, write_json
from tandem.files.saved import SEAL

_LOCK, _DESCRIPTION = "tandem.lock", "description.json"

Place = str | Path | int
"""A path, or the number of an open stream."""


def check(place: Path, inputs: Sequence[Place], overwrite: bool, folder: bool = False) -> None:
    """Refuse a place for an output unless it is free or, to be overwritten, holds an earlier one.

    A place that is, holds or lies in an input is not free, nor is a link; a folder may be
    overwritten if its seal lists all that it holds. The TandemError says why.
    """
    real, here = Path(os.path.realpath(place)), Path.cwd()
    if real in (here, *here.parents) or os.path.ismount(place):
        raise _refusal(place, "is the working directory, a folder above it or a disk's root")
    if place.is_symlink() or place.name == "..":
        raise _refusal(place, "is a link to another place")
    for source in inputs:
        path = real if isinstance(source, int) else Path(os.path.realpath(source))
        if same(source, place) or real in path.parents or path in real.parents:
            raise _refusal(place, f"is, holds or lies in an input ({source or 'stdin'})")
    above = next(parent for parent in real.parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise _refusal(place, f"cannot be made: {above} is no folder that you may write to")
    if not place.exists():
        return
    if not (place.is_dir() if folder else place.is_file()):
        kind = "folder" if folder else "plain file"
        raise _refusal(place, f"is no {kind}, and one is to be written")
    sealed = (place / SEAL).is_file()
    written = [line[66:] for line in read_lines(place / SEAL)] if sealed else []
    paths = [path for path in place.rglob("*") if path.is_symlink() or not path.is_dir()]
    held = {path.relative_to(place).as_posix() for path in paths}
    if foreign := sorted(held - {SEAL, *written}):
        raise _refusal(place, f"holds what Tandem did not write ({foreign[0]})")
    used = any(place.iterdir()) if folder else place.stat().st_size
    if used and not overwrite:
        raise _refusal(place, "is there already", ", or add --overwrite")


def same(first: Place, second: Place) -> bool:
    """Tell whether two names stand for the same file or folder, perhaps by links."""
    with contextlib.suppress(OSError):
        status = os.stat(first)
        plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        return plain and os.path.samestat(status, os.stat(second))
    return False


@contextlib.contextmanager
def workspace(place: Path) -> Iterator[Path]:
    """Lock and yield the folder beside `place` for the files that lead to it.

    What an earlier call left is still there. It is removed when the body succeeds, or fails
    before a part of the work is complete. TandemError where another process works there, or it is
    not Tandem's.
    """
    folder = place.with_name(f".{place.name}.unfinished")
    folder.mkdir(parents=True, exist_ok=True)
    if folder.is_symlink() or (any(folder.iterdir()) and not (folder / _LOCK).is_file()):
        raise _refusal(folder, "is a link or holds what Tandem did not write")
    (folder / _LOCK).touch()
    with lock(folder / _LOCK):
        try:
            yield folder
        except BaseException as error:
            if any(path.is_dir() for path in folder.iterdir()):
                error.add_note(f"What is done is kept in {folder}: --resume goes on there")
            else:
                _empty(folder)
                remove(folder)
            raise
        _empty(folder)
        remove(folder)


def keep_if(folder: Path, description: dict[str, Any], inputs: Sequence[Path]) -> None:
    """Empty a workspace, except for inputs inside, if it was begun for another description."""
    stored = folder / _DESCRIPTION
    if stored.is_file() and read_json(stored) == description:
        return
    _empty(folder, inputs)
    write_json(stored, description)


def _empty(folder: Path, kept: Sequence[Path] = ()) -> None:
    """Remove what a workspace holds: its description first, so that nobody goes on with a part."""
    (folder / _DESCRIPTION).unlink(missing_ok=True)
    for path in set(folder.iterdir()) - {folder / _LOCK, *kept}:
        remove(path)


def _refusal(place: Path, problem: str, otherwise: str = "") -> TandemError:
    return TandemError(f"{place} {problem}. Choose another place for the output{otherwise}")
