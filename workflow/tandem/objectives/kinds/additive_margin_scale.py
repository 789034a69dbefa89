"""Softmax over paraphrases with an angular margin and weighed hard negatives (fedorova2024)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from tandem.objectives.contrastive import Contrastive, Pool

if TYPE_CHECKING:
    from torch import Tensor

SMALLEST = 1e-6
"""Smallest square of a sine: the sine's own derivative is infinite at 0."""


class Chosen(NamedTuple):
    """What is known of the pairs of a pool, and which sentences are their hard negatives.

    Attributes:
        keys: (2n,) equal for sentences that say the same.
        labels: (n,) 1 where the sides say the same, else 0.
        hard: (hard, n) right sentences, by their number in their side.
        counts: (hard, n) whether such a sentence is similar enough to count.
    """

    keys: Tensor
    labels: Tensor
    hard: Tensor
    counts: Tensor


class AdditiveMarginScale(Contrastive):
    """The loss of equation 4, over the pairs (x, y) of a batch, with phi the angle of two vectors.

        -log( p / (p + n + gamma h) ),  p = exp(s cos(phi(x_i, y_i) + m)),
        n = sum_{j != i} exp(s cos phi(x_i, y_j)),  h = sum_{y in H_i} exp(s cos phi(x_i, y))

    The H_i are the sentence that a pair labelled 0 has beside x_i, and the sentences of the
    mega-batch that are most similar to x_i (algorithm 2). The paper gives p no meaning for a pair
    labelled 0: here the sentence is its own paraphrase, phi = 0. Sentences that say the same as x_i
    or its paraphrase are no negatives of it.
    """

    fixed_shapes: ClassVar[bool] = True
    labelled: ClassVar[bool] = True

    margin: NonNegativeFloat = 0.5
    """m, in radians, or of the cosine; the paper's value."""
    scale: PositiveFloat = 0.5
    """s; the paper's value."""
    gamma: NonNegativeFloat = 1.0
    """Weight of hard negatives; the paper's value."""
    angular: bool = True
    """The margin is added to the angle; else it is subtracted from the cosine, as in yang2019."""
    bidirectional: bool = False
    """Also from the second side to the first."""
    megabatch: PositiveInt = 20
    """Batches from which hard negatives are chosen; the paper's value."""
    hard: NonNegativeInt = 0
    """Most hard negatives that a sentence has of a mega-batch."""
    above: float = -1.0
    """Of these only such as have at least this cosine with the sentence."""

    @property
    def compares(self) -> bool:
        """Hard negatives are chosen by their similarity."""
        return self.hard > 0

    def batches(self, step: int, total: int) -> int:
        """Return how many batches hard negatives are chosen from."""
        return self.megabatch if self.hard else 1

    def choose(self, pool: Pool) -> Chosen:
        """Choose the hard negatives of every left sentence."""
        import torch
        from torch.nn import functional

        from tandem.objectives.negatives import most_similar

        left_keys, right_keys = pool.keys.chunk(2)
        labels = torch.ones_like(left_keys) if pool.labels is None else pool.labels
        if pool.vectors is None or not self.hard:
            none = left_keys.new_zeros(0, len(left_keys))
            return Chosen(pool.keys, labels, none, none.bool())
        left, right = functional.normalize(pool.vectors).chunk(2)
        hard = most_similar(left, right, right_keys, left_keys, right_keys, self.hard)
        similar = torch.stack([(left * right[numbers]).sum(1) for numbers in hard])
        keys = right_keys[hard]
        counts = (similar >= self.above) & (keys != left_keys) & (keys != right_keys)
        # of a side with few sentences the same one is taken again
        again = torch.stack([(hard[:number] == row).any(0) for number, row in enumerate(hard)])
        return Chosen(pool.keys, labels, hard, counts & ~again)

    def rows(self, pairs: Tensor, chosen: Chosen) -> list[Tensor]:
        """Return the pairs' sentences, then the hard negatives of the left ones."""
        return [pairs, pairs + len(pairs), *(chosen.hard + len(pairs))]

    def part(self, chosen: Chosen, batch: slice) -> tuple[Tensor, ...]:
        """Return keys, (2, pairs), labels, (pairs,), and which negatives count, (hard, pairs)."""
        import torch

        keys = torch.stack([side[batch] for side in chosen.keys.chunk(2)])
        return keys, chosen.labels[batch], chosen.counts[:, batch]

    def loss(self, vectors: Tensor, *part: Tensor) -> Tensor:
        """Return the mean loss of a batch; see the class."""
        from torch.nn import functional

        keys, labels, counts = part
        left, right, *hard = functional.normalize(vectors, dim=-1)
        same = labels.bool()
        loss = self._one_way(left, right, keys, same, hard, counts)
        if self.bidirectional:
            loss = loss + self._one_way(right, left, keys.flip(0), same, [], counts[:0])
        return loss

    def _one_way(
        self, queries: Tensor, others: Tensor, keys: Tensor, same: Tensor, hard: list[Tensor],
        counts: Tensor,
    ) -> Tensor:  # fmt: skip
        """Return the mean loss of finding each query's paraphrase.

        `keys` are those of both, (2, pairs); `same` says which pairs are paraphrases.
        """
        import torch

        cosines = queries @ others.T
        of_pairs = cosines.diagonal()
        itself = torch.full_like(of_pairs, self._itself())
        positive = torch.where(same, self.scale * self._with_margin(of_pairs), itself)
        spared = keys[0][:, None] == keys[1]
        spared = spared | (same[:, None] & (keys[1][:, None] == keys[1]))
        spared = spared | torch.eye(len(queries), dtype=torch.bool, device=queries.device)
        batch = (self.scale * cosines).masked_fill(spared, -torch.inf)
        # a pair labelled 0 whose sides are equal after all says nothing
        told = ~same & (keys[0] != keys[1])
        labelled = self._weighed(of_pairs, told)
        mined = [self._weighed((queries * h).sum(1), c) for h, c in zip(hard, counts, strict=True)]
        every = torch.cat([positive[:, None], batch, torch.stack([labelled, *mined], 1)], 1)
        return (every.logsumexp(1) - positive).mean()

    def _weighed(self, cosines: Tensor, counts: Tensor) -> Tensor:
        """Return exponents of hard negatives with their weight; those that do not count have 0."""
        import torch

        weight = math.log(self.gamma) if self.gamma else -math.inf
        return (self.scale * cosines + weight).masked_fill(~counts, -torch.inf)

    def _with_margin(self, cosines: Tensor) -> Tensor:
        """Return the cosines with the margin."""
        if not self.angular:
            return cosines - self.margin
        sines = (1 - cosines.square()).clamp_min(SMALLEST).sqrt()
        return cosines * math.cos(self.margin) - sines * math.sin(self.margin)

    def _itself(self) -> float:
        """Return the exponent of a sentence that is its own paraphrase."""
        return self.scale * (math.cos(self.margin) if self.angular else 1 - self.margin)
