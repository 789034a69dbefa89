"""Binary cross-entropy on the scaled cosine of labelled pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import PositiveFloat

from tandem.errors import TandemError
from tandem.objectives.contrastive import Contrastive, Pool

if TYPE_CHECKING:
    from torch import Tensor


class ScaledCosine(Contrastive):
    """Logistic regression of the label on the cosine: sigmoid(scale (cos - centre)).

    It compares the sides of labelled pairs alone; there are no negatives beside those labelled 0.
    """

    fixed_shapes: ClassVar[bool] = True
    labelled: ClassVar[bool] = True

    scale: PositiveFloat = 10.0
    """How sharply the probability rises with the cosine."""
    centre: float = 0.9
    """The cosine at which both labels are equally likely."""

    def choose(self, pool: Pool) -> Tensor:
        """Return the labels: there is nothing to choose.

        Raises:
            TandemError: pairs have none.
        """
        if pool.labels is None:
            raise TandemError(
                f"the objective {self.kind} learns from labels, and these pairs have none. Give "
                "labelled pairs, or an objective for translations"
            )
        return pool.labels

    def part(self, chosen: Tensor, batch: slice) -> tuple[Tensor, ...]:
        """Return the labels of a batch, (pairs,)."""
        return (chosen[batch],)

    def loss(self, vectors: Tensor, *part: Tensor) -> Tensor:
        """Return the mean loss of a batch; see the class."""
        from torch.nn import functional

        left, right = functional.normalize(vectors, dim=-1)
        logits = self.scale * ((left * right).sum(1) - self.centre)
        return functional.binary_cross_entropy_with_logits(logits, part[0].to(logits))
