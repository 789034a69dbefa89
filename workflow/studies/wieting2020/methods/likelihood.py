"""What a variational autoencoder's vectors say of sentences, and how probable it makes them.

Wieting et al. (2020), Appendix A.1, after He et al. (2019): the mutual information of sentences and
vectors, and the negative log-likelihood by importance weighting.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import Tensor

from tandem.encoders.composition import Composition
from tandem.encoders.encoder import Tokens
from tandem.errors import TandemError
from tandem.generation.batches import Text, batches
from tandem.generation.networks import Gaussian, reconstruction, written_losses
from tandem.machine import exact_products
from tandem.progress import progress_bar
from tandem.segmentation.ragged import Ragged
from tandem.tasks.task import Items

if TYPE_CHECKING:
    from tandem.encoders.kinds.posterior import Posterior
    from tandem.generation.saving import Generator

UNITS = ("information", "divergence", "negative_log_likelihood")
"""In nats, of each sentence: the mutual information with its vector, the divergence of its
posterior from the prior, and minus the logarithm of its probability."""
_TOKENS = 4096
_DECODER = reconstruction(0)


@exact_products()
@torch.no_grad()
def likelihood(generator: Generator, sentences: Ragged, draws: int, seed: int) -> Items:
    """Return what an autoencoder of the first side makes of sentences, all with tokens.

    Items: UNITS, (sentences,), float64, whose means are the figures; and `tokens`, how many each
    sentence has, its end included. Each is estimated with so many `draws` of vectors.

    Raises:
        TandemError: the model is no variational autoencoder of one language.
    """
    objective = generator.objective
    if not objective.prior or objective.language_variables or objective.reconstructs == "none":
        raise TandemError(
            "the likelihood is that of a variational autoencoder: train with reconstructs and "
            "prior, and without language_variables"
        )
    posterior, parts = _posterior(generator, sentences), _texts(generator, sentences)

    def log_probability(vectors: Tensor) -> Tensor:
        return -_losses(generator, parts, vectors)

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        information = mutual_information(posterior, draws)
        log_likelihood = importance_weighted(posterior, log_probability, draws)
    values = information, divergences(posterior), -log_likelihood
    items: Items = {name: v.cpu().numpy() for name, v in zip(UNITS, values, strict=True)}
    return items | {"tokens": sentences.lengths() + 1}


def divergences(posterior: Gaussian) -> Tensor:
    """Return KL(q(z|x) || N(0, I)) of each sentence, (sentences,), float64."""
    mean, log_variance = (values.double() for values in posterior)
    return 0.5 * (log_variance.exp() + mean**2 - 1 - log_variance).sum(1)


def mutual_information(posterior: Gaussian, draws: int) -> Tensor:
    """Return E[log q(z|x) - log q(z)] for each sentence x, (sentences,), float64.

    Its mean is the mutual information of sentences and vectors, E[KL(q(z|x) || p(z))] -
    KL(q(z) || p(z)) (He et al., 2019, section 4.3), where the aggregate q(z) is that of these very
    sentences, so that it is at most the logarithm of their number. The expectation over z is a mean
    of `draws`, of both terms alike: where the posterior collapses, so does the noise. Memory:
    sentences squared.
    """
    mean, log_variance = (values.double() for values in posterior)
    count, precision = len(mean), (-log_variance).exp()
    gains = torch.zeros_like(mean[:, 0])
    for _ in range(draws):
        drawn = Gaussian(mean, log_variance).draw()
        # log q(z_i | x_j), of every vector under every sentence, without what is in all of them
        squares = (drawn**2) @ precision.T - 2 * drawn @ (mean * precision).T
        densities = -0.5 * (squares + (mean**2 * precision + log_variance).sum(1))
        gains += densities.diagonal() - torch.logsumexp(densities, 1) + math.log(count)
    return gains / draws


def importance_weighted(
    posterior: Gaussian, log_probability: Callable[[Tensor], Tensor], draws: int
) -> Tensor:
    """Return log (1/K) sum p(x | z) p(z) / q(z | x) of each sentence x, (sentences,), float64.

    In expectation this is a lower bound of log p(x), which rises with K, `draws` from the posterior
    (Burda, Grosse and Salakhutdinov, 2015); with one it is the evidence lower bound.
    `log_probability` maps vectors, one for each sentence, to log p(x | z).
    """
    weights = []
    for _ in progress_bar(range(draws), desc="likelihood", unit="draw"):
        drawn = posterior.draw()
        deviation = (drawn - posterior.mean) * (-0.5 * posterior.log_variance).exp()
        # what is in both densities falls out
        prior = -0.5 * (drawn.double() ** 2).sum(1)
        proposal = -0.5 * (deviation.double() ** 2 + posterior.log_variance).sum(1)
        weights.append(log_probability(drawn).double() + prior - proposal)
    return torch.logsumexp(torch.stack(weights), 0) - math.log(draws)


def _device(generator: Generator) -> torch.device:
    return generator.tables.tables[f"{_DECODER}.outputs"].device


def _posterior(generator: Generator, sentences: Ragged) -> Gaussian:
    """Return the posteriors of sentences, (sentences, latent)."""
    encoder, device = generator.encoder, _device(generator)
    kind = cast("Posterior", encoder.kind)
    composition = Composition(kind).load(encoder.weights).to(device).eval()
    arrays = encoder.table, sentences.ids.astype(np.int64), sentences.offsets
    table, ids, offsets = (torch.from_numpy(np.array(array)).to(device) for array in arrays)
    return Gaussian(*kind.gaussian(composition.weights, Tokens(table, ids, offsets)))


def _texts(generator: Generator, sentences: Ragged) -> list[tuple[Tensor, Text]]:
    """Return sentences of like lengths as a decoder writes them, with their numbers."""
    edge, device = len(generator.encoder.segmenter), _device(generator)
    parts = []
    for (rows,) in batches(sentences.lengths(), _TOKENS, 1, np.random.default_rng(0)):
        arrays = rows, *Text.of(sentences.gather(rows), edge)
        numbers, *tensors = (torch.from_numpy(array).to(device) for array in arrays)
        # a decoder reads the arrays of a text as tensors
        parts.append((numbers, Text(*cast("list[Any]", tensors))))
    return parts


def _losses(generator: Generator, parts: list[tuple[Tensor, Text]], vectors: Tensor) -> Tensor:
    """Return the negative log-probability of each sentence written from its vector."""
    losses = vectors.new_zeros(len(vectors))
    for numbers, text in parts:
        how = generator.networks, generator.tables, _DECODER, text, vectors[numbers]
        losses.index_add_(0, numbers[text.rows], written_losses(*how))
    return losses
