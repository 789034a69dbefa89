"""Ctrl-C while training."""

import io
import os
import signal
import sys

from tandem.own_bitext.stopping import stopping


class Interrupted(io.RawIOBase):
    """A stderr in whose writing Ctrl-C is pressed."""

    def __init__(self, handle):
        self._handle, self._pressed = handle, False

    def writable(self):
        return True

    def fileno(self):
        return self._handle

    def write(self, data):
        if not self._pressed:
            self._pressed = True
            signal.raise_signal(signal.SIGINT)
        return os.write(self._handle, data)


def test_while_a_message_is_written_training_stops_all_the_same(monkeypatch):
    reading, writing = os.pipe()
    messages = io.TextIOWrapper(io.BufferedWriter(Interrupted(writing)), write_through=True)
    monkeypatch.setattr(sys, "stderr", messages)
    # in the background of a script it may be ignored
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with stopping() as stopped:
            assert not stopped()
            print("epoch 1", file=sys.stderr, flush=True)
            assert stopped()
    finally:
        signal.signal(signal.SIGINT, earlier)
    os.close(writing)
    with open(reading, "rb") as told:
        assert told.read().startswith(b"\nstopping after these batches; Ctrl-C again: at once\n")
    monkeypatch.undo()
