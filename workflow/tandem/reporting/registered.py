"""What claims were when results were first kept, so that a change of them afterwards is told.

docs/results/registered.json has, by claim, the day, and its margin, test and sides. They stay as
they were; a claim that is changed later says so itself (`revised`), and one that is given up is
marked there (`withdrawn`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tandem.files.io import write_json
from tandem.registry import Settings
from tandem.reporting.claim_entries import ClaimEntry
from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.published import read_entries


class Registered(Settings):
    """A claim as it was when results were first kept."""

    kept: date
    """The day."""
    margin: float
    """What the statistic was claimed to be above."""
    test: dict[str, Any]
    """What was measured, as claims.yaml had it, with placeholders."""
    each: Any
    """The values of the placeholders, or where they come from."""
    withdrawn: str = ""
    """Why the claim is no longer made, and its last verdict; empty: it is."""


def as_registered(entry: ClaimEntry, kept: date) -> Registered:
    """Return what is registered of a claim."""
    plain = entry.model_dump(mode="json", include={"margin", "each"})
    return Registered(kept=kept, test=CLAIM_TESTS.dump(entry.test), **plain)


def read_registered(path: str | Path) -> dict[str, Registered]:
    """Read registered claims by name; none where there is no file."""
    return read_entries(path, dict[str, Registered]) if Path(path).exists() else {}


def register(path: str | Path, entries: Iterable[ClaimEntry], kept: date) -> None:
    """Add the claims that are not registered yet; the others stay as they are."""
    claims = {entry.name: as_registered(entry, kept) for entry in entries}
    every = claims | read_registered(path)
    write_json(path, {name: claim.model_dump(mode="json") for name, claim in every.items()})


def unexplained(
    registered: Mapping[str, Registered], entries: Iterable[ClaimEntry]
) -> Iterator[str]:
    """Yield what was changed of the claims of all studies, or given up, without a word."""
    current = {entry.name: entry for entry in entries}
    for name, before in registered.items():
        if before.withdrawn:
            continue
        entry = current.get(name)
        if entry is None:
            yield f"{name} was kept on {before.kept} and is gone: mark it as withdrawn"
        elif as_registered(entry, before.kept) != _whole(before) and not entry.revised:
            yield f"{name} is not as it was when it was kept on {before.kept}: say so in `revised`"


def _whole(claim: Registered) -> Registered:
    """Return a claim with the settings that its kind of test got later, by their defaults."""
    kind = str(claim.test["kind"])
    fields = CLAIM_TESTS.kind(kind).model_fields if kind in CLAIM_TESTS.modules() else {}
    later = {name: field.default for name, field in fields.items() if not field.is_required()}
    return claim.model_copy(update={"test": later | claim.test})
