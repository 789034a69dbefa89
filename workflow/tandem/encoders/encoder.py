"""The kinds of encoder: how the embeddings of a sentence's tokens become its vector.

Token embeddings come as one flat array with offsets, so no padding is ever stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import PositiveInt

from tandem.machine import exact_products, learns_on_host
from tandem.registry import Kind, Registry
from tandem.segmentation.segmentation import Segmentation

if TYPE_CHECKING:  # slow to import, and not needed to read settings
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor, nn

    from tandem.encoders.composition import Composition

    Floats = NDArray[np.float32]
    Indices = NDArray[np.int64]
    Compose = Callable[[NDArray[np.int64], NDArray[np.int64]], Floats]
    """From the ids of tokens, (tokens,), and where each sentence's begin, (sentences + 1,), to
    vectors, (sentences, width)."""


class Dropout(NamedTuple):
    """Which features of tokens' embeddings are zeroed.

    Attributes:
        keep: 0 or 1; token t keeps its features by keep[places[t] : places[t] + dimension].
        places: (tokens,).
        scale: what the features kept are multiplied by.
    """

    keep: Tensor
    places: Tensor
    scale: float

    def kept(self, dimension: int) -> Tensor:
        """Return which features are kept, 0 or 1, (tokens, dimension)."""
        return self.keep.unfold(0, dimension, 1)[self.places]

    def factors(self, dimension: int) -> Tensor:
        """Return what the embeddings are multiplied by, (tokens, dimension)."""
        return self.kept(dimension) * self.scale


class Room(NamedTuple):
    """How large the arrays of a GPU are made, so that they need not wait for what they hold.

    Attributes:
        longest: tokens, or words where these are summed, that a sentence has at most.
        words: that the sentences have at most, together.
    """

    longest: int
    words: int = 0


class Tokens(NamedTuple):
    """The tokens of sentences, one sentence after the other.

    Attributes:
        table: (types, dimension) embeddings.
        ids: (tokens,) rows of the table.
        offsets: (sentences + 1,) where each sentence's tokens begin.
        dropout: of the tokens, or None.
        room: on a GPU, where ids may be followed by some that belong to no sentence; else None.
    """

    table: Tensor
    ids: Tensor
    offsets: Tensor
    dropout: Dropout | None = None
    room: Room | None = None


class Encoder(Kind):
    """What every kind of encoder has."""

    exportable: ClassVar[bool] = False
    """Whether sentence-transformers' own classes can do the same."""
    rotatable: ClassVar[bool] = False
    """Whether vectors rotate as embeddings do, so that dimensions can be cut."""
    fixed_shapes: ClassVar[bool] = False
    """Whether `compose` reads tokens that come with a `room`, makes arrays whose shapes depend on
    that alone, and reads nothing off a GPU: then a step there is recorded, which is far faster."""
    memory_mb: ClassVar[int] = 4000
    """Megabytes of memory that its training takes, at most."""
    bfloat16_on: ClassVar[frozenset[str]] = frozenset()
    """Types of devices on which products in bfloat16 make training faster, where these have it: of
    a GPU where products of matrices take most of the time, of a CPU where they are large, too."""

    dimension: PositiveInt = 300
    """Width of the token embeddings."""

    def started(self, start: Encoder) -> Encoder:
        """Return the encoder that is trained where training starts from another."""
        return self

    @property
    def width(self) -> int:
        """Width of the sentence vector."""
        return self.dimension

    def reads(self, segmentation: Segmentation) -> bool:
        """Whether it can read a segmentation's ids: not words with n-grams, unless it sums them."""
        return not segmentation.grouped

    @property
    def words(self) -> bool:
        """Whether tokens come in words, each of which the token 0 begins."""
        return False

    def weights(self) -> nn.Module:
        """Return freshly drawn parameters beside the embeddings; by default there are none."""
        from torch import nn

        return nn.Module()

    def taken_over(self, kind: Encoder, weights: Mapping[str, Floats]) -> dict[str, Floats] | None:
        """Return its parameters that training takes over from an encoder, whose kind is given.

        Those that are not among them are drawn. None: it cannot start from such an encoder.
        """
        return dict(weights) if kind == self else None

    def embedding_layer(self, weights: nn.Module) -> Iterable[nn.Parameter]:
        """Return those of its parameters that are part of the embedding of a token."""
        return ()

    def layers_of(self, weights: nn.Module) -> Sequence[nn.Module]:
        """Return its layers, in the order in which they compute; most kinds have none."""
        return ()

    def compose(self, weights: nn.Module, tokens: Tokens) -> Tensor:
        """Return the sentence vectors, (sentences, width); zeros for one without tokens.

        `weights` is what the method of that name made, perhaps trained since.
        """
        raise NotImplementedError

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each parameter beside the embeddings."""
        return {k: tuple(v.shape) for k, v in self._composition().state_dict().items()}

    def composer(self, table: Floats, weights: Mapping[str, Floats], device: str) -> Compose:
        """Return the function that composes sentences on a device, without training.

        It is made of the embeddings, (types, dimension), and the parameters beside them.
        """
        import torch

        from tandem.encoders.rows import composed_on_gpu

        composition = self._composition().load(weights).eval().to(device)
        embeddings = torch.from_numpy(table).to(device)

        @torch.inference_mode()
        def compose(ids: NDArray[np.int64], offsets: NDArray[np.int64]) -> Floats:
            if learns_on_host(device):
                read, bounds = torch.from_numpy(ids), torch.from_numpy(offsets)
                return composition(Tokens(embeddings, read, bounds)).numpy()
            with exact_products():
                return composed_on_gpu(composition, embeddings, ids, offsets).cpu().numpy()

        return compose

    def _composition(self) -> Composition:
        """Return its composition without values: nothing is drawn."""
        import torch

        from tandem.encoders.composition import Composition

        with torch.device("meta"):
            return Composition(self)


ENCODERS = Registry("tandem.encoders.kinds", Encoder)


def encoder_files(encoder: Encoder) -> list[Path]:
    """Return the files of the kind of an encoder, and of the encoders that it is made of."""
    parts = (value for _, value in encoder if isinstance(value, Encoder))
    return [ENCODERS.path(encoder.kind), *(path for part in parts for path in encoder_files(part))]
