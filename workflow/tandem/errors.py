"""The errors that Tandem raises for invalid input: each names the place and the remedy."""

from __future__ import annotations

import contextlib
import errno
import operator
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from tandem.gpu import of_gpu


class TandemError(Exception):
    """An error that the user can fix; the message says how."""


class SettingsError(TandemError):
    """What is asked for cannot be done: asked for again, it fails again."""


class InputError(TandemError):
    """A file whose content is refused; `line` counts from 1, None for the whole file."""

    def __init__(self, path: str | Path, line: int | None, problem: str, remedy: str) -> None:
        self.path, self.line = str(path), line
        where = f"{path}, line {line}" if line is not None else str(path)
        super().__init__(f"{where}: {problem}. {remedy}")
        self._parts = path, line, problem, remedy

    def __reduce__(self) -> tuple[type[InputError], tuple[str | Path, int | None, str, str]]:
        """Let it pass from one process to another."""
        return InputError, self._parts


def whole(value: object, name: str) -> int:
    """Return a whole number that a program hands over; TandemError where `name` is none."""
    try:
        exact = int(value) if isinstance(value, float) and value.is_integer() else value
        return operator.index(exact)  # type: ignore[arg-type]
    except TypeError as error:
        raise TandemError(f"{name} is {value!r}. Give a whole number") from error


def shown(name: str | Path) -> str:
    """Return the name of a file as text: bytes that are no UTF-8 as escapes."""
    return str(name).encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def writing(
    name: str | Path, place: str | Path | int, written: Callable[[], int] = int
) -> Iterator[None]:
    """Raise TandemError, with what is needed and what is free, if the body has no room for `name`.

    `place` is a path or stream on that disk; `written` returns the bytes that the body has written
    and that are about to be removed.
    """
    try:
        yield
    except Exception as error:
        number = _number(error)
        if number not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        needed = written()
        more = f"more than {needed:,} bytes are needed, " if needed else ""
        free = shutil.disk_usage(place).free + needed
        raise TandemError(
            f"{name}: cannot be written ({os.strerror(number)}): {more}{free:,} bytes are free. "
            "Make room, and give the same command again"
        ) from error


EXTRAS = {
    module: extra
    for extra, modules in {
        "mine": "faiss numba",
        "formats": "backports defusedxml polib",
        "train": "llvmlite torch",
        "export": "sentence_transformers tokenizers",
        "translate": "ctranslate2 sacrebleu transformers",
        "parquet": "pyarrow",
        "chinese": "rjieba",
        "workflow": "matplotlib pandas requests scipy textalloc urllib3",
    }.items()
    for module in modules.split()
}
"""Modules that the core does without, with the extra that brings each."""


def install(extra: str) -> str:
    """Return the command that installs an extra; no package index has Tandem."""
    return f"pip install '.[{extra}]' in a clone of Tandem"


def to_install(error: BaseException) -> str | None:
    """Return how to install what is missing; None: the error has another cause."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return None
    extra = EXTRAS.get(error.name.partition(".")[0])
    return extra and (
        f"{error.name} is not installed, which encoding alone does not need. Install it: "
        f"{install(extra)}"
    )


@contextlib.contextmanager
def saying_what_to_install() -> Iterator[None]:
    """Let an import that fails say which extra is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if message := to_install(error):
            raise ModuleNotFoundError(message, name=error.name) from error
        raise


def explained(error: Exception, settings: str) -> str | None:
    """Return what a person can do about an error; None: it is a fault of the program.

    `settings` are those that lower the memory that is needed.
    """
    if isinstance(error, TandemError):
        return str(error)
    if message := of_gpu(error):
        return message
    if isinstance(error, MemoryError) or _number(error) == errno.ENOMEM or _NO_MEMORY(str(error)):
        words = str(error).split("\n")[0] or "the process got no more"
        return (
            f"out of memory ({words}). Lower {settings}, or allow the process more (ulimit -v, its "
            "cgroup, mem_mb of its job)"
        )
    if isinstance(error, UnicodeEncodeError):  # text that is read is UTF-8: only names may not be
        around = error.object[max(0, error.start - 40) : error.end + 40]
        return f"a name is not UTF-8 ({shown(' '.join(around.split()))}). Choose another"
    if isinstance(error, FileNotFoundError) and error.filename and not error.filename2:
        return f"{os.fspath(error.filename)}: no such file. Check the name"
    if isinstance(error, OSError):
        return _of_system(error)
    return to_install(error)


_REMEDIES = {
    errno.EISDIR: "is a folder, and a file is needed. Name one",
    errno.ENOTDIR: "has a part that is no folder. Check the name",
    errno.EEXIST: "is there already. Move it away",
    errno.ENAMETOOLONG: "is too long a name. Choose a shorter one",
    errno.EACCES: "may not be read or written by you. Change its permissions, or choose another",
    errno.EMFILE: "cannot be opened beside so many others. Allow the process more (ulimit -n)",
    errno.EROFS: "is on a disk that cannot be written to. Choose another place",
}


def _of_system(error: OSError) -> str:
    """Return an error of the system with its remedy, where it names a file."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT) and not error.filename:
        words = f"the output cannot be written ({error.strerror})"
        return f"{words}. Make room, or choose another place"
    name = error.filename if error.filename2 is None else error.filename2  # of a move, where to
    remedy = _REMEDIES.get(error.errno or 0)
    if remedy is None or not isinstance(name, str | bytes | os.PathLike):
        return str(error)
    return f"{shown(os.fsdecode(name))} {remedy}"


_NO_MEMORY = re.compile(
    "allocate memory|bad_alloc|out of memory|failed to map|start new thread|array is too big"
    "|size calculation overflowed|maximum allowed dimension",
    re.IGNORECASE,
).search
"""How libraries in C++ and CUDA word it."""


def _number(error: Exception) -> int | None:
    """Return the system's number of an error, which libraries hide in their words."""
    if isinstance(error, OSError | TandemError):
        return getattr(error, "errno", None)
    if "unexpected pos " in str(error):  # PyTorch's words
        return errno.ENOSPC
    match = re.search(r"(?:os error|errno) (\d+)", str(error), re.IGNORECASE)
    return int(match[1]) if match else None
