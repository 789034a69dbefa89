"""The recurrent translator: its configuration, its folder, and translating with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import sentencepiece as spm
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from tandem.errors import InputError, TandemError
from tandem.io import atomic_path, read_json, write_json
from tandem.translation.base import Translation, one_line
from tandem.translation.decoding import decode_greedily
from tandem.translation.network import AttentionNetwork
from tandem.translation.padding import Ids
from tandem.translation.threads import limit_threads
from tandem.translation.vocabulary import load_pieces
from tandem.translation.windows import translate_in_windows


@dataclass(frozen=True)
class RnnConfig:
    """All that decides the bytes of a trained recurrent translator.

    pieces: subword vocabulary of both languages together. dimension: width of embeddings and GRUs,
    even. max_words: longer pairs (words on either side) are not trained on. epochs: passes over the
    pairs. batch_tokens: padded target tokens of a batch. sampled_pieces: pieces drawn beside a
    batch's own for its softmax. learning_rate: Adam's highest, reached after the first `warmup`
    share of training and falling linearly to 0. clip: largest norm of the gradient. threads: CPU
    threads (the order of sums depends on it).
    """

    pieces: int = 4000
    dimension: int = 256
    max_words: int = 14
    epochs: int = 6
    batch_tokens: int = 700
    sampled_pieces: int = 500
    learning_rate: float = 2e-3
    warmup: float = 0.05
    dropout: float = 0.1
    clip: float = 1.0
    threads: int = 2
    seed: int = 1

    def __post_init__(self) -> None:
        """Refuse values no training can use, before hours are spent on them."""
        positive = ("pieces", "dimension", "max_words", "epochs", "batch_tokens", "threads",
                    "sampled_pieces", "learning_rate", "clip")  # fmt: skip
        for name in positive:
            if getattr(self, name) <= 0:
                raise TandemError(f"rnn translator: {name} must be above 0")
        if self.dimension % 2:
            raise TandemError("rnn translator: dimension must be even (two encoder directions)")
        if not 0.0 <= self.dropout < 1.0 or not 0.0 <= self.warmup < 1.0:
            raise TandemError("rnn translator: dropout and warmup must be in [0, 1)")


class RnnTranslator:
    """A trained recurrent translator; decodes greedily."""

    def __init__(
        self, network: AttentionNetwork, pieces: spm.SentencePieceProcessor, threads: int
    ) -> None:
        """Wrap a network and the vocabulary it was trained with."""
        self.network, self.pieces, self.threads = network.eval(), pieces, threads

    @classmethod
    def load(cls, folder: str | Path, threads: int = 1) -> RnnTranslator:
        """Load from a folder that `save_rnn` wrote; no code of the folder is run.

        Raises:
            TandemError: when a file is missing or does not fit the others.
        """
        folder = Path(folder)
        config = config_from(read_json(folder / "translator.json"), folder / "translator.json")
        pieces = load_pieces(folder / "sp.model")
        network = AttentionNetwork(len(pieces), config.dimension, config.dropout)
        weights = folder / "model.safetensors"
        try:
            network.load_state_dict(load_file(weights))
        except (OSError, RuntimeError, SafetensorError) as error:
            raise TandemError(
                f"{weights}: weights do not load ({error}). Train the translator again"
            ) from error
        return cls(network, pieces, threads)

    def translate(self, sentences: Iterable[str]) -> Iterator[Translation]:
        """Yield one translation per sentence, in input order.

        Sentences of any length; one without text gives an empty translation of no tokens. The
        same input gives the same bytes; in other company, so in another batch, the last digits
        of a sentence's log-probability may differ.
        """
        return translate_in_windows(sentences, self._cut, self._translate_batch)

    def _cut(self, sentences: list[str]) -> list[Ids]:
        return self.pieces.encode(sentences, num_threads=1)

    def _translate_batch(self, rows: Sequence[Ids]) -> list[Translation]:
        with limit_threads(self.threads):
            outputs = decode_greedily(self.network, rows)
        texts = self.pieces.decode([output.ids for output in outputs])
        return [
            Translation(one_line(text), output.log_probability, output.tokens)
            for text, output in zip(texts, outputs, strict=True)
        ]


def config_from(value: dict[str, Any], path: Path) -> RnnConfig:
    """Take the configuration out of a parsed translator.json.

    Raises:
        InputError: when it is not one of a recurrent translator of this version.
    """
    config = value.get("config")
    known = {field.name for field in fields(RnnConfig)}
    if value.get("kind") != "rnn" or not isinstance(config, dict) or set(config) != known:
        raise InputError(
            path, None, "not the configuration of an rnn translator", "Train the translator again"
        )
    return RnnConfig(**config)


def save_rnn(
    folder: str | Path, network: AttentionNetwork, pieces: bytes, config: RnnConfig
) -> None:
    """Write model.safetensors (float32), sp.model and translator.json into a folder."""
    folder = Path(folder)
    with atomic_path(folder / "model.safetensors") as aside:
        save_file({k: v.contiguous() for k, v in network.state_dict().items()}, aside)
    with atomic_path(folder / "sp.model") as aside:
        aside.write_bytes(pieces)
    write_json(folder / "translator.json", {"kind": "rnn", "config": asdict(config)})
