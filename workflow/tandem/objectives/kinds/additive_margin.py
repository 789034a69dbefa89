"""Softmax over translations with an additive margin, one way or both (yang2019, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from tandem.objectives.contrastive import Contrastive, Pool

if TYPE_CHECKING:
    from torch import Tensor


class Candidates(NamedTuple):
    """What the pairs of a pool are compared with besides each other.

    Attributes:
        keys: (2n,) equal for sentences that say the same, of one side after the other.
        hard: (2, hard, n) the most similar sentences of the other side: right ones for the left
            sentences, left ones for the right; numbers in their own side.
    """

    keys: Tensor
    hard: Tensor


class AdditiveMargin(Contrastive):
    """Cross-entropy of finding a sentence's translation among those of its batch.

    With the score f of two sentences, a pair (x_i, y_i) of a batch of N and the margin m:

        -log( exp(f(x_i, y_i) - m) / (exp(f(x_i, y_i) - m) + sum_{n != i} exp(f(x_i, y_n))) )

    (equations 6 and 7), and the same from y to x where it is bidirectional (equations 4, 5 and 8).
    Without a margin it is the paper's BiDE, one way its DE (equation 3). Every example may add its
    hardest negatives to the sum, for all of its batch. Sentences that say the same as a pair are no
    negatives of it.
    """

    fixed_shapes: ClassVar[bool] = True

    margin: NonNegativeFloat = 0.3
    """How much higher a translation must score than all else; the paper's value."""
    bidirectional: bool = True
    """Also from the second side to the first."""
    scale: PositiveFloat | None = None
    """f is the cosine times this, and the margin is one of the cosine; null: the dot product, as in
    the paper."""
    hard: NonNegativeInt = 0
    """Negatives that each example adds: the most similar sentences of the mega-batch. The paper has
    5, chosen by an earlier model, after Guo et al. (2018)."""
    megabatch: PositiveInt = 1
    """Batches from which these are chosen."""
    length_penalty: NonNegativeFloat = 0.0
    """Weight of the vectors' length in the loss; 1 in the paper (section 4.2, note 3)."""

    @property
    def compares(self) -> bool:
        """Only hard negatives are chosen by their similarity."""
        return self.hard > 0

    def batches(self, step: int, total: int) -> int:
        """Return how many batches negatives are chosen from."""
        return self.megabatch if self.hard else 1

    def choose(self, pool: Pool) -> Candidates:
        """Choose the hard negatives of every sentence."""
        import torch
        from torch.nn import functional

        from tandem.objectives.negatives import most_similar

        keys = pool.keys
        left_keys, right_keys = keys.chunk(2)
        if pool.vectors is None or not self.hard:
            return Candidates(keys, keys.new_zeros(2, 0, len(left_keys)))
        left, right = functional.normalize(pool.vectors).chunk(2)
        hard = [
            most_similar(*sides, left_keys, right_keys, self.hard)
            for sides in ((left, right, right_keys), (right, left, left_keys))
        ]
        return Candidates(keys, torch.stack(hard))

    def rows(self, pairs: Tensor, chosen: Candidates) -> list[Tensor]:
        """Return the pairs' sentences, then the negatives of the left and of the right ones."""
        for_left, for_right = chosen.hard
        more = [*(for_left + len(pairs)), *(for_right if self.bidirectional else [])]
        return [pairs, pairs + len(pairs), *more]

    def part(self, chosen: Candidates, batch: slice) -> tuple[Tensor, ...]:
        """Return the keys of the pairs, (2, pairs), and of what they add, (2, hard x pairs)."""
        import torch

        left, right = sides = chosen.keys.chunk(2)
        for_left, for_right = chosen.hard[:, :, batch].flatten(1)
        added = torch.stack([right[for_left], left[for_right]])
        return torch.stack([side[batch] for side in sides]), added

    def loss(self, vectors: Tensor, *part: Tensor) -> Tensor:
        """Return the mean loss of a batch; see the class."""
        import torch

        pair_keys, hard_keys = part
        ways = [(0, 1)] + [(1, 0)] * self.bidirectional
        total = vectors.new_zeros(())
        for way, (source, target) in enumerate(ways):
            more = vectors[2 + way * self.hard : 2 + (way + 1) * self.hard]
            candidates = torch.cat([vectors[target], more.flatten(0, 1)])
            candidate_keys = torch.cat([pair_keys[target], hard_keys[way]])
            total = total + self._one_way(vectors[source], candidates, pair_keys, candidate_keys)
        if self.length_penalty:
            total = total + self.length_penalty * vectors[:2].norm(dim=-1).sum(0).mean()
        return total

    def _one_way(
        self, queries: Tensor, candidates: Tensor, pair_keys: Tensor, candidate_keys: Tensor
    ) -> Tensor:
        """Return the mean cross-entropy of finding candidate i for query i.

        The keys are (2, pairs), of both sides, and (candidates,).
        """
        import torch
        from torch.nn import functional

        margin = self.margin
        if self.scale is not None:
            queries, candidates = (functional.normalize(side) for side in (queries, candidates))
            queries, margin = self.scale * queries, self.scale * margin
        scores = queries @ candidates.T
        same = (pair_keys[0][:, None] == candidate_keys) | (pair_keys[1][:, None] == candidate_keys)
        same.fill_diagonal_(False)
        scores = scores.masked_fill(same, -torch.inf)
        target = torch.arange(len(queries), device=scores.device)
        penalty = torch.eye(*scores.shape, device=scores.device) * margin
        return functional.cross_entropy(scores - penalty, target)
