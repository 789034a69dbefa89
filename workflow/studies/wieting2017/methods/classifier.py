"""Telling references from translations (wieting2017, section 5.6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from tandem.encoders.composition import Composition, initialise
from tandem.encoders.encoder import Encoder
from tandem.segmentation.ragged import Ragged, concatenate
from tandem.segmentation.segmenter import Segmenter

EPOCHS, BATCH, RATE = 10, 100, 0.002
"""Passes over the sentences, of which the best on those held out counts; sentences in a batch; the
learning rate of Adam. wieting2017's text does not give its own."""


@dataclass(frozen=True)
class Classifier:
    """The probability that a sentence is a reference: a sigmoid over an encoder's vector.

    Attributes:
        accuracy: share of the sentences held out for it that are told rightly.
        majority: what guessing the more frequent kind would give on these.
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
        parts = [_range(rows, start, start + 1000) for start in range(0, len(rows), 1000)]
        return np.concatenate([self.logits(part).sigmoid().numpy() for part in parts]).astype(float)

    def logits(self, rows: Ragged) -> torch.Tensor:
        """Return the log-odds of segmented sentences, (sentences,)."""
        ids, offsets = (torch.from_numpy(a.astype(np.int64)) for a in (rows.ids, rows.offsets))
        return self.head(self.composition(self.table, ids, offsets)).squeeze(1)


def train(
    segmenter: Segmenter, kind: Encoder, pairs: Sequence[tuple[str, str]], seed: int
) -> Classifier:
    """Train on references and translations; of ten pairs, one each is to stop and to report on.

    Both sides of a pair are in the same part.
    """
    table, composition = initialise(kind, len(segmenter), seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        head = nn.Linear(kind.width, 1)
    # unit-scale rows would drown the head: shrunk as word vectors are
    model = Classifier(segmenter, nn.Parameter(table * 0.1), composition, head)
    parameters = [model.table, *composition.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters, RATE)
    encode = segmenter.encoder("en")
    random = np.random.default_rng(seed)
    part = random.permutation(len(pairs)) % 10
    texts, labels = {}, {}
    for name, chosen in (("train", part > 1), ("valid", part == 0), ("test", part == 1)):
        own = [pair for pair, taken in zip(pairs, chosen, strict=True) if taken]
        texts[name] = concatenate([encode([pair[side] for pair in own]) for side in (0, 1)])
        labels[name] = torch.repeat_interleave(torch.tensor([1.0, 0.0]), len(own))
    best, found = -1.0, {}
    for _ in range(EPOCHS):
        for batch in np.array_split(random.permutation(len(texts["train"])),
                                    max(1, len(texts["train"]) // BATCH)):  # fmt: skip
            logits = model.logits(texts["train"].gather(batch))
            loss = nn.functional.binary_cross_entropy_with_logits(logits, labels["train"][batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        accuracy = _accuracy(model, texts["valid"], labels["valid"])
        if accuracy > best:
            best = accuracy
            found = {id(p): p.detach().clone() for p in parameters}
    with torch.no_grad():
        for parameter in parameters:
            parameter.copy_(found[id(parameter)])
    share = float(labels["test"].mean())
    accuracy = _accuracy(model, texts["test"], labels["test"])
    return Classifier(segmenter, model.table, composition, head, accuracy, max(share, 1 - share))


@torch.no_grad()
def _accuracy(model: Classifier, rows: Ragged, labels: torch.Tensor) -> float:
    return float(((model.logits(rows) > 0).float() == labels).float().mean())


def _range(rows: Ragged, start: int, end: int) -> Ragged:
    return rows.gather(np.arange(start, min(end, len(rows))))
