"""Files that only the user can provide, and that are missing: those of local corpora."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tandem.corpora.register import Dataset
from tandem.studies.plan import Plan

NONE = "No file of your own is missing."
HEAD = """\
{count} files are missing that no rule can fetch. Get each from where its line says, put it there
under the name before the colon, and run again; `--dry-run` shows the plan without them:"""
OPTIONAL = "optional, tables go without it: "


def local_corpora(plan: Plan, datasets: Mapping[str, Dataset]) -> list[Dataset]:
    """Return the local corpora that the values of a study name, by their key or by their path."""
    words = set(_words(plan.study.model_dump(mode="json")))
    entries = (entry for entry in datasets.values() if entry.kind == "local")
    return [entry for entry in entries if {entry.name, entry.path} & words]


def missing(plan: Plan, datasets: Mapping[str, Dataset]) -> dict[str, Dataset]:
    """Return the files of local corpora that a study names, and that are not there, by path.

    A file that has been fetched already is missed no more.
    """
    return {
        part.source: entry
        for entry in local_corpora(plan, datasets)
        for part, copy in zip(entry.parts(), plan.fetched[entry.name], strict=True)
        if not Path(part.source).exists() and not Path(copy).exists()
    }


def listing(plans: Iterable[Plan], datasets: Mapping[str, Dataset]) -> str:
    """Return what is missing as text: each file with what it is, whence, and its licence."""
    files: dict[str, Dataset] = {}
    needed: set[str] = set()
    for plan in plans:
        absent = missing(plan, datasets)
        files |= absent
        needed |= {path for path, entry in absent.items() if entry.name not in plan.optional}
    if not files:
        return NONE
    lines = [
        f"  {path}: {'' if path in needed else OPTIONAL}{entry.description or entry.name} "
        f"(licence: {entry.licence})"
        for path, entry in sorted(files.items(), key=lambda item: (item[0] not in needed, item[0]))
    ]
    return "\n".join([HEAD.format(count=len(files)), *lines])


def _words(values: Any) -> Iterator[str]:  # noqa: ANN401  (whatever a study holds)
    """Yield every text among plain values, keys apart."""
    if isinstance(values, str):
        yield values
    elif isinstance(values, Mapping):
        for value in values.values():
            yield from _words(value)
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _words(value)
