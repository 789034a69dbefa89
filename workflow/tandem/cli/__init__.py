"""The command `tandem`: train an encoder, encode, compare, filter and mine, on files or pipes.

Output goes to stdout or a file, progress to stderr. Exit codes: 0; 1 for an error whose message
says how to fix it; 2 for wrong usage; 130 when interrupted; 141 when the reader of stdout left.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from collections.abc import Sequence

from tandem import __version__
from tandem.errors import explained

_FAILED, _INTERRUPTED, _READER_LEFT = 1, 130, 141
_SETTINGS = {"train": "--batch, --dimension or --size", "mine": "--memory or --threads"}
"""What lowers the memory that a command needs."""
_LEAST_BYTES = 1536 << 20
"""Address space below which libraries crash while they are loaded."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    command = ""
    try:
        if 0 <= resource.getrlimit(resource.RLIMIT_AS)[0] < _LEAST_BYTES:  # no limit is -1
            raise MemoryError(f"the libraries alone map {_LEAST_BYTES >> 20:,} MiB")
        options = parser().parse_args(arguments)
        command = options.command
        if getattr(options, "model", None):
            from tandem.cli.common import find_model

            options.model = find_model(options.model)
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_stdout()
        return _READER_LEFT
    except KeyboardInterrupt as error:
        _say(command, "interrupted", error)
        return _INTERRUPTED
    except Exception as error:
        message = explained(error, _SETTINGS.get(command, "--threads"))
        if message is None:
            raise
        _say(command, message, error)
        try:
            sys.stdout.flush()
        except OSError:
            _leave_stdout()
        return _FAILED
    return 0


def _say(command: str, message: str, error: BaseException) -> None:
    for line in (message, *getattr(error, "__notes__", [])):
        print(f"tandem {command}: {line}", file=sys.stderr)


def _leave_stdout() -> None:
    """Let nothing be written to stdout any more, not even when Python closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    # here, since a process that may hold little fails while it imports them
    from tandem.cli import compress, encode, export, mine, pairs, train

    result = argparse.ArgumentParser(
        "tandem",
        description="Sentence embeddings from parallel text. FILE is text with one sentence a "
        "line, plain or gzipped; - is stdin.",
    )
    result.add_argument("--version", action="version", version=f"tandem {__version__}")
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (train, encode, pairs, mine, compress, export):
        module.add_to(commands)
    return result
