"""Logs of finished work in JSON Lines: a stopped run reads what is done, and goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def read_log(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a log, none if there is no file.

    A last line that was cut off, by a full disk or a kill, is taken out of the file, so that the
    next entry begins a line.
    """
    if not path.exists():
        return []
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if len(whole) < len(text):
        os.truncate(path, len(whole))
    return [json.loads(line) for line in whole.splitlines()]


def append_entry(path: Path, entry: dict[str, Any]) -> None:
    """Add an entry to a log."""
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(entry) + "\n")
