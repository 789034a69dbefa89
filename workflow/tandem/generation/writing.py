"""Writing sentences from vectors, by beam search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from tandem.errors import TandemError
from tandem.generation.decoders import Decoder
from tandem.generation.networks import reconstruction, scored
from tandem.generation.saving import Generator
from tandem.machine import exact_products
from tandem.text.spelling import unspaced

if TYPE_CHECKING:
    from tandem.encoders.encoder import Floats

BEAM = 5
"""Beginnings that are kept for each sentence."""
LONGEST = 100
"""Most tokens that are written."""
TOKENS, SCORES = 64 * BEAM * LONGEST, 1 << 25
"""Most tokens of all beginnings, and most scores (beginnings by types), at a time; or those of one
sentence. Five arrays of scores are in memory together, with 128 MB each."""


def restyled(
    generator: Generator,
    sources: Sequence[str],
    styles: Sequence[str] | None,
    language: str | None = None,
    beam: int = BEAM,
    longest: int = LONGEST,
) -> Iterator[str]:
    """Yield the meaning of each source in the manner of its style (wieting2020, section 5.3).

    The decoder reads the semantic vector of the source and the language's of the style, the means
    of both. A model without language variables has no manner: `styles` is None, and it writes from
    the meaning alone. Sentences are lower-case, as what it learned from. `language` is that of all
    sentences, by default the first that the model has. A source that is not `legible` gives an
    empty text: its vector is zero, from which a decoder would write what nobody said. A style that
    is not has the zero vector, so that the sentence is written in no particular manner.

    Raises:
        TandemError: the model does not write the language, has variables of it and no styles or
            styles and no variables, or there are more of the one than of the other.
    """
    language = language or generator.sides[0]
    decoder = _decoder(generator, language, styles is not None)
    if styles is not None and len(sources) != len(styles):
        raise TandemError(f"{len(sources):,} sources and {len(styles):,} styles: give one for each")
    count = at_once(beam, longest, len(generator.encoder.segmenter))
    for first in range(0, len(sources), count):
        rows = slice(first, first + count)
        vectors = generator.encoder.encode(sources[rows], language)
        if styles is not None:
            manners = generator.languages[language].encode(styles[rows], language)
            vectors = np.concatenate([manners, vectors], 1)
        readable = legible(generator, sources[rows], language)
        texts = iter(written(generator, decoder, vectors[readable], beam, longest))
        for has_meaning in readable:
            yield text_of(generator, next(texts)) if has_meaning else ""


def at_once(beam: int, longest: int, types: int) -> int:
    """Return how many sentences are written at a time, so that memory is bounded; at least one.

    With a smaller beam than the default they are not more, so that it takes less memory.
    """
    beam = max(beam, BEAM)
    return max(1, min(TOKENS // (beam * longest), SCORES // (beam * types)))


def legible(
    generator: Generator, sentences: Sequence[str], language: str | None = None
) -> NDArray[np.bool_]:
    """Return which sentences have a token that the model knows, (sentences,).

    `language` is as for `restyled`.

    Raises:
        TandemError: the model does not know the language.
    """
    to_ids = generator.encoder.segmenter.encoder(language or generator.sides[0])
    return np.diff(to_ids(sentences).offsets) > 0


def _decoder(generator: Generator, language: str, styled: bool) -> str:
    """Return the name of the decoder that writes a language, with a style or without; see above."""
    if styled and not generator.languages:
        raise TandemError(
            "the model has no language variables, which hold the manner. Give a model that was "
            "trained with the objective generative and language_variables=true, its default"
        )
    if styled and language not in generator.languages:
        raise TandemError(
            f"the model has no variables of {language!r}, only of: "
            f"{', '.join(generator.languages)}. Give one of these languages"
        )
    written_here = [
        code
        for side, code in enumerate(generator.sides)
        if reconstruction(side) in generator.networks.decoders
    ]
    if not written_here:
        raise TandemError(
            "the model writes no sentence from its own meaning. Give a model that was trained with "
            "the objective generative and reconstructs=both, its default"
        )
    if language not in written_here:
        raise TandemError(
            f"the model writes no sentence of {language!r} from its own meaning, only of: "
            f"{', '.join(written_here)}. Give one of these languages"
        )
    if not styled and language in generator.languages:
        raise TandemError(f"the model has variables of {language!r}: give a style for each source")
    return reconstruction(generator.sides.index(language))


def text_of(generator: Generator, ids: Sequence[int]) -> str:
    """Return the text of ids."""
    segmenter = generator.encoder.segmenter
    segmentation = segmenter.segmentation
    tokens = (segmentation.unmarked(segmenter.vocabulary[number]) for number in ids)
    if not segmentation.has_models:
        return unspaced(" ".join(tokens))
    return unspaced("".join(tokens).replace("\u2581", " ").strip())


@exact_products()
@torch.inference_mode()
def written(
    generator: Generator, decoder: str, vectors: Floats, beam: int = BEAM, longest: int = LONGEST
) -> list[list[int]]:
    """Return the ids that a decoder writes from vectors, (sentences, latent), one list for each.

    Of the `beam` beginnings that are kept, and in the end, those are best whose tokens have the
    highest mean of log-probabilities. Memory: sentences by beginnings by types.
    """
    network, edge = generator.networks.decoder(decoder), len(generator.encoder.segmenter)
    inputs, outputs = (generator.tables.tables[f"{decoder}.{n}"] for n in ("inputs", "outputs"))
    read = torch.from_numpy(vectors).to(inputs.device).repeat_interleave(beam, 0)
    count = len(vectors)
    ids = torch.full((count, beam, 1), edge, device=inputs.device)
    sums = torch.full((count, beam), -torch.inf, device=inputs.device)
    sums[:, 0] = 0.0  # the beginnings are the same yet
    lengths = torch.zeros((count, beam), device=inputs.device)
    ended = torch.zeros((count, beam), dtype=torch.bool, device=inputs.device)
    for _ in range(longest):
        gains = _last(network, inputs, outputs, ids.flatten(0, 1), read).unflatten(0, (count, beam))
        # what has ended goes on with the edge, which costs nothing
        gains = gains.masked_fill(ended.unsqueeze(2), -torch.inf)
        gains[..., edge] = gains[..., edge].masked_fill(ended, 0.0)
        grown = lengths + ~ended
        totals = sums.unsqueeze(2) + gains
        best = (totals / grown.unsqueeze(2)).flatten(1).topk(beam, 1).indices
        types = totals.shape[2]
        before, chosen = best // types, best % types
        sums = totals.flatten(1).gather(1, best)
        lengths = grown.gather(1, before)
        ids = ids.gather(1, before.unsqueeze(2).expand(-1, -1, ids.shape[2]))
        ids = torch.cat([ids, chosen.unsqueeze(2)], 2)
        ended = ended.gather(1, before) | (chosen == edge)
        if bool(ended.all()):
            break
    winner = (sums / lengths).argmax(1)
    rows: NDArray[np.int64] = ids[torch.arange(count, device=ids.device), winner, 1:].cpu().numpy()
    return [row[row != edge].tolist() for row in rows]


def _last(
    network: Decoder, inputs: Tensor, outputs: Tensor, ids: Tensor, vectors: Tensor
) -> Tensor:
    """Return the log-probabilities of what follows beginnings, (beginnings, types)."""
    states = network(functional.embedding(ids, inputs), vectors)[:, -1]
    rows = torch.arange(len(ids), device=ids.device)
    return scored(network, outputs, states, vectors, rows).log_softmax(1)
