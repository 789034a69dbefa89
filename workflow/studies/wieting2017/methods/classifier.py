"""Telling references from translations (wieting2017, section 5.6.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tandem.encoders.composition import Composition, initialise
from tandem.encoders.encoder import Encoder, Tokens
from tandem.segmentation.ragged import Ragged, concatenate
from tandem.segmentation.segmenter import Segmenter
from tandem.training.course import Advance, Course, Learner, Parameters

EPOCHS, BATCH, RATE = 10, 100, 0.002
"""Passes over the sentences, the best of which on held-out sentences counts; sentences in a batch;
the learning rate of Adam. The text of wieting2017 does not say."""


@dataclass(frozen=True)
class Classifier:
    """The probability that a sentence is a reference: a sigmoid over an encoder's vector.

    Attributes:
        accuracy: the share of the test sentences that are classified correctly.
        majority: the accuracy of guessing the more frequent class on these.
    """

    segmenter: Segmenter
    table: nn.Parameter
    composition: Composition
    head: nn.Linear
    accuracy: float = 0.0
    majority: float = 0.0

    @torch.no_grad()
    def probabilities(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Return the probability that each sentence is a reference, (sentences,)."""
        rows = self.segmenter.encoder("en")(sentences)
        parts = [rows.part(start, start + 1000) for start in range(0, len(rows), 1000)]
        return np.concatenate([self.logits(part).sigmoid().numpy() for part in parts]).astype(float)

    def logits(self, rows: Ragged) -> torch.Tensor:
        """Return the log-odds of segmented sentences, (sentences,)."""
        ids, offsets = (torch.from_numpy(a.astype(np.int64)) for a in (rows.ids, rows.offsets))
        return self.head(self.composition(Tokens(self.table, ids, offsets))).squeeze(1)


def train(
    segmenter: Segmenter, kind: Encoder, pairs: Sequence[tuple[str, str]], seed: int
) -> Classifier:
    """Train on the references and translations of eight tenths of the pairs.

    One tenth chooses the epoch, the last one is for the reported accuracy. Both sides of a pair are
    in the same part, or the test part would hold translations of what was learned from.
    """
    table, composition = initialise(kind, len(segmenter), seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        head = nn.Linear(kind.width, 1)
    # rows of unit scale would drown the head: they start as small as word vectors do
    model = Classifier(segmenter, nn.Parameter(table * 0.1), composition, head)
    random = np.random.default_rng(seed)
    part = random.permutation(len(pairs)) % 10
    chosen = {"train": part > 1, "valid": part == 0, "test": part == 1}
    texts = {name: _labelled(segmenter, pairs, rows) for name, rows in chosen.items()}
    learner = Discrimination(model, texts["train"], random)
    course = Course(learner, {}, EPOCHS)
    course.run(lambda parameters: _accuracy(model, texts["valid"]), show=False, from_start=False)
    learner.load_parameters(course.best)
    share = float(texts["test"].labels.mean())
    accuracy = _accuracy(model, texts["test"])
    return Classifier(segmenter, model.table, composition, head, accuracy, max(share, 1 - share))


class Labelled(NamedTuple):
    """Sentences with their labels: 1 for a reference, 0 for a translation."""

    rows: Ragged
    labels: torch.Tensor


def _labelled(
    segmenter: Segmenter, pairs: Sequence[tuple[str, str]], chosen: NDArray[np.bool_]
) -> Labelled:
    """Return the references of the chosen pairs, then their translations."""
    encode = segmenter.encoder("en")
    taken = list(compress(pairs, chosen))
    rows = concatenate([encode([pair[side] for pair in taken]) for side in (0, 1)])
    return Labelled(rows, torch.repeat_interleave(torch.tensor([1.0, 0.0]), len(taken)))


class Discrimination(Learner):
    """Learns to tell references from translations."""

    def __init__(self, model: Classifier, text: Labelled, random: np.random.Generator) -> None:
        """Draw the order of every epoch."""
        self.model, self.text = model, text
        self.parameters = {"table": model.table}
        for name, module in (("composition", model.composition), ("head", model.head)):
            named = module.named_parameters()
            self.parameters |= {f"{name}.{key}": value for key, value in named}
        self.optimizer = torch.optim.Adam(self.parameters.values(), RATE)
        self.orders = [random.permutation(len(text.rows)) for _ in range(EPOCHS)]
        self.batches: Iterator[NDArray[np.int64]] = iter(())

    def begin(self, epoch: int) -> int:
        """Divide the sentences into batches."""
        order = self.orders[epoch]
        self.batches = iter(np.array_split(order, max(1, len(order) // BATCH)))
        return len(order)

    def advance(self) -> Advance | None:
        """Take a step of Adam on a batch."""
        if (batch := next(self.batches, None)) is None:
            return None
        logits = self.model.logits(self.text.rows.gather(batch))
        loss = nn.functional.binary_cross_entropy_with_logits(logits, self.text.labels[batch])
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return Advance(len(batch), float(loss.detach()), 1)

    def encoder(self) -> Parameters:
        """Return the parameters of embeddings, encoder and head."""
        return {name: parameter.detach() for name, parameter in self.parameters.items()}

    @torch.no_grad()
    def load_parameters(self, parameters: Parameters) -> None:
        """Take over parameters that `encoder` returned."""
        for name, parameter in self.parameters.items():
            parameter.copy_(parameters[name])


@torch.no_grad()
def _accuracy(model: Classifier, text: Labelled) -> float:
    return float(((model.logits(text.rows) > 0).float() == text.labels).float().mean())
