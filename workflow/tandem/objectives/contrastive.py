"""Objectives that compare the sentences of pairs with each other and with negatives."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tandem.errors import TandemError
from tandem.objectives.objective import Objective

if TYPE_CHECKING:
    from torch import Tensor

    from tandem.encoders.encoder import Encoder
    from tandem.segmentation.segmentation import Segmentation


class Pool(NamedTuple):
    """The n pairs that negatives are chosen from.

    Attributes:
        vectors: (2n, dimension) of the sentences, one side after the other; None unless the
            objective `compares` them.
        keys: (2n,) int64, equal for sentences that say the same.
        monolingual: both sides are of one language.
        labels: (n,) int64, 1 where the sides say the same, else 0; None: all do.
    """

    vectors: Tensor | None
    keys: Tensor
    monolingual: bool
    labels: Tensor | None = None


class Contrastive(Objective):
    """What every contrastive objective has.

    Training reads `batches` batches of pairs at a time, a pool, from which the objective may
    choose: it sees the vectors of the whole pool where it `compares` them. Then for each batch the
    sentences that `rows` names are encoded with dropout, and one step is taken to reduce `loss`.
    """

    learner: ClassVar[str] = "tandem.training.contrast:learner"
    smaller: ClassVar[str] = "Lower `batch` of the recipe or `megabatch` of the objective"
    fixed_shapes: ClassVar[bool] = False
    """Whether what it computes has shapes that depend on those of its arguments alone, and reads
    nothing off a GPU: then a step there is recorded, which is far faster."""
    labelled: ClassVar[bool] = False
    """Whether it learns from pairs that are labelled as saying the same or not."""

    def check(
        self, encoder: Encoder, texts: int = 1, segmentation: Segmentation | None = None
    ) -> None:
        """Refuse a scorer, whose one number has no angle with another: TandemError."""
        if encoder.kind == "scorer":
            raise TandemError(
                f"the objective {self.kind} compares vectors, and a scorer gives a number. Give "
                "the objective logistic, or another encoder"
            )

    @property
    def compares(self) -> bool:
        """Whether `choose` needs the vectors of a pool."""
        return False

    def batches(self, step: int, total: int) -> int:
        """Return how many batches the pool has that begins after `step` of `total` updates."""
        return 1

    def largest_pool(self, pairs: int, batch: int, epochs: int) -> int:
        """Return how many batches the largest pool has of a training on one text.

        A pool ends with its epoch, so that it has no more batches than the text.
        """
        total = epochs * batch_count(pairs, batch)
        step = largest = 0
        for _ in range(epochs):
            position = 0
            while position < pairs:
                end = pool_end(position, pairs, self.batches(step, total) * batch)
                count = batch_count(end - position, batch)
                position, step, largest = end, step + count, max(largest, count)
        return largest

    def choose(self, pool: Pool) -> Any:  # noqa: ANN401  (whatever its own `rows` and `loss` want)
        """Choose in a pool, without gradients, what its batches need."""
        return None

    def rows(self, pairs: Tensor, chosen: Any) -> list[Tensor]:  # noqa: ANN401
        """Return the sentences to encode for each pair of a pool: groups of as many as pairs.

        Args:
            pairs: (n,) numbers of the pairs, 0 .. n - 1; these are also those of the left
                sentences, and the right ones follow.
            chosen: what `choose` returned, as for `loss`.
        """
        return [pairs, pairs + len(pairs)]

    def part(self, chosen: Any, batch: slice) -> tuple[Tensor, ...]:  # noqa: ANN401
        """Return what the loss of a batch, these pairs of the pool, needs of what was chosen."""
        return ()

    def loss(self, vectors: Tensor, *part: Tensor) -> Tensor:
        """Return the loss of a batch, a scalar.

        Args:
            vectors: those of what `rows` named for this batch, (groups, pairs, width).
            part: what `part` returned for it.
        """
        raise NotImplementedError


def pool_end(start: int, pairs: int, size: int) -> int:
    """Return where a pool of so many pairs ends that begins at `start` of the pairs of a text."""
    end = min(start + size, pairs)
    # a single pair has no negative: the last one joins this pool
    return pairs if end == pairs - 1 else end


def batch_count(pairs: int, batch: int) -> int:
    """Return how many batches so many pairs make, the last of which is never of a single pair.

    It would have no negative, and joins the batch before it, unless all are to be of one pair.
    """
    return max(1, (pairs + batch - 2) // batch) if batch > 1 else pairs


def batch_slices(pairs: int, batch: int) -> list[slice]:
    """Return the pairs of each batch of a pool, as `batch_count` counts them."""
    starts = [number * batch for number in range(batch_count(pairs, batch))]
    return [slice(*ends) for ends in pairwise([*starts, pairs])]
