"""A pretrained transformer that learns to tell translations (section 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tandem.training.course import Advance, Learner, Parameters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yang2019.methods.candidates import Candidates

LENGTH = 128
"""Most tokens of a pair."""
SCORED = 64
"""Pairs that are scored at a time."""


class FineTuning(Learner):
    """Learns from candidate pairs; its dropout draws from PyTorch's global generators."""

    def __init__(
        self,
        model: str,
        training: Candidates,
        rows: NDArray[np.int64],
        seed: int,
        batch: int,
        learning_rate: float,
        device: str = "cpu",
    ) -> None:
        """Load a model, without running any code of it, and add a layer of two classes.

        Args:
            model: a folder, or a name that transformers finds.
            training: candidates.
            rows: the candidates to learn from.
            seed: for the new layer, the order and dropout.
            batch: pairs of a step.
            learning_rate: of AdamW.
            device: where it learns and judges.
        """
        torch.manual_seed(seed)
        self.device = device
        self.training, self.rows, self.batch = training, rows, batch
        self.gold = torch.from_numpy(training.gold.astype(np.int64)).to(self.device)
        self.tokenizer = AutoTokenizer.from_pretrained(model, trust_remote_code=False)
        self.network = AutoModelForSequenceClassification.from_pretrained(
            model, num_labels=2, trust_remote_code=False, use_safetensors=True
        ).to(self.device)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=learning_rate)
        self.random = np.random.default_rng(seed)

    def begin(self, epoch: int) -> int:
        """Draw the order of the pairs."""
        self.network.train()
        self.order, self.position = self.random.permutation(self.rows), 0
        return len(self.order)

    def advance(self) -> Advance | None:
        """Take a step on a batch."""
        rows = self.order[self.position : self.position + self.batch]
        if not len(rows):
            return None
        self.position += len(rows)
        logits = self._logits(self.training, rows)
        loss = torch.nn.functional.cross_entropy(logits, self.gold[rows])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return Advance(len(rows), float(loss.detach()), 1)

    def encoder(self) -> Parameters:
        """Return the network's parameters."""
        return self.network.state_dict()

    @torch.inference_mode()
    def probabilities(self, candidates: Candidates, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probability that each of some candidates is a translation, (rows,)."""
        self.network.eval()
        parts = [
            self._logits(candidates, rows[start : start + SCORED]).softmax(1)[:, 1].cpu().numpy()
            for start in range(0, len(rows), SCORED)
        ]
        return np.concatenate([*parts, np.zeros(0)]).astype(np.float64)

    def _logits(self, candidates: Candidates, rows: NDArray[np.int64]) -> torch.Tensor:
        """Return the logits of some pairs, (pairs, 2)."""
        places = candidates.pairs.source[rows], candidates.pairs.target[rows]
        sides = [[text[row] for row in side.tolist()]
                 for text, side in zip(candidates.texts, places, strict=True)]  # fmt: skip
        tokens = self.tokenizer(
            *sides, padding=True, truncation=True, max_length=LENGTH, return_tensors="pt"
        )
        return self.network(**tokens.to(self.device)).logits
