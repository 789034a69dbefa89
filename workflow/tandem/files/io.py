"""Files: strict reading of lines, writing completely or not at all, digests."""

from __future__ import annotations

import bz2
import contextlib
import ctypes
import fcntl
import glob
import gzip
import hashlib
import json
import lzma
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, BinaryIO

import yaml

from tandem.errors import InputError, TandemError, writing
from tandem.files.untrusted import MAX_YAML_BYTES, Metered, check_yaml, refusing, refusing_each

MAX_LINE_BYTES = 1_000_000
"""Longest line accepted from a text file: a longer one is a binary or a file without newlines."""
MAX_DOCUMENT_BYTES = 16 << 20
"""Largest file that is read as a whole; in memory it may take 50 times as much."""
_ASIDE = ".tandem"
"""The end of names of unfinished files and folders; the next run removes what a killed one left."""


def atomic_path(path: str | Path) -> contextlib.AbstractContextManager[Path]:
    """Yield a temporary file beside `path`; rename it to `path` only if the body succeeds.

    TandemError where `path` is a folder, or its disk is full.
    """
    path = Path(path)
    if path.is_dir():
        raise TandemError(f"{path} is a folder, where a file is to be written. Move it away")
    return beside(path, Path.touch, Path.replace)


def atomic_folder(path: str | Path) -> contextlib.AbstractContextManager[Path]:
    """Yield a temporary folder beside `path`; it replaces `path` only if the body succeeds.

    TandemError where `path` is a file or a symbolic link, or its disk is full.
    """
    path = Path(path)
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise TandemError(f"{path} is no folder, where one is to be written. Move it away")
    return beside(path, Path.mkdir, replace_folder)


@contextlib.contextmanager
def beside(
    path: Path, make: Callable[[Path], None], move: Callable[[Path, Path], object]
) -> Iterator[Path]:
    """Make something locked beside `path`, and move it there; remove what killed runs have left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{glob.escape(path.name)}.*{_ASIDE}"):
        with contextlib.suppress(OSError, TandemError), lock(left):
            remove(left)
    unlocked = path.with_name(f".{secrets.token_hex(4)}{_ASIDE}")
    temporary = path.with_name(f".{path.name}{unlocked.name}")

    def written() -> int:
        return sum(file.stat().st_size for file in _files(temporary))

    with contextlib.ExitStack() as stack:
        stack.callback(remove, temporary)
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


def replace_folder(new: Path, place: Path) -> None:
    """Move a complete folder to its place, instead of one that may be there already.

    Where the system can, both change places in one step, so that a reader always finds one of them.
    Otherwise the old one is moved away first, and put back on failure.
    """
    if not place.exists():
        new.rename(place)
        return
    if _exchange(new, place):
        remove(new)
        return
    aside = new.with_name(f".{place.name}.old{_ASIDE}")
    place.rename(aside)
    try:
        new.rename(place)
    except OSError:
        aside.rename(place)
        raise
    remove(aside)


def _exchange(first: Path, second: Path) -> bool:
    """Let two paths change places in one step; return False where the system cannot."""
    call = getattr(ctypes.CDLL(None), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return call is not None and not call(here, bytes(first), here, bytes(second), exchange)


def _files(path: Path) -> list[Path]:
    """Return a file itself, or all files in a folder."""
    paths = path.rglob("*") if path.is_dir() else [path]
    return [file for file in paths if file.is_file() and not file.is_symlink()]


def write_json(path: str | Path, value: Any) -> None:  # noqa: ANN401
    """Write `value` as indented JSON with sorted keys, so that equal values give equal bytes."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    with atomic_path(path) as temporary:
        # a name that is not UTF-8 has parts that JSON escapes just so
        temporary.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")


def read_json(path: str | Path) -> Any:  # noqa: ANN401
    """Read JSON from `path`; see `parse_json`."""
    with open(path, "rb") as stream:
        return parse_json(Metered(stream, path, MAX_DOCUMENT_BYTES).read(), path)


