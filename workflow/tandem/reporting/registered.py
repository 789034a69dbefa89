"""What claims were when results were first kept, so that a change of them afterwards is told.

docs/results/registered.json has, by claim, the day, and its margin, test and sides, the family that
it is corrected with, and whether it is a description. They stay as they were; a claim that is
changed later says so itself (`revised`), what it then is follows there when results of it are kept,
and one that is given up is marked there (`withdrawn`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tandem.files.io import write_json
from tandem.registry import Settings
from tandem.reporting.claim_entries import ClaimEntry
from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.published import read_entries


class State(Settings):
    """A claim as it was when results of it were kept."""

    kept: date
    """The day."""
    margin: float
    """What the statistic was claimed to be above."""
    test: dict[str, Any]
    """What was measured, as claims.yaml had it, with placeholders."""
    each: Any
    """The values of the placeholders, or where they come from."""
    family: str = ""
    """The claims that it was corrected with, of its table."""
    description: bool = False
    """Whether it was left untested."""
    revised: str = ""
    """What had been said of earlier changes."""


class Registered(State):
    """A claim as it was when results were first kept, and as it was changed to."""

    later: list[State] = []
    """What it was changed to, in order."""
    withdrawn: str = ""
    """Why the claim is no longer made, and its last verdict; empty: it is."""

    @property
    def latest(self) -> State:
        """What it was when results of it were last kept."""
        return self.later[-1] if self.later else State(**self.model_dump(include=_FIELDS))


_FIELDS = set(State.model_fields)


def state_of(entry: ClaimEntry, kept: date) -> State:
    """Return what is registered of a claim."""
    fields = _FIELDS - {"kept", "test"}
    plain = entry.model_dump(mode="json", include=fields)
    return State(kept=kept, test=CLAIM_TESTS.dump(entry.test), **plain)


def numbered(entries: Iterable[ClaimEntry]) -> dict[str, ClaimEntry]:
    """Return claims by name.

    Of several with one name, which differ in what they test, each but the first has its number in
    the file after it.
    """
    named: dict[str, ClaimEntry] = {}
    counts: Counter[str] = Counter()
    for entry in entries:
        counts[entry.name] += 1
        number = counts[entry.name]
        named[entry.name if number == 1 else f"{entry.name} {number}"] = entry
    return named


def read_registered(path: str | Path) -> dict[str, Registered]:
    """Read registered claims by name; none where there is no file."""
    return read_entries(path, dict[str, Registered]) if Path(path).exists() else {}


def register(path: str | Path, entries: Iterable[ClaimEntry], kept: date) -> None:
    """Add the claims that are not registered yet, and what changed of the others."""
    every = read_registered(path)
    for name, entry in numbered(entries).items():
        now, before = state_of(entry, kept), every.get(name)
        if before is None:
            every[name] = Registered(**now.model_dump())
        elif _changed(now, before.latest) or now.revised != before.latest.revised:
            every[name] = before.model_copy(update={"later": [*before.later, now]})
    write_json(path, {name: claim.model_dump(mode="json") for name, claim in every.items()})


def unexplained(
    registered: Mapping[str, Registered], entries: Iterable[ClaimEntry]
) -> Iterator[str]:
    """Yield what was changed of the claims of all studies, or given up, without a word.

    Each change needs words of its own: what `revised` says, but for what it said before, has a day.
    """
    current = numbered(entries)
    for name, claim in registered.items():
        if claim.withdrawn:
            continue
        before, entry = claim.latest, current.get(name)
        if entry is None:
            yield f"{name} was kept on {before.kept} and is gone: mark it as withdrawn"
        elif _changed(state_of(entry, before.kept), before) and not _told(entry, before):
            yield (
                f"{name} is not as it was when it was kept on {before.kept}: say in `revised`, "
                "after what it says, on which day it was changed (2026-12-31) and why"
            )


def _changed(now: State, before: State) -> bool:
    """Tell whether a claim is another, whatever is said of it."""
    same = {"kept": before.kept, "revised": before.revised}
    return now.model_copy(update=same) != _whole(before)


def _told(entry: ClaimEntry, before: State) -> bool:
    """Tell whether `revised` says more than it did, with a day."""
    more = entry.revised.removeprefix(before.revised)
    return entry.revised.startswith(before.revised) and bool(re.search(r"\d{4}-\d\d-\d\d", more))


def _whole(claim: State) -> State:
    """Return a claim with the settings that its kind of test got later, by their defaults."""
    kind = str(claim.test["kind"])
    fields = CLAIM_TESTS.kind(kind).model_fields if kind in CLAIM_TESTS.modules() else {}
    later = {name: field.default for name, field in fields.items() if not field.is_required()}
    return claim.model_copy(update={"test": later | claim.test})
