"""Progress on standard error: a bar on a terminal, elsewhere a plain line every half minute."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import Any

from tqdm import tqdm

LINE_SECONDS = 30
_quiet = False


def silence(quiet: bool) -> None:
    """Show no progress from now on, or show it again."""
    global _quiet
    _quiet = quiet


def progress_bar(items: Iterable[Any] | None = None, **options: Any) -> tqdm[Any]:  # noqa: ANN401
    """Return a bar over items, or one to be moved by hand; `options` are those of tqdm."""
    if _quiet:
        options["disable"] = True
    elif not sys.stderr.isatty():
        options |= {
            "file": _Lines(),
            "ncols": 0,  # the figures without a bar
            "delay": LINE_SECONDS,  # no line for what is soon over
            "mininterval": LINE_SECONDS,
            "maxinterval": math.inf,
        }
    return tqdm(items, **options)


class _Lines:
    """A stream that writes what is drawn over and over as lines."""

    def write(self, text: str) -> None:
        if line := text.strip():
            print(line, file=sys.stderr, flush=True)

    def flush(self) -> None:
        """Nothing waits."""
