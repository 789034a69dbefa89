"""What tables compare: encoders in settings, and the figures of their tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tandem.registry import ConfigurationError, Settings

if TYPE_CHECKING:
    from tandem.reporting.outline import Outline


class Compared(Settings):
    """A model that a table shows."""

    label: str
    """Its heading."""
    encoder: str
    """The encoder, or a pretrained baseline."""
    setting: str = ""
    """The setting, where the figures do not name one; `{setting}` in it is that of a figure."""
    units: list[str] = []
    """The units of the figures that are shown of it, where others would say nothing, such as those
    of text in a language that it has not read; empty: all."""


class Figure(Settings):
    """A figure that a table shows of every model."""

    label: str
    """Its heading; published figures are found by it."""
    task: str
    """The task that measures it."""
    unit: str
    """Which of the task's figures."""
    setting: str = ""
    """The setting of the encoders; empty: that of the model."""


def pretrained(plan: Outline, names: Sequence[str]) -> list[Compared]:
    """Return pretrained baselines as models, in the first setting: any would do for these."""
    setting = next(iter(plan.study.settings))
    models = zip(names, plan.experiments(names, [setting]), strict=True)
    return [
        Compared(label=plan.described(measured)["encoder"], encoder=name, setting=setting)
        for name, measured in models
    ]


def experiment(plan: Outline, model: Compared, figure: Figure | None = None) -> str:
    """Return the experiment of a model, for a figure.

    Raises:
        ConfigurationError: neither names a setting, or the study has no such experiment.
    """
    setting = (figure.setting if figure else "") or model.setting
    if "{setting}" in model.setting:
        setting = model.setting.format(setting=setting)
    if not setting:
        raise ConfigurationError(f"{model.label}: give `setting`, here or with every figure")
    return plan.experiments([model.encoder], [setting])[0]
