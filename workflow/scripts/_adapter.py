"""What every script shares: a log file for the record, stderr for the person."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

# Beside the installed library, for conda environments, which hold only its dependencies
sys.path.append(str(Path(__file__).resolve().parents[1]))

QUIET_INTERVAL_S = "30"
"""Seconds between lines of a progress bar that no terminal shows."""

# tqdm reads this when it is imported, which the scripts do after this module
if not sys.stderr.isatty():
    os.environ.setdefault("TQDM_MININTERVAL", QUIET_INTERVAL_S)
    os.environ.setdefault("TQDM_ASCII", " #")

from tandem.errors import TandemError  # noqa: E402


@contextlib.contextmanager
def logged(path: str) -> Iterator[logging.Logger]:
    """Write log records to `path`; end on an error with its message, not a page of calls.

    Progress bars stay on stderr. The traceback of any error is in the log.
    """
    logging.basicConfig(
        filename=path, filemode="w", level=logging.INFO, format="%(asctime)s %(name)s %(message)s"
    )
    logging.captureWarnings(True)
    log = logging.getLogger("tandem")
    try:
        yield log
    except TandemError as error:
        log.error(traceback.format_exc())
        sys.exit(f"error: {error}")
    except BaseException:
        log.error(traceback.format_exc())
        raise
