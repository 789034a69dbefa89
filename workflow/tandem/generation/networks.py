"""The encoders and decoders of a generative model, and its loss (wieting2020, sections 2 to 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from tandem.encoders.composition import Composition
from tandem.encoders.encoder import Dropout, Room, Tokens
from tandem.generation.decoders import Decoder, decoder
from tandem.generation.tables import Tables
from tandem.machine import on_host

if TYPE_CHECKING:
    from collections.abc import Callable

    from tandem.encoders.kinds.posterior import Posterior
    from tandem.generation.batches import Text
    from tandem.objectives.kinds.generative import Generative

SEMANTIC = "semantic"
"""The name of the encoder of meaning."""


class Losses(NamedTuple):
    """Sums over the sentences of a batch, in nats.

    Attributes:
        reconstruction: of the tokens that are written from the pair's semantic variable.
        translation: of those that are written from the other side's, with smoothing.
        divergence: of the posteriors from the prior; 0 without a prior.
    """

    reconstruction: Tensor
    translation: Tensor
    divergence: Tensor

    def total(self, weight: float) -> Tensor:
        """Return the loss with a weight of the divergence."""
        return self.reconstruction + self.translation + weight * self.divergence


class Gaussian(NamedTuple):
    """Posteriors of sentences: means and logarithms of variances, (sentences, latent) each."""

    mean: Tensor
    log_variance: Tensor

    def divergence(self) -> Tensor:
        """Return the sum of the divergences from N(0, I) (Kingma and Welling, 2013, appendix B)."""
        mean, log_variance = self.mean.float(), self.log_variance.float()
        return 0.5 * (log_variance.exp() + mean**2 - 1 - log_variance).sum()

    def draw(self) -> Tensor:
        """Return vectors, (sentences, latent), drawn by PyTorch's generator of the device."""
        return self.mean + (0.5 * self.log_variance).exp() * torch.randn_like(self.mean)


def language(side: int) -> str:
    """Return the name of the encoder of what is peculiar to the language of a side."""
    return f"language{side}"


def reconstruction(side: int) -> str:
    """Return the name of the decoder that writes a side from the semantic variable."""
    return f"reconstruct{side}"


def translation(side: int) -> str:
    """Return the name of the decoder that writes a side from the other's meaning."""
    return f"translate{side}"


class Networks(nn.Module):
    """The encoders and decoders that an objective has, beside their tables.

    Attributes:
        encoders: `semantic`, and one for each language whose variables are in use.
        decoders: of reconstructions and of translations.
    """

    def __init__(self, encoder: Posterior, objective: Generative) -> None:
        """Draw the parameters by PyTorch's generator."""
        super().__init__()
        self.encoder, self.objective = encoder, objective
        variables = objective.reconstructed if objective.language_variables else ()
        names = [SEMANTIC, *map(language, variables)]
        self.encoders = nn.ModuleDict({name: Composition(encoder) for name in names})
        widths = {reconstruction(s): (1 + len(variables[:1])) for s in objective.reconstructed}
        widths |= dict.fromkeys(map(translation, objective.translated), 1)
        self.decoders = nn.ModuleDict(
            {name: decoder(objective, times * encoder.latent) for name, times in widths.items()}
        )
        for composition in self.encoders.values():
            for module in composition.modules():
                if isinstance(module, nn.Dropout):
                    module.p = objective.dropout

    def draw_tables(self, vocabulary: int) -> dict[str, Tensor]:
        """Return the tables of `table_shapes`, drawn by PyTorch's generator.

        What is read is as an encoder's (`initialise`); what scores is small, so that at first all
        types are about as probable.
        """
        return {
            name: torch.randn(shape) * (shape[1] ** -0.5 if name.endswith("outputs") else 1.0)
            for name, shape in self.table_shapes(vocabulary).items()
        }

    def table_shapes(self, vocabulary: int) -> dict[str, tuple[int, int]]:
        """Return the shape of each table: of encoders, and of what decoders read and write.

        Decoders have one type more, the edge, which begins and ends sentences.
        """
        shapes = dict.fromkeys(self.encoders, (vocabulary, self.encoder.dimension))
        latent = self.encoder.latent
        for name in self.decoders:
            times = 2 if name.startswith("reconstruct") and len(self.encoders) > 1 else 1
            width = self.objective.dimension
            beside = times * latent if "logit" in self.objective.places else 0
            shapes[f"{name}.inputs"] = vocabulary + 1, width
            shapes[f"{name}.outputs"] = vocabulary + 1, width + beside
        return shapes

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return next(self.parameters()).device

    def decoder(self, name: str) -> Decoder:
        """Return the decoder of a name."""
        network = self.decoders[name]
        assert isinstance(network, Decoder)
        return network

    def sides(self) -> list[int]:
        """Return the sides whose meaning is read."""
        objective = self.objective
        return sorted({*objective.reconstructed, *(1 - side for side in objective.translated)})


@dataclass(frozen=True)
class Draws:
    """What is drawn for a batch.

    Attributes:
        turn: which pairs give their meaning by their second side: those whose number plus this is
            odd, where both sides are reconstructed.
        dropout: of token embeddings; None: none.
        token_dropout: makes that of encoders for so many tokens; None: none.
    """

    turn: int = 0
    dropout: float = 0.0
    token_dropout: Callable[[int], Dropout] | None = None


