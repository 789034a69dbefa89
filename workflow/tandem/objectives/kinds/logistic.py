"""Binary cross-entropy of the labels of joined pairs, which a scorer gives a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tandem.errors import TandemError
from tandem.objectives.contrastive import Contrastive, Pool

if TYPE_CHECKING:
    from torch import Tensor

    from tandem.encoders.encoder import Encoder
    from tandem.segmentation.segmentation import Segmentation


class Logistic(Contrastive):
    """Logistic regression of the label on a scorer's number, of both orders of a pair."""

    fixed_shapes: ClassVar[bool] = True
    labelled: ClassVar[bool] = True

    def check(
        self, encoder: Encoder, texts: int = 1, segmentation: Segmentation | None = None
    ) -> None:
        """Refuse an encoder that gives more than a number: TandemError."""
        if encoder.width != 1:
            raise TandemError(
                f"the objective {self.kind} trains a scorer, and {encoder.kind} gives vectors. "
                "Give another objective, or an encoder of the kind scorer"
            )

    def choose(self, pool: Pool) -> Tensor:
        """Return the labels: there is nothing to choose.

        Raises:
            TandemError: pairs have none.
        """
        if pool.labels is None:
            raise TandemError(f"the objective {self.kind} learns from labels, and there are none")
        return pool.labels

    def part(self, chosen: Tensor, batch: slice) -> tuple[Tensor, ...]:
        """Return the labels of a batch, (pairs,)."""
        return (chosen[batch],)

    def loss(self, vectors: Tensor, *part: Tensor) -> Tensor:
        """Return the mean loss of a batch, over both orders."""
        from torch.nn import functional

        logits = vectors.squeeze(2)
        labels = part[0].to(logits).expand_as(logits)
        return functional.binary_cross_entropy_with_logits(logits, labels)
