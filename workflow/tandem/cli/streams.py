"""Streams that are closed, and signals that end a command: both leave nothing half done."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class EndedError(BaseException):
    """A signal ended the command: like KeyboardInterrupt no error of the work."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"ended by {signal.Signals(number).name}")


@contextlib.contextmanager
def tidy_end() -> Iterator[list[int]]:
    """Raise EndedError where a signal would end the process at once, so that all tidies up.

    A second signal ends it at once. One that is ignored, as under nohup, stays so. Yields a list
    that holds SIGINT once it came: libraries that are being loaded make another error of it.
    """
    interrupted: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupted.append(number)
        signal.default_int_handler(number, frame)

    def end(number: int, _: object) -> None:
        for other in _SIGNALS:
            if signal.getsignal(other) is end:
                signal.signal(other, signal.SIG_DFL)
        raise EndedError(number)

    main = threading.current_thread() is threading.main_thread()
    heard = [n for n in _SIGNALS if main and signal.getsignal(n) is signal.SIG_DFL]
    for number in heard:
        signal.signal(number, end)
    hears = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if hears:
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupted
    finally:
        if hears:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        for number in heard:
            signal.signal(number, signal.SIG_DFL)


class _Messages(io.FileIO):
    """A stderr that loses what cannot be written there: the work does not depend on it."""

    def write(self, data: Any) -> int:  # noqa: ANN401
        """Write some bytes, or lose them."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


class _Closed(io.RawIOBase):
    """A stdin or stdout that was closed before the command began: using it is an error."""

    def __init__(self, name: str, remedy: str) -> None:
        self.name, self._message = name, f"{name} is closed. {remedy}"

    def readable(self) -> bool:
        """Whether it may be tried: yes, to learn why not."""
        return True

    def writable(self) -> bool:
        """Whether it may be tried: yes, to learn why not."""
        return True

    def readinto(self, buffer: object) -> int:
        """Refuse."""
        raise OSError(self._message)

    def write(self, data: object) -> int:
        """Refuse."""
        raise OSError(self._message)


def open_streams() -> None:
    """Let streams that are closed say so when they are used; messages to stderr are lost.

    Their numbers are taken too: a file opened under the number of stderr would receive messages.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            os.set_inheritable(null, True)
    if sys.stdin is None:
        raw = io.BufferedReader(_Closed("stdin", "Name a file to read"))
        sys.stdin = io.TextIOWrapper(raw)
    if sys.stdout is None:
        closed: Any = _Closed("stdout", "Open it, or name a file: --out, or --json")
        sys.stdout = io.TextIOWrapper(closed, write_through=True)
    elif sys.stdout is sys.__stdout__ and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # whatever the locale
    if sys.stderr is sys.__stderr__:  # not one that a program has put there
        file: Any = _Messages(2, "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(file), "utf-8", "backslashreplace", line_buffering=True
        )
