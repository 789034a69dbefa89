"""Reading what nobody vouches for: with errors that a user understands, and bounded memory."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import yaml

from tandem.errors import InputError, TandemError

T = TypeVar("T")

MAX_YAML_BYTES, MAX_YAML_NODES, MAX_YAML_DEPTH = 1 << 20, 100_000, 50
"""Largest file that a person writes: its size, its values, and how deep they nest."""


@contextlib.contextmanager
def refusing(
    path: str | Path,
    problem: str = "truncated or damaged",
    remedy: str = "Delete it and fetch it again",
) -> Iterator[None]:
    """Turn what a library raises for the content of a file into an InputError, with its line.

    No library documents all that it raises for content that nobody foresaw, so any error counts.
    The body must only call libraries: a fault of our own must not look like a damaged file. Errors
    of the machine (no such file, no space, no memory) pass unchanged.
    """
    try:
        yield
    except (TandemError, MemoryError):
        raise
    except Exception as error:
        # EINVAL: the content names an impossible offset; errors of unpackers have no number
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        mark, position = getattr(error, "problem_mark", None), getattr(error, "position", None)
        xml = position[0] if isinstance(position, tuple) else None
        line = mark.line + 1 if mark else xml or getattr(error, "lineno", None)
        words = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(path, line, f"{problem} ({words})", remedy) from error


def refusing_each(items: Iterable[T], path: str | Path, *words: str) -> Iterator[T]:
    """Yield what a library yields from a file; `words` are the last arguments of `refusing`."""
    with refusing(path, *words):
        yield from items


class Metered:
    """A stream that refuses to give more than `left` bytes; its reader may set that anew."""

    def __init__(self, stream: IO[bytes], name: str | Path, left: int, what: str = "it") -> None:
        """Take a stream, and the names that errors use for it and for what is measured."""
        self._stream, self._name, self._what = stream, name, what
        self.left = self._most = left
        self.read = partial(self._take, stream.read)
        self.readline = partial(self._take, stream.readline)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._stream, name)

    def _take(self, read: Callable[[int], bytes], size: int | None = None) -> bytes:
        # one byte more than is left, to see whether there is more
        most = self.left + 1
        data = read(most if size is None or size < 0 else min(size, most))
        self.left -= len(data)
        if self.left < 0:
            problem = f"{self._what} has over {self._most:,} bytes"
            raise InputError(self._name, None, problem, "Split it, or do not use it")
        return data


def _with_single_keys(events: Iterable[yaml.Event]) -> Iterator[yaml.Event]:
    """Yield events; refuse a key that stands twice, of which PyYAML would keep the last value."""
    levels: list[tuple[set[str], Iterator[bool]] | None] = []
    for event in events:
        if isinstance(event, yaml.NodeEvent) and levels and levels[-1]:
            keys, is_key = levels[-1]
            if next(is_key) and isinstance(event, yaml.ScalarEvent) and event.value != "<<":
                if event.value in keys:
                    problem, mark = f"{event.value!r} stands twice", cast("Any", event.start_mark)
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
                keys.add(event.value)
        if isinstance(event, yaml.CollectionStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            levels.append((set(), cycle((True, False))) if is_mapping else None)
        elif isinstance(event, yaml.CollectionEndEvent):
            levels.pop()
        yield event


def check_yaml(events: Iterable[yaml.Event]) -> None:
    """Refuse YAML in which a key stands twice, or whose nodes would exhaust stack or memory.

    An alias counts as what it names.
    """
    sizes: dict[str | None, int] = {}
    begun: list[tuple[str | None, int]] = []
    nodes = 0
    for event in _with_single_keys(events):
        nodes += 1
        if isinstance(event, yaml.AliasEvent):
            # an anchor inside itself has no size yet
            nodes += sizes.get(event.anchor, MAX_YAML_NODES)
        elif isinstance(event, yaml.CollectionStartEvent):
            begun.append((event.anchor, nodes))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = begun.pop()
            sizes[anchor] = nodes - before
        elif isinstance(event, yaml.ScalarEvent):
            sizes[event.anchor] = 1
        if nodes > MAX_YAML_NODES or len(begun) > MAX_YAML_DEPTH:
            problem = "too many values, or too deep in each other"
            mark: Any = event.start_mark
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
