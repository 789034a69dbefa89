"""The command `tandem`: train an encoder, encode, compare, filter and mine, on files or pipes.

Output goes to stdout or a file, progress to stderr. Exit codes: 0; 1 for an error whose message
says how to fix it; 2 for wrong usage; 130 when interrupted; 141 when the reader of stdout left.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tandem import __version__
from tandem.cli import encode, export, mine, pairs, train
from tandem.errors import TandemError

_COMMANDS = (train, encode, pairs, mine, export)
_FAILED, _INTERRUPTED, _READER_LEFT = 1, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    options = parser().parse_args(arguments)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # nothing may be written to stdout any more, not even when Python closes it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_LEFT
    except KeyboardInterrupt:
        return _INTERRUPTED
    except (TandemError, OSError) as error:
        print(f"tandem {options.command}: {error}", file=sys.stderr)
        return _FAILED
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    result = argparse.ArgumentParser(
        "tandem",
        description="Sentence embeddings from parallel text. FILE is text with one sentence a "
        "line, plain or gzipped; - is stdin.",
    )
    result.add_argument("--version", action="version", version=f"tandem {__version__}")
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in _COMMANDS:
        module.add_to(commands)
    return result
