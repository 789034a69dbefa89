"""Work on the way to an output: kept beside it, each under its description, until one is whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem.errors import SettingsError, TandemError
from tandem.files.atomic import lock, remove
from tandem.files.io import read_json, write_json
from tandem.files.outputs import refusal, unfinished

_LOCK, _DESCRIPTION = "tandem.lock", "description.json"
_SHOWN = 40
"""Longest value that a message shows: others are digests."""


@dataclass
class Workspace:
    """A locked folder, with a folder inside for the work of each description.

    Attributes:
        folder: files there last as long as the call.
        work: the folder of this call's work, once it has begun.
    """

    folder: Path
    work: Path | None = None

    def begin(
        self,
        description: Mapping[str, Any],
        beside: bool,
        precious: str = "",
        settled: Callable[[Mapping[str, Any], Path], Mapping[str, Any]] = lambda asked, _: asked,
    ) -> bool:
        """Choose the folder of work with this description; tell whether it goes on there.

        Args:
            description: all that decides what the work leads to, as plain values.
            beside: whether it may begin although work of another description was stopped here.
            precious: otherwise, a part without which other work counts for nothing.
            settled: returns a description with what it leaves open, as it follows from the parts
                in a folder; two that become equal are of the same work.

        Raises:
            TandemError: it may not; the message names what differs.
        """
        text = json.dumps(description, sort_keys=True)
        stopped = {}
        for path in sorted(self.folder.rglob(_DESCRIPTION)):
            before, now = (settled(d, path.parent) for d in (read_json(path), json.loads(text)))
            stopped[path.parent] = differences(before, now)
        work = self.folder / hashlib.sha256(text.encode()).hexdigest()[:16]
        if work not in stopped:
            work = next((place for place, differing in stopped.items() if not differing), work)
        goes_on = work in stopped
        counted = [lines for place, lines in stopped.items() if (place / precious).exists()]
        if counted and not (goes_on or beside):
            nearest = min(counted, key=lambda lines: len(lines))
            raise TandemError(
                f"{self.folder} has work that was stopped and differs in {'; '.join(nearest)}. "
                "Give what it began with, to go on, or begin anew: with --overwrite and without "
                "--resume, which keeps it until the new output is complete"
            )
        if not goes_on:
            remove(work)  # without a description nobody knows what it is
            work.mkdir()
            write_json(work / _DESCRIPTION, description)
        self.work = work
        return goes_on

    def parts(self, *names: str) -> Iterator[Path]:
        """Yield the places of the parts of the work that has begun."""
        assert self.work is not None
        yield from (self.work / name for name in names)


@contextlib.contextmanager
def workspace(place: Path) -> Iterator[Workspace]:
    """Lock and yield the folder beside `place` for the work that leads to it.

    What earlier calls left is still there. All is removed when the body succeeds; where it fails,
    its work is, if no part of that is complete or it would fail again. TandemError where another
    process works there, or it is not Tandem's.
    """
    folder = unfinished(place)
    folder.mkdir(parents=True, exist_ok=True)
    if folder.is_symlink() or (any(folder.iterdir()) and not (folder / _LOCK).is_file()):
        raise refusal(folder, "is a link or holds what Tandem did not write")
    (folder / _LOCK).touch()
    with lock(folder / _LOCK):
        space = Workspace(folder)
        try:
            yield space
        except BaseException as error:
            for path in _files(folder):
                remove(path)
            whole = space.work and any(path.is_dir() for path in space.work.iterdir())
            if whole and not isinstance(error, SettingsError):
                resumes = "--resume goes on there (in Python resume=True)"
                error.add_note(f"What is done is kept in {folder}: {resumes}")
            elif space.work:
                _remove_work(space.work)
            if not _is_begun(folder):
                _remove(folder)
            raise
        _remove(folder)


def differences(before: object, now: object, name: str = "") -> list[str]:
    """Return what differs between two descriptions, in words."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        keys = sorted({*before, *now})
        parts = (differences(before.get(k), now.get(k), f"{name} {k}".strip()) for k in keys)
        return [line for part in parts for line in part]
    if before == now:
        return []
    old, new = ("not set" if v is None else json.dumps(v) for v in (before, now))
    return [name if max(len(old), len(new)) > _SHOWN else f"{name} ({old} then, {new} now)"]


def _files(folder: Path) -> list[Path]:
    """Return the files of a workspace that last as long as the call."""
    kept = {_LOCK, _DESCRIPTION}
    return [path for path in folder.iterdir() if not path.is_dir() and path.name not in kept]


def _is_begun(folder: Path) -> bool:
    """Tell whether a workspace holds work that was stopped."""
    return any(folder.rglob(_DESCRIPTION))


def _remove(folder: Path) -> None:
    """Remove a workspace, its lock last."""
    for path in set(folder.iterdir()) - {folder / _LOCK}:
        _remove_work(path)
    remove(folder)


def _remove_work(path: Path) -> None:
    """Remove a part of a workspace: its description first, so that nobody goes on with the rest."""
    if path.is_dir():
        (path / _DESCRIPTION).unlink(missing_ok=True)
    remove(path)
