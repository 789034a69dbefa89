"""The command `tandem`: train an encoder, encode, compare, filter and mine, on files or pipes.

Output goes to stdout or a file, progress to stderr. Exit codes: 0; 1 for an error whose message
says how to fix it; 2 for wrong usage; 129 and 143 when SIGHUP or SIGTERM ended it; 130 when
interrupted; 141 when the reader of stdout left.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from tandem.cli.streams import EndedError, open_streams, tidy_end
from tandem.errors import explained, shown
from tandem.machine import wait_passively
from tandem.version import __version__

COMMANDS = {
    "train": (
        "train",
        "Train an encoder on bitext, or with --labelled fine-tune one on labelled pairs. Pairs of "
        "bitext are cleaned, and some are held out; the epoch is kept "
        "in which most sentences of these find their translation. With --from, training goes on "
        "from a trained encoder, with its segmentation, which makes more of few pairs.",
    ),
    "encode": (
        "encode",
        "Write the vector of each line: to a file *.npy as a matrix, else as numbers between tabs.",
    ),
    "similarity": ("pairs", "Write the cosine of each pair of sentences."),
    "score": (
        "pairs",
        "Score bitext: write cosine, sentence, sentence (TSV) of each pair kept, in order.",
    ),
    "filter": (
        "filter",
        "Keep the pairs of bitext or paraphrases that pass the filters of a small YAML file, in "
        "order, and count what each filter removes.",
    ),
    "mine": (
        "mine",
        "Find translations: write score, sentence, sentence (TSV), the best pair first.",
    ),
    "retrieve": (
        "retrieve",
        "Find the nearest sentences or documents of a corpus: write score, query, found (TSV), the "
        "best of each query first.",
    ),
    "restyle": (
        "restyle",
        "Write the meaning of each line in the manner of another, by a model that was trained with "
        "--objective generative.",
    ),
    "identify": (
        "paraphrases",
        "Tell which pairs say the same: write cosine, 1 or 0, sentence, sentence (TSV) of each.",
    ),
    "negatives": (
        "paraphrases",
        "Mine hard negatives: write pairs labelled 1, and with similar sentences that do not say "
        "the same labelled 0 (TSV), which train --labelled reads.",
    ),
    "evaluate": (
        "evaluate",
        "Say how good a model is: retrieval, filtering and mining of test pairs, and similarity.",
    ),
    "compress": (
        "compress",
        "Write a model with shorter numbers, or with fewer. All commands read it like any other.",
    ),
    "export": (
        "export",
        "Write a model, an average or a pretrained encoder, as a folder that sentence-transformers "
        "loads by itself.",
    ),
}
"""Each command: the module that has its `add_<command>`, and what it does."""

_FAILED, _INTERRUPTED, _READER_LEFT = 1, 130, 141
_SETTINGS = {
    "train": "--batch, --dimension or --size",
    "mine": "--memory, --k or --threads",
    "retrieve": "--memory, --k or --threads",
}
"""The options that lower the memory a command needs."""
_LEAST_BYTES = 1536 << 20
"""Address space below which libraries crash while they are loaded."""


class Dashed(str):
    """What stands after `--` and begins with `-`: as a path, which no parser takes for an option.

    The name -a becomes ./-a.
    """

    def __new__(cls, word: str) -> Dashed:
        """Put the folder before a word."""
        return super().__new__(cls, f"./{word}")

    @property
    def word(self) -> str:
        """The word as it was written."""
        return self[2:]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    open_streams()
    try:
        with tidy_end() as interrupted:
            return _run(arguments, interrupted)
    except EndedError as error:
        _say(_named(arguments), str(error), error)
        return 128 + error.number


def _run(arguments: Sequence[str], interrupted: Sequence[int]) -> int:
    """Run the command line; return its exit code, unless a signal ends it."""
    command = _named(arguments)
    wait_passively()  # before a library is loaded that reads this
    try:
        if 0 <= resource.getrlimit(resource.RLIMIT_AS)[0] < _LEAST_BYTES:  # no limit is -1
            raise MemoryError(f"the libraries alone map {_LEAST_BYTES >> 20:,} MiB")
        options = parsed(arguments)
        from tandem.cli.common import check_report
        from tandem.progress import silence

        if getattr(options, "model", None):
            from tandem.encoders.named import find_model

            options.model = find_model(options.model)
        silence(getattr(options, "quiet", False))
        check_report(options)
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_stdout()
        return _READER_LEFT
    except EndedError:
        raise
    except BaseException as error:
        if interrupted or isinstance(error, KeyboardInterrupt):
            _say(command, f"interrupted ({error})" if str(error) else "interrupted", error)
            return _INTERRUPTED
        if not isinstance(error, Exception):
            raise
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


def _named(arguments: Sequence[str]) -> str:
    """Return the command that a command line names; empty if none."""
    return next((word for word in arguments if not word.startswith("-")), "")


def _say(command: str, message: str, error: BaseException) -> None:
    for line in (message, *getattr(error, "__notes__", [])):
        print(shown(f"tandem {command}: {line}"), file=sys.stderr)


def _leave_stdout() -> None:
    """Discard what is still written to stdout, also when Python closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line; they and names may stand in any order.

    After `--` all are names, also those that begin with `-`.
    """
    (whole, commands), name = _parsers(arguments), next(iter(arguments), "")
    if name not in COMMANDS:
        return whole.parse_args(arguments)
    words, names = list(arguments[1:]), []
    if "--" in words:
        place = words.index("--")
        words, names = words[:place], words[place + 1 :]
    names = [Dashed(name) if name.startswith("-") and name != "-" else name for name in names]
    # the whole parser cannot, since it has commands
    options = commands[name].parse_intermixed_args([*words, *names])
    options.command = name
    return options


def parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of a command line, with the options of the command that it names.

    Only the module of that command is loaded, so that help and mistakes are shown at once.
    """
    return _parsers(arguments)[0]


def _parsers(
    arguments: Sequence[str],
) -> tuple[argparse.ArgumentParser, Mapping[str, argparse.ArgumentParser]]:
    """Return the whole parser of a command line, and those of the commands."""
    result = argparse.ArgumentParser(
        "tandem",
        description="Sentence embeddings from parallel text. FILE is text with one sentence a "
        "line, plain or packed (gzip, bzip2, xz, Zstandard); - is stdin.",
    )
    result.add_argument("--version", action="version", version=f"tandem {__version__}")
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked = _named(arguments)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == asked:
            getattr(import_module(f"tandem.cli.{module}"), f"add_{name}")(command)
    return result, commands.choices
