"""Folders that Tandem saves: sealed when written, checked before anything in them is used.

A seal finds damage. But a folder may come from anybody, with a seal that fits: so what it says is
checked against a type, and its sizes against its configuration before memory is taken.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from tandem.errors import InputError, TandemError
from tandem.io import sha256
from tandem.registry import faults

if TYPE_CHECKING:
    from torch import Tensor

Value = TypeVar("Value")

SEAL = "SHA256SUMS"
"""The file with the SHA-256 of each other one; `sha256sum --check` reads it."""
REMEDY = (
    "Fetch its folder anew, or delete that and run again what made it: `tandem train`, or the "
    "workflow"
)
MAX_TEXT_BYTES = 1 << 26
"""Of a seal, settings or a vocabulary: some three million words."""
MAX_NUMBER = 1e15
"""Larger ones never come from training, and their squares may leave the range of float32."""
_LINE = re.compile(r"([0-9a-f]{64})  ([^/\0\n][^\0\n]{0,250})\n")


def seal(folder: Path, names: Iterable[str] | None = None) -> None:
    """Write the checksums of these files of a folder, or of all but hidden ones; do it last."""
    if names is None:
        paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        names = [path.as_posix() for path in paths if not path.name.startswith(".")]
    lines = [f"{sha256(folder / name)}  {name}\n" for name in sorted(set(names) - {SEAL})]
    (folder / SEAL).write_text("".join(lines), encoding="utf-8", newline="\n")


def check(folder: Path, *needed: str) -> frozenset[str]:
    """Compare every sealed file of a folder with its checksum; return their names.

    Raises:
        InputError: a file that is needed or sealed is missing, changed, or no plain file inside the
            folder.
    """
    root = folder.resolve()
    *_, listed = (_plain(root, name) for name in (*needed, SEAL))
    sums = dict.fromkeys(needed, "")
    for number, line in enumerate(_text(listed).splitlines(keepends=True), start=1):
        if not (match := _LINE.fullmatch(line)):
            raise InputError(folder / SEAL, number, "no checksum and name", REMEDY)
        sums[match[2]] = match[1]
    for name, digest in sums.items():
        if sha256(_plain(root, name)) != digest:
            raise InputError(folder / name, None, f"not the file that {SEAL} describes", REMEDY)
    return frozenset(sums)


def is_whole(checkpoint: Path, *needed: str) -> bool:
    """Tell whether there is a checkpoint as it was written; of a damaged one, say so on stderr."""
    try:
        return checkpoint.exists() and bool(check(checkpoint, *needed))
    except InputError as error:
        print(f"{error.path}: damaged or missing: the run starts afresh", file=sys.stderr)
        return False


def read(path: Path, parse: Callable[[Any], Value]) -> Value:
    """Return what `parse` makes of the JSON in a file.

    Raises:
        InputError: it is too large, no JSON, or refused by `parse`.
    """
    text = _text(path)
    try:
        return parse(from_json(text))
    except ValidationError as error:
        problem = "; ".join(faults(error))
    except (TandemError, ValueError) as error:
        problem = str(error)
    raise InputError(path, None, problem[:500], REMEDY)


@contextlib.contextmanager
def shapes_only(path: Path) -> Iterator[None]:
    """Give tensors made in the body no memory; sizes that cannot be are blamed on `path`."""
    import torch

    try:
        with torch.device("meta"):
            yield
    except (OverflowError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(path, None, f"impossible sizes ({str(error)[:100]})", REMEDY) from error


def read_tensors(path: Path, like: Mapping[str, Tensor], device: str = "cpu") -> dict[str, Tensor]:
    """Read tensors of exactly these names, shapes and types, whose numbers are of sane size.

    Raises:
        InputError: they are others; shapes are compared before memory is taken.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "pt", device=device) as file:
            found = {name: file.get_slice(name).get_shape() for name in file.keys()}
            wanted = {name: list(tensor.shape) for name, tensor in like.items()}
            if found != wanted:
                raise InputError(path, None, f"tensors {found}, not {wanted}"[:500], REMEDY)
            tensors = {name: file.get_tensor(name) for name in found}
    except (OSError, SafetensorError) as error:
        raise InputError(path, None, f"no whole file of tensors ({error})", REMEDY) from error
    for name, tensor in tensors.items():
        low, high = map(float, tensor.aminmax())
        # as it stands NaN fails too
        if not (tensor.dtype == like[name].dtype and -MAX_NUMBER < low <= high < MAX_NUMBER):
            problem = f"{name} has numbers that are not finite, or no {like[name].dtype}"
            raise InputError(path, None, problem, REMEDY)
    return tensors


def _plain(root: Path, name: str) -> Path:
    """Return the path of a file in a folder; neither `..` nor a symbolic link may lead to it."""
    path = root / name
    with contextlib.suppress(OSError, ValueError):  # names that no file can have
        if path.is_file() and path.resolve() == path and root in path.parents:
            return path
    raise InputError(path, None, "no such file, or no plain one inside its folder", REMEDY)


def _text(path: Path) -> str:
    with open(path, "rb") as stream:
        raw = stream.read(MAX_TEXT_BYTES + 1)
    try:
        if len(raw) > MAX_TEXT_BYTES:
            raise ValueError(f"over {MAX_TEXT_BYTES:,} bytes")
        return raw.decode("utf-8")
    except ValueError as error:
        raise InputError(path, None, str(error), REMEDY) from error
