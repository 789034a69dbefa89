"""The kinds of objective: the losses that training minimises, with their negatives."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tandem.registry import Kind, Registry

if TYPE_CHECKING:
    from tandem.encoders.encoder import Encoder
    from tandem.segmentation.segmentation import Segmentation


class Objective(Kind):
    """What every kind of objective has: a learner, which takes the steps that reduce it."""

    learner: ClassVar[str]
    """What makes its learner, as `<module>:<name>`. It is imported when training begins, and called
    with a run, the number of types, texts, a device and an encoder to start from or None (see
    `training.run.course_of`); what a learner does is in `training.course.Learner`."""
    unread: ClassVar[frozenset[str]] = frozenset()
    """Keys of a recipe that its learner does not read."""
    smaller: ClassVar[str] = "Lower `batch` of the recipe"
    """What takes less memory of a GPU, as a sentence without its full stop."""

    def check(
        self, encoder: Encoder, texts: int = 1, segmentation: Segmentation | None = None
    ) -> None:
        """Refuse an encoder, or a number of texts, that it cannot train: TandemError.

        So is a segmentation whose ids it cannot learn from, where it is known.
        """

    @classmethod
    def learner_maker(cls) -> Any:  # noqa: ANN401  (of training, which imports objectives)
        """Import what makes its learner."""
        module, name = cls.learner.split(":")
        return getattr(import_module(module), name)

    @classmethod
    def learner_file(cls) -> Path:
        """Return the file of its learner, which is not imported."""
        spec = find_spec(cls.learner.split(":")[0])
        assert spec and spec.origin
        return Path(spec.origin)


OBJECTIVES = Registry("tandem.objectives.kinds", Objective)


def objective_files(kind: str) -> list[Path]:
    """Return the files that training by a kind of objective depends on: its own, its learner's."""
    return [OBJECTIVES.path(kind), OBJECTIVES.kind(kind).learner_file()]
