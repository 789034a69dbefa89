"""Sentences are written from latent vectors: the models of wieting2020, sections 2 to 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from tandem.encoders.encoder import Encoder
from tandem.errors import TandemError
from tandem.objectives.objective import Objective

if TYPE_CHECKING:
    from tandem.segmentation.segmentation import Segmentation

Share = Annotated[float, Field(ge=0, lt=1)]
Place = Literal["word", "hidden", "attention", "logit"]
_LAST_WEIGHT = 0.3
"""Of the divergence, where a training ends, unless `annealing` says otherwise."""


class Generative(Objective):
    """Decoders write sentences from vectors, and encoders learn what they need for that.

    With all of it this is the bilingual generative transformer of Wieting et al. (2020): each
    sentence of a pair is reconstructed from its language's variable and the semantic variable of
    the pair, which one of both sentences gives in turn; to the evidence lower bound comes the loss
    of translating. Parts of it are the models that it is compared with (section 4.1):

    | model | reconstructs | translates | language_variables | prior |
    |---|---|---|---|---|
    | English AE | first | none | false | false |
    | English VAE | first | none | false | true |
    | English Trans | none | second | false | false |
    | Bilingual Trans | none | both | false | false |
    | BGT without language variables | both | both | false | true |
    | BGT without prior | both | both | true | false |
    | BGT | both | both | true | true |

    The encoder is a `posterior`. The loss of a batch is its sum over sentences, divided by pairs.
    """

    learner: ClassVar[str] = "tandem.generation.learner:Generation"
    unread: ClassVar[frozenset[str]] = frozenset({"batch", "optimizer", "order", "scramble"})
    smaller: ClassVar[str] = "Lower `tokens` of the objective, or raise its `parts`"

    reconstructs: Literal["none", "first", "both"] = "both"
    """The sentences of a pair that are written from its semantic variable: of both, that which one
    side gives in turn; of the first alone, its own."""
    translates: Literal["none", "second", "both"] = "both"
    """The sentences of a pair that are written from the other's meaning."""
    language_variables: bool = True
    """Whether an encoder for each language gives what a reconstruction reads beside the meaning."""
    prior: bool = True
    """Whether the Kullback-Leibler divergence from N(0, I) is part of the loss."""
    sampled: bool = True
    """With a prior: reconstructions read vectors drawn from the posterior (section 3); else its
    means, as in the authors' released code. Translations always read means."""
    annealing: NonNegativeInt | None = 65_536
    """Updates in which the weight of the divergence rises from 0 to 1; null: as many as let it end
    at 0.3 after the last planned update, as after the paper's 20,000."""
    smoothing: Share = 0.1
    """Label smoothing of translations."""
    decoder: Literal["transformer", "lstm"] = "transformer"
    """What writes."""
    places: Annotated[tuple[Place, ...], Field(min_length=1)] = ("attention", "logit")
    """Where the vector enters a decoder: beside each word's embedding, as the first hidden state
    (of an LSTM), as the context of attention, and beside the state before the softmax."""
    dimension: PositiveInt = 1024
    """Width of the decoders' embeddings and states."""
    layers: PositiveInt = 1
    """Layers of the decoders."""
    heads: PositiveInt = 8
    """Heads of their self-attention."""
    filter: PositiveInt = 1024
    """Width inside their feed-forward networks."""
    dropout: Share = 0.3
    """Dropout inside the layers of encoders and decoders; that of embeddings is the recipe's."""
    tokens: PositiveInt = 50_000
    """Tokens of a batch: pairs by their longer side, filled up, in place of a recipe's `batch`."""
    parts: PositiveInt = 1
    """A batch is made of so many groups of pairs of like lengths, whose gradients are summed. With
    one group, each batch has sentences of one length."""
    clip: PositiveFloat = 25.0
    """Largest norm of the gradient."""
    drawn: PositiveInt | None = None
    """On a CPU: types of the vocabulary that stand for all that a batch does not have in the
    softmax (Botev, Zheng and Barber, 2017). Validation, and a GPU, have all."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.reconstructs == self.translates == "none":
            raise ValueError("something must be written: give reconstructs, or translates")
        if (self.language_variables or self.prior) and self.reconstructs == "none":
            raise ValueError("language_variables and prior are of what is reconstructed")
        if "hidden" in self.places and self.decoder != "lstm":
            raise ValueError("only an LSTM has a first hidden state: leave out the place hidden")
        if self.decoder == "transformer" and self.dimension % self.heads:
            raise ValueError(f"dimension, {self.dimension}, is no multiple of {self.heads} heads")
        return self

    def check(
        self, encoder: Encoder, texts: int = 1, segmentation: Segmentation | None = None
    ) -> None:
        """Refuse an encoder without a posterior or of words, and several texts: TandemError.

        So is a segmentation whose tokens are no text one after the other, such as trigrams.
        """
        if encoder.kind != "posterior":
            raise TandemError(
                f"an encoder of kind {encoder.kind} has no posterior, which the objective "
                f"{self.kind} needs. Give the kind posterior, with the other as its body"
            )
        if encoder.words:
            raise TandemError(
                f"the objective {self.kind} writes the tokens that the encoder reads, and words "
                "with their n-grams cannot be written. Give a body with grouped: false"
            )
        if segmentation and not segmentation.writable:
            raise TandemError(
                f"the objective {self.kind} writes the tokens that the encoder reads, and "
                f"{segmentation.unit} in a row are no text. Give the segmentation sentencepiece or "
                "words"
            )
        if texts > 1:
            raise TandemError(
                f"the objective {self.kind} learns from pairs of two languages, and there are "
                f"{texts} texts. Give one bitext"
            )

    def weight(self, step: int, steps: int) -> float:
        """Return the weight of the divergence in one of so many planned updates, from 1."""
        if self.annealing is None:
            return _LAST_WEIGHT * min(1.0, step / steps)
        return min(1.0, step / max(1, self.annealing))

    @property
    def reconstructed(self) -> tuple[int, ...]:
        """The sides of a pair, 0 and 1, that are reconstructed."""
        return {"none": (), "first": (0,), "both": (0, 1)}[self.reconstructs]

    @property
    def translated(self) -> tuple[int, ...]:
        """The sides of a pair that are written from the meaning of the other."""
        return {"none": (), "second": (1,), "both": (0, 1)}[self.translates]
