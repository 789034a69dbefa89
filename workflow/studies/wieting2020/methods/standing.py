"""How models stand: what they have learned, and whether they are above what is not trained.

One rule for all tables. A model has not begun to learn if its held-out loss is not below that of
writing each token by its frequency; it is below where the same encoder, untrained, has a higher
score. `withheld` tells claims of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.registry import Settings
from tandem.reporting.compared import Compared
from tandem.reporting.outline import Outline
from wieting2020.methods.begun import held_out_loss, objective_of, unigram_loss

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.scores import Cell
    from tandem.reporting.table import Material

METRIC = "pearson_x100"
NOT_BEGUN, BELOW = "‡", "§"
BEGUN_NOTE = (
    f"{NOT_BEGUN}: it has not begun to learn, since its held-out loss is not below that of writing "
    "each token by its frequency; claims of it are not comparable."
)
NOTE = (
    f"{BEGUN_NOTE} {BELOW}: its STS is below that of the same encoder untrained; claims of such "
    "models alone are not comparable."
)
"""What the marks mean, and of which models claims are made."""


class Named(Compared):
    """A model, with a name for claims."""

    name: str
    """Its name in claims."""


class Floor(Settings):
    """An encoder that is not trained, which those that are trained should be above."""

    experiment: str
    """Its experiment; {encoder}, {setting} and {corpus} in it are those of the trained one."""
    task: str = "sts"
    """The task that scores both."""
    units: list[str] = ["mean"]
    """Which of its figures; below is what is below in all of those that were scored."""

    def of(self, plan: Outline, experiment: str) -> str:
        """Return the untrained counterpart of an experiment."""
        encoder, setting = experiment.split(".")
        corpus = plan.setting(experiment).corpus
        name = self.experiment.format(encoder=encoder, setting=setting, corpus=corpus)
        return plan.experiments(*([part] for part in name.split(".")))[0]


@dataclass(frozen=True)
class Standing:
    """What is known of a model.

    Attributes:
        scored: its figures, and those of the same encoder untrained: where both were scored.
        loss: held out, in nats for each pair, the mean over seeds.
        unigram: that of writing by frequencies.
        tokens: of a batch.
    """

    scored: list[tuple[Cell, Cell]]
    loss: float
    unigram: float
    tokens: int

    @property
    def begun(self) -> bool:
        """Whether it has begun to learn."""
        return self.loss < self.unigram

    @property
    def below(self) -> bool:
        """Whether no figure is above that of the untrained encoder."""
        return bool(self.scored) and all(
            cell.estimate <= floor.estimate for cell, floor in self.scored
        )

    @property
    def mark(self) -> str:
        """What stands behind its label."""
        return NOT_BEGUN * (not self.begun) + BELOW * self.below

    @property
    def cell(self) -> Cell | None:
        """Its first figure."""
        return self.scored[0][0] if self.scored else None

    def shown(self) -> list[str]:
        """Return what a grid shows of it: the untrained encoder's figure, and both losses."""
        from tandem.reporting.writer import quantity

        return [quantity(self._floor, ".1f"), f"{self.loss:.1f}", f"{self.unigram:.1f}"]

    @property
    def _floor(self) -> float | None:
        return self.scored[0][1].estimate if self.scored else None

    def columns(self, model: Named, experiment: str) -> dict[str, Any]:
        """Return what a table's CSV says of it."""
        from tandem.reporting.writer import columns

        return {
            "row": model.label, "name": model.name, "experiment": experiment,
            "seed_count": len(self.cell.seeds) if self.cell else 0, "batch_tokens": self.tokens,
            "held_out_nats": self.loss, "unigram_nats": self.unigram, "begun": self.begun,
            f"untrained_{METRIC}": self._floor, **columns("STS", METRIC, self.cell),
        }  # fmt: skip


SHOWN = ("untrained", "held-out loss", "by frequencies")
"""Headings of `Standing.shown`."""


def _learned(plan: Outline, names: Iterable[str]) -> list[str]:
    """Return the experiments, each once, that have a held-out loss."""
    trained = (name for name in dict.fromkeys(names) if not plan.pretrained(name))
    return [name for name in trained if plan.setting(name).selection == "loss"]


def _models(plan: Outline, name: str) -> list[str]:
    """Return the models whose training an experiment's encoders come from."""
    return plan.models([plan.whole(name)], plan.seeds(name))


def inputs(plan: Outline, names: Iterable[str], floor: Floor | None = None) -> dict[str, list[str]]:
    """Name what standings of experiments are read from: scores, models and the text they read."""
    every = _learned(plan, names)
    models = (path for name in every for path in _models(plan, name))
    texts = (plan.segmented(name, plan.seeds(name)[0]) for name in every)
    files = {"models": [*dict.fromkeys(models)], "segmented": [*dict.fromkeys(texts)]}
    if floor is not None:
        both = [*every, *(floor.of(plan, name) for name in every)]
        files[f"scores.{floor.task}"] = plan.scores(both, floor.task)
    return files


def standings(
    material: Material, names: Iterable[str], floor: Floor | None = None
) -> dict[str, Standing]:
    """Return how experiments stand, those that have a held-out loss."""
    plan, names = material.plan, list(names)
    wanted = inputs(plan, names)
    places: dict[str, Path] = {}
    for key in ("models", "segmented"):  # which may be elsewhere than the plan says
        places |= zip(wanted[key], material.files[key], strict=True)
    result = {}
    for name in _learned(plan, names):
        folders = [places[path] for path in _models(plan, name)]
        objective = objective_of(folders[0])
        losses = [held_out_loss(folder) for folder in folders]
        text = places[plan.segmented(name, plan.seeds(name)[0])]
        sides = plan.sides(plan.setting(name).corpus)
        unigram = unigram_loss(text, sides, objective)
        scored = _scored(material, name, floor) if floor else []
        result[name] = Standing(scored, sum(losses) / len(losses), unigram, objective.tokens)
    return result


def _scored(material: Material, name: str, floor: Floor) -> list[tuple[Cell, Cell]]:
    """Return the figures of an experiment and of its floor, where both were scored."""
    below, pairs = floor.of(material.plan, name), []
    for unit in floor.units:
        cells = [material.scores.cell(of, floor.task, unit) for of in (name, below)]
        if cells[0] is not None and cells[1] is not None:
            pairs.append((cells[0], cells[1]))
    return pairs


def withheld(standing: Mapping[str, Standing]) -> dict[str, dict[str, str]]:
    """Return what a report says to claims: the fields `barred` and `doubtful`."""
    return {
        "barred": {
            name: f"has not begun to learn ({entry.loss:.1f} nats, by frequencies "
            f"{entry.unigram:.1f})"
            for name, entry in standing.items() if not entry.begun
        },
        "doubtful": {
            name: "below the same encoder untrained" for name, entry in standing.items()
            if entry.below
        },
    }  # fmt: skip


def paired(models: Mapping[str, Named]) -> pd.DataFrame:
    """Return the pairs of models, by experiment, that claims compare, each both ways.

    Columns: better, worse, their names; better_label, worse_label; better_experiment,
    worse_experiment.
    """
    import pandas as pd

    lines = [
        {"better": first.name, "worse": second.name, "better_label": first.label,
         "worse_label": second.label, "better_experiment": name, "worse_experiment": other}
        for (name, first), (other, second) in permutations(models.items(), 2)
    ]  # fmt: skip
    return pd.DataFrame(lines)
