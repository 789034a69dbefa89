"""The words of a command line: readers for argparse, each of which refuses what it cannot be."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

from pydantic import ByteSize, TypeAdapter

from tandem.corpora.tables import is_number
from tandem.errors import TandemError


def within(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range, for argparse."""

    def number(text: str) -> int:
        if not least <= (read := int(text)) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not from {least} to {most}")
        return read

    return number


def auto_or_number(text: str) -> float | None:
    """Read the lowest score of pairs to keep; None: the threshold calibrated for the model."""
    if text == "auto":
        return None
    number = float(text) if is_number(text) else math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text} is neither auto nor a finite number")
    return number


natural, positive, threads = within(0, 2**63 - 1), within(1, 2**63 - 1), within(1, 1024)


def text(words: str) -> str:
    """Read words that files and tables will hold: UTF-8, without control characters."""
    if not words.isprintable():
        shown = words.encode("unicode_escape", "backslashreplace").decode()
        raise argparse.ArgumentTypeError(f"{shown} has a control character, or is not UTF-8")
    return words


def name_of_model(word: str) -> str:
    """Read the name or folder of a model, which is not empty, as an unset variable is."""
    if not word.strip():
        raise argparse.ArgumentTypeError("it is empty. Give a model's folder, or a name: small")
    return word


def byte_size(text: str) -> int:
    """Read a size such as 2GiB or 500M."""
    if not 0 < (size := TypeAdapter(ByteSize).validate_python(text)) < 2**63:
        raise argparse.ArgumentTypeError(f"{text} is no size that a machine has")
    return size


def refuse_idle(options: argparse.Namespace, needed: str, *names: str) -> None:
    """Refuse options that are given without what they are of: TandemError."""
    for name in names:
        if getattr(options, name, None) not in (None, (), []):
            option = f"--{name.replace('_', '-')}"
            raise TandemError(f"{option} is of {needed}, which is not given. Give both, or neither")
