"""Files: strict reading of lines, writing completely or not at all, digests."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import importlib
import io
import json
import lzma
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import IO, Any, BinaryIO

import yaml

from tandem.errors import InputError, TandemError
from tandem.files.atomic import atomic_path
from tandem.files.untrusted import MAX_YAML_BYTES, Metered, check_yaml, refusing, refusing_each

MAX_LINE_BYTES = 1_000_000
"""Longest line accepted from a text file: a longer one is a binary or a file without newlines."""
MAX_DOCUMENT_BYTES = 16 << 20
"""Largest file that is read as a whole; in memory it may take 50 times as much."""


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
    """Unpack gzip, bzip2, xz or Zstandard, told by content; TandemError without its module."""
    head, stream = beginning(stream, 6)
    unpack = next((unpack for magic, unpack in PACKED.items() if head.startswith(magic)), None)
    return stream if unpack is None else unpack(stream)


def beginning(stream: BinaryIO, count: int) -> tuple[bytes, BinaryIO]:
    """Return the first `count` bytes of a stream, or all it has, and a stream that has them still.

    A pipe is waited for: what it gives first may be part of a line.
    """
    head = stream.read(count)
    if isinstance(stream, io.BufferedReader) and stream.seekable():  # what is packed says it is
        stream.seek(-len(head), os.SEEK_CUR)
        return head, stream
    return head, io.BufferedReader(_Whole(head, stream), 1 << 16)


class _Whole(io.RawIOBase):
    """Bytes that were read from a stream, and the rest of it."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = memoryview(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401
        if not self._head:
            # what is there: lines are handed on as they come
            read: int = self._rest.readinto1(buffer)  # type: ignore[attr-defined]
            return read
        part = self._head[: len(buffer)]
        buffer[: len(part)], self._head = part, self._head[len(part) :]
        return len(part)


def zstandard() -> ModuleType:
    """Return the module for Zstandard, Python's own from 3.14 on; TandemError without it."""
    try:
        return importlib.import_module(
            "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        )
    except ImportError as error:
        needed = "the package backports.zstd (pip install backports.zstd)"
        if sys.version_info >= (3, 14):
            needed = "a Python that was built with it"
        remedy = "Install that, or pack with gzip what you write and unpack what you read"
        raise TandemError(f"Zstandard (.zst) needs {needed}. {remedy}") from error


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
        packed = zstandard().ZstdFile(stream, "wb")
    else:
        yield stream
        return
    with packed:
        yield packed


PACKED: dict[bytes, Callable[[BinaryIO], Any]] = {
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\0": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": lambda stream: zstandard().ZstdFile(stream),
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
