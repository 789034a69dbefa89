"""The recurrent translator, trained here on a bitext."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from tandem.translation.translator import Translator

if TYPE_CHECKING:
    from tandem.translation.decoding import RnnTranslator

Share = Annotated[float, Field(ge=0, lt=1)]


class Rnn(Translator):
    """A recurrent encoder-decoder with attention, as in Wieting et al. (2017), section 3."""

    pieces: PositiveInt = 4000
    """Most SentencePieces to learn, for both languages together."""
    dimension: Annotated[int, Field(gt=0, multiple_of=2)] = 256
    """Width of embeddings and GRUs; even, since the encoder reads in two directions."""
    max_words: PositiveInt = 14
    """Pairs with more words on either side are not trained on."""
    epochs: PositiveInt = 6
    """Passes over the pairs."""
    batch_tokens: PositiveInt = 700
    """Most target tokens in a batch, padding included."""
    sampled_pieces: PositiveInt = 500
    """Pieces sampled for the softmax of a batch, besides those in the batch."""
    learning_rate: PositiveFloat = 2e-3
    """Peak learning rate of Adam, reached after the warm-up; then it falls linearly to 0."""
    warmup: Share = 0.05
    """Share of training in which the learning rate rises linearly."""
    dropout: Share = 0.1
    """Share of features that are zeroed in training."""
    clip: PositiveFloat = 1.0
    """Largest norm of the gradient."""
    seed: NonNegativeInt = 1
    """Seed of the initial weights, the order of the pairs and all other random draws."""

    def train(self, corpus: str | Path, folder: str | Path, device: str = "auto") -> None:
        """Train on the training split; see `rnn_training.train_rnn`."""
        from tandem.translation.rnn_training import read_split, train_rnn

        sides = self.source, self.target
        train, validation = (read_split(corpus, split, *sides) for split in ("train", "valid"))
        train_rnn(train, validation, self, folder, device)

    def load(self, folder: Path, threads: int, device: str) -> RnnTranslator:
        """Load the weights and the pieces."""
        from tandem.translation.decoding import RnnTranslator

        return RnnTranslator(folder, self, threads, device)
