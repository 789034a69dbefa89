"""What a variational autoencoder's vectors say of sentences, and how probable it makes them.

Wieting et al. (2020), Appendix A.1, after He et al. (2019): the mutual information of sentences and
vectors, and the negative log-likelihood by importance weighting.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from tandem.encoders.encoder import Tokens
from tandem.generation.batches import Text, batches
from tandem.generation.networks import Gaussian, reconstruction, written_losses
from tandem.segmentation.ragged import Ragged

if TYPE_CHECKING:
    from tandem.generation.saving import Generator

_TOKENS = 4096


@dataclass(frozen=True)
class Likelihood:
    """Of sentences that were not trained on, in nats.

    Attributes:
        mutual_information: of a sentence and its vector, E[KL(q(z|x) || p(z))] - KL(q(z) || p(z)).
        divergence: the former term alone.
        negative_log_likelihood: of a sentence, by importance weighting.
        perplexity: of a token, its end included.
    """

    mutual_information: float
    divergence: float
    negative_log_likelihood: float
    perplexity: float


@torch.no_grad()
def likelihood(generator: Generator, sentences: Ragged, draws: int, seed: int) -> Likelihood:
    """Return what an autoencoder of the first side makes of sentences.

    `draws` is how many vectors each sentence's likelihood is estimated with.
    """
    posterior = _posterior(generator, sentences)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        information, divergence = mutual_information(posterior)
        negative = -_log_likelihoods(generator, sentences, posterior, draws)
    tokens = len(sentences.ids) + len(sentences)
    return Likelihood(
        information, divergence, float(negative.mean()), math.exp(float(negative.sum()) / tokens)
    )


def mutual_information(posterior: Gaussian) -> tuple[float, float]:
    """Return the mutual information of sentences and vectors, and the divergence from the prior.

    The aggregate posterior is that of these very sentences; one vector is drawn for each
    (He et al., 2019, section 4.3). Memory: sentences squared.
    """
    mean, log_variance = posterior
    count, width = mean.shape
    divergence = float(posterior.divergence()) / count
    drawn = posterior.draw()
    # log q(z_i | x_j) of every vector under every sentence
    precision = (-log_variance).exp()
    squares = (
        (drawn**2) @ precision.T - 2 * drawn @ (mean * precision).T + (mean**2 * precision).sum(1)
    )
    densities = -0.5 * (squares + log_variance.sum(1) + width * math.log(2 * math.pi))
    of_all = torch.logsumexp(densities, 1) - math.log(count)
    return float((densities.diagonal() - of_all).mean()), divergence


def _posterior(generator: Generator, sentences: Ragged) -> Gaussian:
    """Return the posteriors of sentences, (sentences, latent)."""
    encoder = generator.encoder
    composition = encoder.kind._composition().load(encoder.weights).eval()
    table = torch.from_numpy(encoder.table)
    ids = torch.from_numpy(sentences.ids.astype(np.int64))
    tokens = Tokens(table, ids, torch.from_numpy(sentences.offsets))
    return Gaussian(*encoder.kind.gaussian(composition.weights, tokens))  # type: ignore[attr-defined]


def _log_likelihoods(
    generator: Generator, sentences: Ragged, posterior: Gaussian, draws: int
) -> Tensor:
    """Return log (1/K) sum p(x | z) p(z) / q(z | x) of each sentence, (sentences,)."""
    totals = []
    for _ in range(draws):
        drawn = posterior.draw()
        deviation = (drawn - posterior.mean) * (-0.5 * posterior.log_variance).exp()
        # what is in both densities falls out
        prior = -0.5 * (drawn**2).sum(1)
        own = -0.5 * (deviation**2 + posterior.log_variance).sum(1)
        totals.append(prior - own - _losses(generator, sentences, drawn))
    return torch.logsumexp(torch.stack(totals), 0) - math.log(draws)


def _losses(generator: Generator, sentences: Ragged, vectors: Tensor) -> Tensor:
    """Return the negative log-probability of each sentence written from its vector."""
    losses = torch.zeros(len(sentences))
    for rows in _parts(sentences):
        text = Text.of(sentences.gather(rows), len(generator.encoder.segmenter))
        tensors = text.sent("cpu")
        of_tokens = written_losses(
            generator.networks, generator.tables, reconstruction(0), tensors, vectors[rows]
        )
        losses[torch.from_numpy(rows)] = torch.zeros(len(rows)).index_add(
            0, tensors.rows, of_tokens
        )
    return losses


def _parts(sentences: Ragged) -> Iterator[np.ndarray]:
    for (rows,) in batches(sentences.lengths(), _TOKENS, 1, np.random.default_rng(0)):
        yield rows
