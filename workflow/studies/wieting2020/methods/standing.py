"""How models of an appendix stand: their scores, the untrained encoder's, and what they learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.reporting.outline import Outline
from wieting2020.methods.begun import held_out_loss, objective_of, unigram_loss
from wieting2020.methods.compared import Compared, experiment

if TYPE_CHECKING:
    import pandas as pd

    from tandem.reporting.scores import Cell
    from tandem.reporting.table import Material

METRIC = "pearson_x100"
NOT_BEGUN, BELOW = "‡", "§"
NOTE = (
    f"{NOT_BEGUN}: it has not begun to learn, since its held-out loss is not below that of writing "
    f"each token by its frequency. {BELOW}: its STS is below that of the same encoder untrained. "
    "No claim is made of a model that has not begun to learn, nor of two that are both below the "
    "untrained encoder."
)
"""What the marks mean, and of which models claims are made."""


class Named(Compared):
    """A model, with a name for claims."""

    name: str
    """Its name in claims."""


@dataclass(frozen=True)
class Standing:
    """A model with what is known of it.

    Attributes:
        scored: its figure, and `floor` that of the same encoder untrained; None: not scored.
        loss: held out, in nats for each pair, the mean over seeds.
        unigram: that of writing by frequencies.
        tokens: of a batch.
    """

    model: Named
    experiment: str
    scored: Cell | None
    floor: Cell | None
    loss: float
    unigram: float
    tokens: int

    @property
    def begun(self) -> bool:
        """Whether it has begun to learn."""
        return self.loss < self.unigram

    @property
    def above(self) -> bool:
        """Whether it scores above the untrained encoder."""
        if self.scored is None or self.floor is None:
            return False
        return self.scored.estimate > self.floor.estimate

    @property
    def mark(self) -> str:
        """What stands behind its label."""
        scored = self.scored is not None and self.floor is not None
        below = scored and not self.above
        return NOT_BEGUN * (not self.begun) + BELOW * below

    def columns(self) -> dict[str, Any]:
        """Return what a table's CSV says of it, without its score."""
        floor = None if self.floor is None else self.floor.estimate
        return {
            "row": self.model.label, "name": self.model.name, "experiment": self.experiment,
            "seed_count": len(self.scored.seeds) if self.scored else 0, "batch_tokens": self.tokens,
            "held_out_nats": self.loss, "unigram_nats": self.unigram, "begun": self.begun,
            f"untrained_{METRIC}": floor,
        }  # fmt: skip


def names(plan: Outline, models: Sequence[Named], untrained: str) -> dict[str, str]:
    """Return the experiment of each model's encoder untrained, by the model's own experiment."""
    floors = (plan.experiments([model.encoder], [untrained])[0] for model in models)
    return {experiment(plan, m): floor for m, floor in zip(models, floors, strict=True)}


def inputs(plan: Outline, models: Sequence[Named], untrained: str, task: str) -> dict[str, Any]:
    """Name what standings are read from: scores, models and the text that they learned from."""
    every = names(plan, models, untrained)
    return {
        "scores": plan.scores([*every, *every.values()], task),
        "models": plan.models(every),
        "segmented": [plan.segmented(name, plan.seeds(name)[0]) for name in every],
    }


def standings(
    material: Material, models: Sequence[Named], untrained: str, task: str, unit: str
) -> list[Standing]:
    """Return how models stand, in their order."""
    plan, scores = material.plan, material.scores
    every = names(plan, models, untrained)
    folders = iter(material.files["models"])
    result = []
    for model, (name, floor), text in zip(
        models, every.items(), material.files["segmented"], strict=True
    ):
        trained = [next(folders) for _ in plan.seeds(name)]
        objective, losses = objective_of(trained[0]), [held_out_loss(folder) for folder in trained]
        sides = plan.sides(plan.setting(name).corpus)
        scored, below = (scores.cell(of, task, unit) for of in (name, floor))
        unigram = unigram_loss(Path(text), sides, objective)
        mean = sum(losses) / len(losses)
        result.append(Standing(model, name, scored, below, mean, unigram, objective.tokens))
    return result


def comparable(models: Sequence[Standing]) -> pd.DataFrame:
    """Return the pairs of models that claims may compare, each both ways: better and worse.

    Columns: better, worse, their names; better_experiment, worse_experiment.
    """
    import pandas as pd

    ready = [model for model in models if model.begun and model.scored is not None]
    lines = [
        {"better": a.model.name, "worse": b.model.name, "better_label": a.model.label,
         "worse_label": b.model.label, "better_experiment": a.experiment,
         "worse_experiment": b.experiment}
        for a, b in permutations(ready, 2) if a.above or b.above
    ]  # fmt: skip
    return pd.DataFrame(lines)
