"""Loading and saving by the library `transformers` without its words on stderr."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep the library silent: its bars last a second, and what it warns of is checked by us."""
    from transformers.utils import logging

    shows, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if shows:
            logging.enable_progress_bar()
