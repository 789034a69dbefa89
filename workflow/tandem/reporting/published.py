"""Figures printed in papers, quoted for comparison; each study has those that it quotes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from tandem.errors import InputError
from tandem.files.io import read_yaml
from tandem.registry import Settings, faults

Entries = TypeVar("Entries")


class Published(Settings):
    """One row of figures as a paper prints it, with the place it was read from."""

    id: str
    """`<paper>.<what>`."""
    paper: str
    """The paper that prints it."""
    place: str
    """Table, figure or section."""
    text: str
    """The text version of the paper that it was read from."""
    line: int
    """The line there."""
    about: str
    """What the row stands for."""
    unit: str
    """Of the figures."""
    values: dict[str, float]
    """Figures as printed, by column."""


def read_entries(path: str | Path, form: type[Entries]) -> Entries:
    """Read a YAML file of a study that has this form.

    Raises:
        InputError: naming every key at fault.
    """
    try:
        return TypeAdapter(form).validate_python(read_yaml(path))
    except ValidationError as error:
        raise InputError(path, None, "; ".join(faults(error)), "Mend the entries") from error


@cache
def read_published(path: Path) -> Mapping[str, Published]:
    """Read a register of published figures: id to row; two of one id are refused."""
    entries = read_entries(path, list[Published])
    register = {entry.id: entry for entry in entries}
    if len(register) < len(entries):
        ids = [entry.id for entry in entries]
        twice = next(name for name in ids if ids.count(name) > 1)
        raise InputError(path, None, f"two entries named {twice}", "Rename one")
    return register
