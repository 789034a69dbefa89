"""What is trained and how, by the names that a study gives its parts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem.encoders.encoder import ENCODERS, encoder_files
from tandem.objectives.objective import OBJECTIVES, objective_files
from tandem.registry import ConfigurationError, Settings, not_among
from tandem.segmentation.segmentation import SEGMENTATIONS

if TYPE_CHECKING:
    from tandem.studies.study import Study


class NamedRun(Settings):
    """An encoder, an objective and a recipe, by names in the study."""

    encoder: str
    """The encoder whose architecture is trained."""
    objective: str
    """The objective that training minimises."""
    recipe: str
    """The recipe of training."""

    def run(self, study: Study) -> dict[str, Any]:
        """Return what is trained and how, except the seed, as plain values.

        Raises:
            ConfigurationError: naming what the study does not have.
        """
        for section in ("encoder", "objective", "recipe"):
            name, entries = getattr(self, section), getattr(study, f"{section}s")
            if name not in entries:
                problem = f"no {section}s entry {not_among(name, entries)}"
                raise ConfigurationError(f"the {section} of a training: {problem}")
        return {
            "encoder": ENCODERS.dump(study.encoders[self.encoder].architecture),
            "objective": OBJECTIVES.dump(study.objectives[self.objective]),
            "recipe": study.recipes[self.recipe].model_dump(),
        }

    def files(self, study: Study) -> list[Path]:
        """Return the files of the kinds that its training depends on."""
        run = self.run(study)
        encoder = study.encoders[self.encoder]
        segmentation = study.segmentations[encoder.segmentation].kind
        files = [*encoder_files(encoder.architecture), SEGMENTATIONS.path(segmentation)]
        return [*files, *objective_files(run["objective"]["kind"])]
