"""What is compared: an encoder in a setting of each language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tandem.registry import Settings

if TYPE_CHECKING:
    from tandem.reporting.outline import Outline
    from tandem.reporting.table import Material


class Compared(Settings):
    """A row of a table."""

    label: str
    """Its heading."""
    encoder: str
    """The encoder; `<encoder>-<language>` where the study has it."""
    setting: str
    """The setting, without `-<language>`."""


def experiment(plan: Outline, row: Compared, language: str) -> str:
    """Return the experiment of a row in a language.

    Raises:
        ConfigurationError: the study has no such encoder or setting.
    """
    special = f"{row.encoder}-{language}"
    encoder = special if special in plan.study.encoders else row.encoder
    return plan.experiments([encoder], [f"{row.setting}-{language}"])[0]


def printed(
    material: Material, keys: Sequence[str], headings: Sequence[str], names: Sequence[str]
) -> str:
    """Return a grid of the published rows that have any of these figures; "" without such rows."""
    from tandem.reporting.writer import grid, quoted

    entries = [material.published[key] for key in keys]
    rows = quoted([entry for entry in entries if set(names) & set(entry.values)], names)
    return grid(["Published", "Printed in", *headings], rows) if rows else ""
