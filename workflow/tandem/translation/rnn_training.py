"""Training the recurrent translator: teacher forcing against a softmax over drawn pieces."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import torch
from torch import Tensor, nn

from tandem.errors import TandemError
from tandem.io import write_lines
from tandem.translation.fitting import Bitext, Pairs, Run, keep_short, segment
from tandem.translation.network import AttentionNetwork
from tandem.translation.padding import make_batch
from tandem.translation.rnn import RnnConfig, save_rnn
from tandem.translation.threads import limit_threads
from tandem.translation.vocabulary import PAD, load_pieces_from, train_pieces


def train_rnn(
    train: Bitext,
    validation: Bitext,
    config: RnnConfig,
    folder: str | Path,
    progress: bool = True,
) -> None:
    """Train on the pairs of at most `config.max_words` words a side, and save into a folder.

    Writes model.safetensors, sp.model, translator.json and history.csv (epoch, loss, validation
    loss; nats per target token). The validation pairs, bounded likewise, are only measured on.
    After each epoch `folder`/checkpoint holds all that the next one starts from; a run that finds
    one of the same configuration and text goes on from it, and ends with the same bytes as one
    never stopped. The finished run removes it.

    Raises:
        TandemError: on sides of unequal length, or when no pair is short enough.
    """
    folder = Path(folder)
    train, validation = (keep_short(pairs, config.max_words) for pairs in (train, validation))
    if not train.source:
        raise TandemError(
            f"no training pair has at most {config.max_words} words on both sides: raise max_words"
        )
    with limit_threads(config.threads):
        model = train_pieces([*train.source, *train.target], config.pieces)
        pieces = load_pieces_from(model)
        learner = RnnLearner(len(pieces), config)
        run = Run(
            learner,
            segment(pieces, train),
            segment(pieces, validation),
            config,
            folder / "checkpoint" / "last.pt",
        )
        history = run.finish(progress)
    save_rnn(folder, learner.network, model, config)
    write_lines(folder / "history.csv", history)
    shutil.rmtree(folder / "checkpoint")


class RnnLearner:
    """The recurrent network and its losses."""

    def __init__(self, pieces: int, config: RnnConfig) -> None:
        """Draw the weights from the configuration's seed."""
        self.network = AttentionNetwork(pieces, config.dimension, config.dropout)
        self.network.initialise(torch.Generator().manual_seed(config.seed))
        self.sampled_pieces = config.sampled_pieces

    def loss(self, pairs: Pairs, generator: torch.Generator) -> tuple[Tensor, int]:
        """Return the sampled cross-entropy per token, with dropout, and the tokens."""
        output, labels = forced_output(self.network, pairs, generator)
        loss = sampled_loss(self.network, output, labels, self.sampled_pieces, generator)
        return loss, len(labels)

    def surprise(self, pairs: Pairs) -> tuple[float, int]:
        """Return the summed cross-entropy over the whole vocabulary, and the tokens."""
        output, labels = forced_output(self.network, pairs, None)
        scores = self.network.logits(output)
        return nn.functional.cross_entropy(scores, labels, reduction="sum").item(), len(labels)


def forced_output(
    network: AttentionNetwork, pairs: Pairs, generator: torch.Generator | None
) -> tuple[Tensor, Tensor]:
    """Decoder output (tokens, dimension) and labels (tokens,) of pairs, padding left out."""
    batch = make_batch(*pairs)
    memory = network.encode(batch.source, batch.lengths, generator)
    output, _ = network.decode(memory, batch.inputs, memory.initial, generator)
    words = batch.labels != PAD
    return output[words], batch.labels[words]


def sampled_loss(
    network: AttentionNetwork, output: Tensor, labels: Tensor, count: int, draw: torch.Generator
) -> Tensor:
    """Cross-entropy (nats per token) with part of the vocabulary drawn to stand for its rest.

    Complementary sum sampling (Botev, Zheng and Barber 2017): the normaliser is the exact sum over
    the pieces that occur in the batch plus a sum over `count` others drawn uniformly, scaled up to
    all others. The output layer is the largest product of a step, and this makes it several times
    smaller. When `count` reaches all the others this is the full cross-entropy.

    output: (tokens, dimension); labels: (tokens,).
    """
    present = torch.unique(labels)
    absent = torch.ones(network.embedding.num_embeddings, dtype=torch.bool)
    absent[present] = False
    others = absent.nonzero()[:, 0]
    chosen = others[torch.randperm(len(others), generator=draw)[:count]]
    pieces = torch.cat([present, chosen])
    weight = torch.zeros(len(pieces))
    if len(chosen):
        weight[len(present) :] = math.log(len(others) / len(chosen))
    scores = nn.functional.linear(output, network.embedding(pieces), network.bias[pieces] + weight)
    return nn.functional.cross_entropy(scores, torch.searchsorted(present, labels))
