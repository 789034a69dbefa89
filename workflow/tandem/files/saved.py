"""Folders that Tandem saves: sealed when written, checked before anything in them is used.

A seal finds damage. But a folder may come from anybody, with a seal that fits: so what it says is
checked against a type, and sizes against settings before memory is taken.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from tandem.errors import InputError, TandemError
from tandem.files.atomic import SEAL
from tandem.files.io import sha256
from tandem.registry import faults

if TYPE_CHECKING:  # slow, and not needed to seal and to check
    import numpy as np
    from numpy.typing import NDArray

    ShapeAndType = tuple[tuple[int, ...], np.dtype]
    """The shape and the type of an array."""

Value = TypeVar("Value")

REMEDY = (
    "Is this the right folder? Then fetch it, or make it anew with `tandem train --overwrite` or "
    "the workflow"
)
MAX_TEXT_BYTES = 1 << 26
"""Largest seal, settings or vocabulary: some three million words."""
MAX_NUMBER = 1e15
"""Larger numbers never come from training, and their squares may leave the range of float32."""


def seal(folder: Path, names: Iterable[str] | None = None) -> None:
    """Write the checksums of these files of a folder, or of all but hidden ones; do it last."""
    if names is None:
        paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        names = [path.as_posix() for path in paths if not path.name.startswith(".")]
    text = _listing({name: sha256(folder / name) for name in names if name != SEAL})
    (folder / SEAL).write_text(text, encoding="utf-8", newline="\n")


def check(folder: Path, *needed: str) -> None:
    """InputError where a needed or sealed file is missing, no plain one inside, or has changed."""
    *_, listing = (_plain(folder, name) for name in (*needed, SEAL))
    text = _content(listing).decode("utf-8", "replace")
    sums = {line[66:]: line[:64] for line in text.split("\n")[:-1]}
    for name in sorted({*needed, *sums}):
        if sha256(_plain(folder, name)) != sums.get(name):
            raise InputError(folder / name, None, f"not the file that {SEAL} describes", REMEDY)
    if text != _listing(sums):
        raise InputError(folder / SEAL, None, "not as it was written", REMEDY)


def is_whole(checkpoint: Path, *needed: str) -> bool:
    """Tell whether there is a checkpoint as it was written; report a damaged one on stderr."""
    try:
        if checkpoint.exists():
            check(checkpoint, *needed)
    except InputError as error:
        print(f"{error.path}: damaged or missing: the run starts afresh", file=sys.stderr)
        return False
    return checkpoint.exists()


def read(path: Path, parse: Callable[[Any], Value]) -> Value:
    """Return what `parse` makes of the JSON in a file; InputError if it is too large or refused."""
    content = _content(path)
    try:
        return parse(from_json(content))
    except (TandemError, ValueError) as error:
        problem = "; ".join(faults(error)) if isinstance(error, ValidationError) else str(error)
        raise InputError(path, None, problem[:500], REMEDY) from error


def read_arrays(
    path: Path, make: Callable[[], Mapping[str, ShapeAndType]]
) -> dict[str, NDArray[Any]]:
    """Read arrays of the names, shapes and types that `make` returns, with sane numbers.

    InputError where the file has others, or no such arrays can exist.
    """
    from safetensors import SafetensorError, safe_open

    try:
        wanted = {name: (list(shape), str(kind)) for name, (shape, kind) in make().items()}
        with safe_open(path, "np") as file:
            shapes = {name: file.get_slice(name).get_shape() for name in file.keys()}
            if shapes != {name: shape for name, (shape, _) in wanted.items()}:
                raise ValueError(f"{shapes}, not {wanted}")
            arrays = {name: file.get_tensor(name) for name in shapes}
        for name, array in arrays.items():
            # written so that NaN fails too
            sane = -MAX_NUMBER < float(array.min()) <= float(array.max()) < MAX_NUMBER
            if not (str(array.dtype) == wanted[name][1] and sane):
                raise ValueError(f"{name} is no {wanted[name][1]}, or not finite")
    except (OSError, OverflowError, RuntimeError, SafetensorError, TypeError, ValueError) as error:
        problem = f"not the tensors that its settings describe ({str(error)[:500]})"
        raise InputError(path, None, problem, REMEDY) from error
    return arrays


def _listing(sums: Mapping[str, str]) -> str:
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))


def _plain(folder: Path, name: str) -> Path:
    """Return the path of a file in a folder; neither `..` nor a symbolic link may lead to it."""
    root = folder.resolve()
    path = root / name
    with contextlib.suppress(OSError, ValueError):  # names that no file can have
        if path.is_file() and path.resolve() == path and root in path.parents:
            return path
    problem = "no such file, or no plain one inside its folder"
    raise InputError(f"{folder}/{name[:99]}", None, problem, REMEDY)


def _content(path: Path) -> bytes:
    if path.stat().st_size > MAX_TEXT_BYTES:
        raise InputError(path, None, f"over {MAX_TEXT_BYTES:,} bytes", REMEDY)
    return path.read_bytes()
