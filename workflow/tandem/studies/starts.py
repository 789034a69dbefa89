"""Faults of settings whose training starts from a trained encoder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tandem.registry import not_among

if TYPE_CHECKING:
    from tandem.studies.study import Study


def is_folder(start: str) -> bool:
    """Whether a start is the folder of a model, and no experiment."""
    return "/" in start


def start_faults(study: Study, name: str) -> Iterator[str]:
    """Yield why the training of a setting cannot start from what it names."""
    setting, start = study.settings[name], study.settings[name].start
    if start is None:
        return
    if not setting.trained:
        yield f"{name} is not trained; leave start out, or train it"
    if is_folder(start):
        return
    settings = study.settings.items()
    experiments = [f"{encoder}.{other}" for other, entry in settings for encoder in entry.encoders]
    if start not in experiments:
        yield f"no experiment {not_among(start, experiments)}"
        return
    encoder, other = start.split(".")
    if not study.settings[other].trained:
        yield f"{other} is not trained; leave start out, or train it"
    for beginner in setting.encoders:
        yield from _differences(study, beginner, encoder)
    if circle := _circle(study, name, other):
        yield f"{' starts from '.join(circle)}; begin with one that has no start"


def _differences(study: Study, encoder: str, start: str) -> Iterator[str]:
    """Yield the differences between an encoder and its start that must not be."""
    if not {encoder, start} <= study.encoders.keys():
        return
    for key in ("architecture", "segmentation"):
        if getattr(study.encoders[encoder], key) != getattr(study.encoders[start], key):
            yield f"{start} has another {key} than {encoder}; they must be the same"


def _circle(study: Study, name: str, other: str) -> list[str]:
    """Return the settings that start from each other in a circle, if `name` leads into one."""
    passed = [name]
    while (following := study.settings.get(other)) and other not in passed:
        passed.append(other)
        start = following.start or ""
        other = "" if is_folder(start) else start.partition(".")[2]
    return [*passed, other] if other in passed else []
