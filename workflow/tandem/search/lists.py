"""The k best neighbours of each sentence: lists ordered by score, then by index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from tandem.search.rows import Rows, create_rows, open_rows

NOBODY = -1
"""The index that fills a list when fewer than k neighbours exist; its score is minus infinity."""


@dataclass(frozen=True)
class Lists:
    """Neighbours of n sentences: `indices` int64 and `scores` float32, both (n, k), best first."""

    indices: Rows
    scores: Rows

    @classmethod
    def create(cls, n: int, k: int, stem: Path | None) -> Lists:
        """Make empty lists in memory, or in `<stem>.indices.npy` and `<stem>.scores.npy`."""
        paths = [stem and stem.with_name(f"{stem.name}.{part}.npy") for part in _PARTS]
        return cls(
            create_rows(paths[0], (n, k), np.dtype(np.int64), NOBODY),
            create_rows(paths[1], (n, k), np.dtype(np.float32), -np.inf),
        )

    @classmethod
    def open(cls, stem: Path) -> Lists:
        """Open the two files that `create` made."""
        return cls(*(open_rows(stem.with_name(f"{stem.name}.{part}.npy")) for part in _PARTS))

    def read(self, start: int, stop: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return copies of rows `start` to `stop`: indices, scores."""
        blocks = (self.indices.block(start, stop), self.scores.block(start, stop))
        indices, scores = (torch.from_numpy(np.array(block)) for block in blocks)
        return indices, scores

    def write(self, start: int, indices: torch.Tensor, scores: torch.Tensor) -> None:
        """Replace the rows from `start` on."""
        stop = start + len(indices)
        self.indices.block(start, stop, writable=True)[:] = indices.numpy()
        self.scores.block(start, stop, writable=True)[:] = scores.numpy()


@dataclass(frozen=True)
class Neighbours:
    """Lists in both directions: `forward` of each source sentence, `backward` of each target."""

    forward: Lists
    backward: Lists

    @classmethod
    def create(
        cls, sizes: tuple[int, int], widths: tuple[int, int], folder: Path | None
    ) -> Neighbours:
        """Make empty lists, (n, k) forward and (m, k) backward, in memory or in `folder`."""
        return cls(
            Lists.create(sizes[0], widths[0], folder and folder / "forward"),
            Lists.create(sizes[1], widths[1], folder and folder / "backward"),
        )

    @classmethod
    def open(cls, folder: str | Path) -> Neighbours:
        """Open the lists in a folder; they are mapped block by block, not read."""
        return cls(Lists.open(Path(folder) / "forward"), Lists.open(Path(folder) / "backward"))


_PARTS = ("indices", "scores")


def merge_candidates(
    indices: torch.Tensor,
    scores: torch.Tensor,
    owners: torch.Tensor,
    new_indices: torch.Tensor,
    new_scores: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Merge m candidates into lists (n, k), in place.

    `owners`, `new_indices`, `new_scores` are (m,): candidate c belongs to list `owners[c]`. Equal
    scores keep the order of arrival, the listed ones first; candidates must therefore arrive in
    ascending index, above every index listed, and then ties fall to the lower index.

    Returns:
        The lists that were touched (t,), and the best score that each had no place for (t,).
    """
    k = indices.shape[1]
    touched, position = torch.unique(owners, return_inverse=True)
    listed = torch.arange(len(touched), device=owners.device).repeat_interleave(k)
    row = torch.cat([listed, position])
    all_scores = torch.cat([scores[touched].flatten(), new_scores])
    all_indices = torch.cat([indices[touched].flatten(), new_indices])
    order = torch.argsort((row << 32) + _descending(all_scores), stable=True)
    counts = torch.bincount(row, minlength=len(touched))
    first = counts.cumsum(0) - counts
    best = order[first[:, None] + torch.arange(k, device=owners.device)]
    indices[touched] = all_indices[best]
    scores[touched] = all_scores[best]
    return touched, all_scores[order[first + k]]


def _descending(scores: torch.Tensor) -> torch.Tensor:
    """Map float32 scores to int64 keys within 32 bits that fall as the scores rise."""
    bits = (scores + 0.0).view(torch.int32)  # -0.0 + 0.0 is 0.0: one zero, so ties are ties
    return ~(bits ^ ((bits >> 31) & 0x7FFFFFFF)).long()
