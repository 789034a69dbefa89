"""Where results may go: only what Tandem wrote is ever replaced, and never an input."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from tandem.errors import TandemError
from tandem.files.atomic import SEAL, hidden, refuse_foreign

Place = str | Path | int
"""A path, or the number of an open stream."""


def check(place: Path, inputs: Sequence[Place], overwrite: bool, folder: bool = False) -> None:
    """Refuse a place for an output unless it is free or, to be overwritten, holds an earlier one.

    A place that is, holds or lies in an input is not free, nor is a link; a folder may be
    overwritten if its seal lists all that it holds. The TandemError says why.
    """
    real, here = Path(os.path.realpath(place)), Path.cwd()
    if real in (here, *here.parents) or os.path.ismount(place):
        raise refusal(place, "is the working directory, a folder above it or a disk's root")
    if place.is_symlink() or place.name == "..":
        raise refusal(place, "is a link to another place")
    _check_apart(place, inputs, folder)
    above = next(parent for parent in real.parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        raise refusal(place, f"cannot be made: {above} is no folder that you may write to")
    if not place.exists():
        return
    if not (place.is_dir() if folder else place.is_file()):
        kind = "folder" if folder else "plain file"
        raise refusal(place, f"is no {kind}, and one is to be written")
    if folder:
        refuse_foreign(place, place)
    used = any(place.iterdir()) if folder else place.stat().st_size
    if used and not overwrite:
        raise refusal(place, "is there already", ", or add --overwrite")


def _check_apart(place: Path, inputs: Sequence[Place], folder: bool) -> None:
    """Refuse a place that is, holds or lies in an input, or lies in any model."""
    real = Path(os.path.realpath(place))
    for source in inputs:
        path = real if isinstance(source, int) else Path(os.path.realpath(source))
        if is_part(place, source) or real in path.parents or path in real.parents:
            raise refusal(place, f"is, holds or lies in an input ({source or 'stdin'})")
        if folder and unfinished(real) in path.parents:
            raise refusal(place, f"is made in {unfinished(real)}, where an input lies ({source})")
    if model := next((parent for parent in real.parents if (parent / SEAL).is_file()), None):
        raise refusal(place, f"lies in {model}, a folder that {SEAL} seals")


def same(first: Place, second: Place) -> bool:
    """Tell whether two names stand for the same file or folder, perhaps by links."""
    with contextlib.suppress(OSError):
        status = os.stat(first)
        plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
        return plain and os.path.samestat(status, os.stat(second))
    return False


def is_part(place: Place, source: Place) -> bool:
    """Tell whether a place is an input or a file in it, perhaps by links."""
    inside = () if isinstance(source, int) or not os.path.isdir(source) else Path(source).rglob("*")
    return any(same(path, place) for path in (source, *inside))


def check_streams(inputs: Sequence[Place]) -> None:
    """Refuse inputs that stdout or stderr goes to; of the latter, stdout tells."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        for source in inputs:
            if is_part(number, source):
                if number == 2:
                    sys.stderr = sys.stdout  # or the message would stand in the input
                problem = f"goes to a file that is read ({source or 'stdin'})"
                raise TandemError(f"{name} {problem}. Choose another")


def unfinished(place: Path) -> Path:
    """Return the folder beside an output for the work that leads to it."""
    return hidden(place, ".unfinished")


def refusal(place: Path, problem: str, otherwise: str = "") -> TandemError:
    """Return the error for a place that is not free."""
    return TandemError(f"{place} {problem}. Choose another place for the output{otherwise}")
