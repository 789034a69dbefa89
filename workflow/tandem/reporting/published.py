"""Figures printed in the papers, to stand beside ours; `published.yaml` holds them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tandem.io import read_yaml

REGISTER = Path(__file__).with_name("published.yaml")


@dataclass(frozen=True)
class Published:
    """One row of figures as a paper prints it, with the place it was read from."""

    id: str
    paper: str
    place: str
    text: str
    line: int
    about: str
    unit: str
    values: dict[str, float]


@cache
def published(path: Path = REGISTER) -> dict[str, Published]:
    """Read the register: id (`paper.study.row`) to its figures."""
    entries = read_yaml(path)
    return {entry["id"]: Published(**entry) for entry in entries}