def losses(
    networks: Networks, tables: Tables, texts: Sequence[Text[Tensor]], draws: Draws
) -> Losses:
    """Return the losses of a batch, whose sides are `texts`."""
    objective, read = networks.objective, networks.sides()
    meanings = dict(zip(read, _gaussians(networks, tables, SEMANTIC, [texts[s] for s in read],
                                         draws), strict=True))  # fmt: skip
    zero = meanings[read[0]].mean.new_zeros((), dtype=torch.float32)
    reconstructed, translated, divergence = zero, zero, zero
    if objective.reconstructed:
        meaning = _in_turn([meanings[s] for s in objective.reconstructed], draws.turn)
        read_of, semantic = [meaning], _vector(objective, meaning)
        for side in objective.reconstructed:
            vectors = semantic
            if objective.language_variables:
                name = language(side)
                variable = _gaussians(networks, tables, name, [texts[side]], draws)[0]
                read_of.append(variable)
                vectors = torch.cat([_vector(objective, variable), semantic], 1)
            how = reconstruction(side), texts[side], vectors, draws.dropout
            reconstructed = reconstructed + written_losses(networks, tables, *how).sum()
        if objective.prior:
            divergence = sum((variable.divergence() for variable in read_of), zero)
    for side in objective.translated:
        how = translation(side), texts[side], meanings[1 - side].mean, draws.dropout
        summed = written_losses(networks, tables, *how, objective.smoothing).sum()
        translated = translated + summed
    return Losses(reconstructed, translated, divergence)


def _vector(objective: Generative, gaussian: Gaussian) -> Tensor:
    """Return what decoders read of a posterior."""
    return gaussian.draw() if objective.prior and objective.sampled else gaussian.mean


def _in_turn(gaussians: Sequence[Gaussian], turn: int) -> Gaussian:
    """Return for each pair the posterior of one of its sides, which take turns (section 3)."""
    if len(gaussians) == 1:
        return gaussians[0]
    first, second = gaussians
    numbers = torch.arange(len(first.mean), device=first.mean.device)
    odd = ((numbers + turn) % 2 == 1).unsqueeze(1)
    parts = (torch.where(odd, b, a) for a, b in zip(first, second, strict=True))
    return Gaussian(*parts)


def _gaussians(
    networks: Networks, tables: Tables, name: str, texts: Sequence[Text[Tensor]], draws: Draws
) -> list[Gaussian]:
    """Return the posteriors of several texts by one encoder, which reads them at once."""
    encoder, composition = networks.encoder, networks.encoders[name]
    assert isinstance(composition, Composition)
    starts = np.cumsum([0, *(len(text.ids) for text in texts)]).tolist()
    ids = torch.cat([text.ids for text in texts])
    ends = [text.offsets[1:] + start for text, start in zip(texts, starts, strict=False)]
    offsets = torch.cat([texts[0].offsets[:1], *ends])
    table, local = tables.look(name, ids)
    room = None
    if not on_host(table) and encoder.fixed_shapes:
        room = Room(max(text.inputs.shape[1] for text in texts) - 1)
    dropout = draws.token_dropout(len(ids)) if draws.token_dropout else None
    tokens = Tokens(table, local, offsets, dropout, room)
    both = encoder.gaussian(composition.weights, tokens)
    sizes = [len(text.offsets) - 1 for text in texts]
    return [Gaussian(*parts) for parts in zip(*(part.split(sizes) for part in both), strict=True)]


def written_losses(
    networks: Networks, tables: Tables, name: str, text: Text[Tensor], vectors: Tensor,
    dropout: float = 0.0, smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """Return the losses, in nats, of the tokens that a decoder of this name writes, (labels,)."""
    network = networks.decoder(name)
    table, local = tables.look(f"{name}.inputs", text.inputs)
    embedded = functional.dropout(functional.embedding(local, table), dropout, networks.training)
    states = network(embedded, vectors).flatten(0, 1).index_select(0, text.places)
    table, labels = tables.look(f"{name}.outputs", text.labels)
    weights = tables.stands_for(f"{name}.outputs")
    scores = scored(network, table, states, vectors, text.rows)
    if weights is None:
        return functional.cross_entropy(
            scores, labels, reduction="none", label_smoothing=smoothing
        )
    normaliser = torch.logsumexp(scores + weights, 1)
    loss = normaliser - scores.gather(1, labels.unsqueeze(1)).squeeze(1)
    if smoothing:
        stands = weights.exp()
        even = normaliser - scores @ (stands / stands.sum())
        loss = (1 - smoothing) * loss + smoothing * even
    return loss


def scored(
    network: Decoder, table: Tensor, states: Tensor, vectors: Tensor, rows: Tensor
) -> Tensor:
    """Return the scores, float32, of the types of a table after some states, (states, types).

    `rows` says which of the vectors each state's is. Where the vector stands beside the state, its
    part of the scores is computed once for a sentence.
    """
    of_states, of_vectors = table[:, : network.last], table[:, network.last :]
    scores = functional.linear(states, of_states).float()
    if network.logit:
        # in place: scores are the largest of all arrays
        of_sentences = functional.linear(vectors, of_vectors).float()
        # the gradient of an embedding is summed in a fixed order
        scores += functional.embedding(rows, of_sentences)
    return scores
