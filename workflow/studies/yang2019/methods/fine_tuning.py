"""A pretrained transformer that learns to tell translations (section 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from tandem.machine import place
from tandem.training.checkpoint import load_optimizer, optimizer_tensors
from tandem.training.course import Advance, Parameters, State

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yang2019.methods.candidates import Candidates

LENGTH = 128
"""Most tokens of a pair."""
SCORED = 64
"""Pairs that are scored at a time."""


class FineTuning:
    """Learns from candidate pairs; see `tandem.training.course.Learner`.

    Its dropout draws from PyTorch's global generators, whose states are part of its own.
    """

    def __init__(
        self,
        model: str,
        training: Candidates,
        rows: NDArray[np.int64],
        seed: int,
        batch: int,
        learning_rate: float,
    ) -> None:
        """Load a model, without running any code of it, and add a layer of two classes.

        Args:
            model: a folder, or a name that transformers finds.
            training: candidates.
            rows: the candidates to learn from.
            seed: for the new layer, the order and dropout.
            batch: pairs of a step.
            learning_rate: of AdamW.
        """
        torch.manual_seed(seed)
        self.device = place("auto")
        self.training, self.rows, self.batch = training, rows, batch
        self.gold = torch.from_numpy(training.gold.astype(np.int64)).to(self.device)
        self.tokenizer = AutoTokenizer.from_pretrained(model, trust_remote_code=False)
        self.network = AutoModelForSequenceClassification.from_pretrained(
            model, num_labels=2, trust_remote_code=False, use_safetensors=True
        ).to(self.device)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=learning_rate)
        self.random = np.random.default_rng(seed)
        self.order: list[int] = []
        self.position = 0

    def begin(self, epoch: int) -> int:
        """Draw the order of the pairs, unless an epoch is resumed."""
        self.network.train()
        if self.position == 0:
            self.order = self.random.permutation(self.rows).tolist()
        return len(self.order)

    def advance(self) -> Advance | None:
        """Take a step on a batch."""
        rows = np.array(self.order[self.position : self.position + self.batch], np.int64)
        if not len(rows):
            self.position = 0
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

    def state(self) -> State:
        """Return parameters, moments, the order of the epoch and the state of both generators."""
        tensors = {f"network.{k}": v for k, v in self.network.state_dict().items()}
        tensors |= {f"moments.{k}": v for k, v in optimizer_tensors(self.optimizer).items()}
        place_in_epoch = {"order": self.order, "position": self.position,
                          "random": self.random.bit_generator.state}  # fmt: skip
        return State(tensors | self._random_states(), place_in_epoch)

    def _random_states(self) -> Parameters:
        """Return the states of PyTorch's generators that dropout may draw from."""
        states = {"random.cpu": torch.get_rng_state()}
        if self.device != "cpu":
            states["random.cuda"] = torch.cuda.get_rng_state(self.device)
        return states

    def load_state(self, state: State) -> None:
        """Take over what `state` returned."""
        self.network.load_state_dict(state.part("network."))
        load_optimizer(self.optimizer, state.part("moments."))
        torch.set_rng_state(state.tensors["random.cpu"])
        if self.device != "cpu":
            torch.cuda.set_rng_state(state.tensors["random.cuda"], self.device)
        self.order, self.position = state.place["order"], state.place["position"]
        self.random.bit_generator.state = state.place["random"]

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
