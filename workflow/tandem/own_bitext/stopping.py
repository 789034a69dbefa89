"""Ctrl-C while training: the first ends it after its batches, the second at once."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from tandem.encoders.model import SentenceEncoder
from tandem.files.atomic import replace_folder

_STOPPING = b"\nstopping after these batches; Ctrl-C again: at once\n"


@contextlib.contextmanager
def stopping() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether Ctrl-C was pressed; a second one interrupts at once."""
    asked = threading.Event()

    def stop(*_: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # past its buffer, which this may have interrupted: to use that again is an error
        with contextlib.suppress(OSError, ValueError):
            os.write(sys.stderr.fileno(), _STOPPING)

    deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN  # as in the background of a script
    if deaf or threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    earlier = signal.signal(signal.SIGINT, stop)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, earlier)


def put_in_place(
    model: Path, place: Path, encoder: SentenceEncoder, free: Callable[[bool], None], again: bool
) -> None:
    """Move a trained model to its place: `again` tells whether an earlier one may be there.

    `free` refuses a place where somebody has written meanwhile. KeyboardInterrupt, once the model
    is there, where its training was stopped.
    """
    free(again)
    replace_folder(model, place, again)
    if encoder.metadata.get("unfinished"):
        interrupted = KeyboardInterrupt()
        interrupted.add_note(f"{place} has the best epoch so far")
        raise interrupted