def parse_json(raw: bytes, name: str | Path) -> Any:  # noqa: ANN401
    """Return the value of JSON text, with or without a byte-order mark; errors name the line."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(name, line, "invalid UTF-8", "Convert it to UTF-8") from error
    with refusing(name, "not JSON", "Mend or remake the file"):
        return json.loads(text)


def read_yaml(path: str | Path) -> Any:  # noqa: ANN401
    """Read plain values from a YAML file.

    InputError where it is not YAML, or larger or deeper than any that a person writes, or has
    a key twice; aliases count as what they name.
    """
    with open(path, "rb") as stream:
        return parse_yaml(Metered(stream, path, MAX_YAML_BYTES).read(), path, "Mend the file")


def parse_yaml(raw: bytes | str, name: str | Path, remedy: str) -> Any:  # noqa: ANN401
    """Return the plain values of YAML; see `read_yaml` for what is refused."""
    # the compiled parser, where PyYAML has it: ten times as fast, and every dry run waits for it
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with refusing(name, "not YAML", remedy):
        check_yaml(yaml.parse(raw, Loader=loader))
        return yaml.load(raw, Loader=loader)  # noqa: S506


def open_binary(path: str | Path) -> BinaryIO:
    """Open for reading; the content, not the name, says whether to unpack it."""
    return unpacked(open(path, "rb"))


def unpacked(stream: BinaryIO) -> BinaryIO:
    """Unpack gzip, bzip2, xz or Zstandard, told by content; TandemError without `zstandard`."""
    head = stream.peek(6)[:6]  # type: ignore[attr-defined]  # buffered ones have it
    unpack = next((unpack for magic, unpack in PACKED.items() if head.startswith(magic)), None)
    return stream if unpack is None else unpack(stream)


def _zstandard(stream: BinaryIO) -> BinaryIO:
    try:
        import zstandard
    except ImportError as error:
        raise TandemError(
            "this file is packed with Zstandard, and the package zstandard is missing. Install it "
            "(pip install zstandard), or unpack the file with zstd -d"
        ) from error
    opened = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return BufferedReader(opened)


@contextlib.contextmanager
def packing(stream: BinaryIO, name: str | Path) -> Iterator[BinaryIO]:
    """Yield what packs into an open file as its name asks: .gz, .bz2, .xz, .zst, or not at all."""
    ending = Path(name).suffix
    if ending == ".gz":
        # neither name nor time, so that equal content gives equal bytes
        packed: Any = gzip.GzipFile("", "wb", fileobj=stream, mtime=0)
    elif ending in (".bz2", ".xz"):
        packed = (bz2.BZ2File if ending == ".bz2" else lzma.LZMAFile)(stream, "wb")
    elif ending == ".zst":
        import zstandard

        packed = zstandard.ZstdCompressor().stream_writer(stream, closefd=False)
    else:
        yield stream
        return
    with packed:
        yield packed


PACKED: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _zstandard,
}
"""How packed content begins, and what unpacks it."""
_SEPARATORS = {ord(c): " " for c in "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


def stream_lines(stream: IO[bytes] | Metered, name: str | Path) -> Iterator[str]:
    r"""Yield the lines of an open stream, split on "\n" alone; refuse what would corrupt a corpus.

    A UTF-8 byte-order mark on line 1 and a carriage return before the newline are dropped; other
    line separators (U+2028, U+0085, lone CR) stay inside the line, replaced by a space, so that no
    later reader can split there.

    Raises:
        InputError: on lines that end in carriage returns alone, invalid UTF-8, a NUL, a line over
            `MAX_LINE_BYTES`, a stream that ends early or damaged packing.
    """
    # readline with a bound: a 10 GB file without newlines must not be read into memory
    raw = iter(lambda: stream.readline(MAX_LINE_BYTES + 1), b"")
    for number, line in enumerate(refusing_each(raw, name), start=1):
        if number == 1 and b"\r" in line.rstrip(b"\r\n") and not line.endswith(b"\n"):
            problem = "lines end in carriage returns alone, as on old Macs"
            raise InputError(name, number, problem, "Convert them (tr '\\r' '\\n' < old > new)")
        if len(line) > MAX_LINE_BYTES:
            problem = f"the line has over {MAX_LINE_BYTES:,} bytes"
            raise InputError(name, number, problem, "Split or remove it")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            problem = f"invalid UTF-8 at byte {error.start} of the line"
            remedy = "Convert the file to UTF-8 (for example with iconv)"
            raise InputError(name, number, problem, remedy) from error
        if "\0" in text:
            raise InputError(name, number, "a NUL character", "Is this a text file? Remove it")
        if number == 1:
            text = text.removeprefix("\ufeff")
        text = text.removesuffix("\n").removesuffix("\r")
        # splitlines finds them many times as fast as translate, and hardly a line has any
        yield text if text.splitlines() == [text] else text.translate(_SEPARATORS)


def read_lines(path: str | Path, most: int | None = None) -> Iterator[str]:
    """Yield the lines of a text file, plain or packed, of at most `most` bytes, unpacked.

    See `stream_lines` for what is refused.
    """
    with open_binary(path) as stream:
        yield from stream_lines(Metered(stream, path, most) if most else stream, path)


def write_lines(path: str | Path, lines: Iterable[str]) -> int:
    """Write lines as UTF-8, whole or not at all; return how many."""
    count = 0
    with atomic_path(path) as temporary, open(temporary, "wb") as out:
        for count, line in enumerate(lines, start=1):  # noqa: B007
            out.write(f"{line}\n".encode())
    return count


def sha256(path: str | Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
