"""Training that starts from the encoder of another experiment: what can be wrong with that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tandem.registry import not_among

if TYPE_CHECKING:
    from tandem.studies.study import Study


def start_faults(study: Study, name: str) -> Iterator[str]:
    """Yield why the training of a setting cannot start from the experiment that it names."""
    setting, start = study.settings[name], study.settings[name].start
    if start is None:
        return
    known = [f"{e}.{other}" for other, each in study.settings.items() for e in each.encoders]
    if start not in known:
        yield f"no experiment {not_among(start, known)}"
        return
    encoder, other = start.split(".")
    for untrained in (each for each in (name, other) if not study.settings[each].trained):
        yield f"{untrained} is not trained; leave start out, or train it"
    entries = study.encoders
    for own in (own for own in setting.encoders if {own, encoder} <= entries.keys()):
        for key in ("architecture", "segmentation"):
            if getattr(entries[own], key) != getattr(entries[encoder], key):
                yield f"{encoder} has another {key} than {own}; they must be the same"
    passed = [name]
    while (following := study.settings.get(other)) and other not in passed:
        passed.append(other)
        other = (following.start or "").partition(".")[2]
    if other in passed:
        yield f"{' starts from '.join([*passed, other])}; begin with one that has no start"
