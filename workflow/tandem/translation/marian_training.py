"""Training a small Marian transformer from scratch on a bitext."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import sentencepiece as spm
import torch
import transformers
from torch import Tensor, nn
from transformers import MarianMTModel

from tandem.errors import TandemError
from tandem.io import atomic_folder, write_json, write_lines
from tandem.translation.fitting import Bitext, Pairs, Run, keep_short, segment
from tandem.translation.marian import complete
from tandem.translation.padding import make_batch
from tandem.translation.threads import limit_threads
from tandem.translation.vocabulary import END, PAD, START, UNKNOWN, load_pieces_from, train_pieces

SPECIAL = 4
"""Ids that SentencePiece keeps for pieces without text; Marian's vocabulary orders them anew."""


@dataclass(frozen=True)
class MarianConfig:
    """All that decides the bytes of a Marian translator trained here.

    pieces, max_words, epochs, batch_tokens, learning_rate, warmup, clip, threads, seed: as for the
    recurrent translator. dimension, layers (of encoder and of decoder), heads, feed_forward: of
    the transformer (Vaswani et al. 2017). positions: most tokens a side. beam: for decoding.
    """

    pieces: int = 8000
    dimension: int = 256
    layers: int = 3
    heads: int = 4
    feed_forward: int = 1024
    positions: int = 512
    max_words: int = 40
    epochs: int = 20
    batch_tokens: int = 2000
    learning_rate: float = 1e-3
    warmup: float = 0.1
    dropout: float = 0.1
    label_smoothing: float = 0.1
    clip: float = 1.0
    beam: int = 5
    threads: int = 2
    seed: int = 1


def train_marian(
    train: Bitext,
    validation: Bitext,
    config: MarianConfig,
    folder: str | Path,
    progress: bool = True,
) -> None:
    """Train on the pairs of at most `config.max_words` words a side, and save into a folder.

    Beside what a Marian translator's folder holds this writes history.csv; checkpoints are as for
    the recurrent translator.

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
        sides = [segment(pieces, pairs) for pairs in (train, validation)]
        pairs, held_out = (_within(side, config.positions) for side in sides)
        learner = MarianLearner(len(pieces), config)
        run = Run(learner, pairs, held_out, config, folder / "checkpoint" / "last.pt")
        history = run.finish(progress)
    with atomic_folder(folder) as aside:
        write_tokenizer(aside, model, pieces)
        learner.network.save_pretrained(aside)
        complete(aside, config.beam, config.positions, None, {"config": asdict(config)})
        write_lines(aside / "history.csv", history)


class MarianLearner:
    """The transformer and its losses."""

    def __init__(self, pieces: int, config: MarianConfig) -> None:
        """Draw the weights from the configuration's seed."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.network = MarianMTModel(network_config(pieces, config))
        self.label_smoothing = config.label_smoothing
        self.ids = torch.arange(pieces) - 2
        for piece, marian in ((PAD, pieces - 2), (START, pieces - 2), (END, 0), (UNKNOWN, 1)):
            self.ids[piece] = marian

    def loss(self, pairs: Pairs, generator: torch.Generator) -> tuple[Tensor, int]:
        """Return the smoothed cross-entropy per token, and the tokens.

        Dropout draws from the global generator, which the run seeds; `generator` is not used.
        """
        scores, labels = self._forced(pairs)
        loss = nn.functional.cross_entropy(scores, labels, label_smoothing=self.label_smoothing)
        return loss, len(labels)

    def surprise(self, pairs: Pairs) -> tuple[float, int]:
        """Return the summed cross-entropy, and the tokens."""
        scores, labels = self._forced(pairs)
        return nn.functional.cross_entropy(scores, labels, reduction="sum").item(), len(labels)

    def _forced(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """Scores (tokens, pieces) and labels (tokens,), in Marian's ids, padding left out."""
        batch = make_batch(*pairs)
        words = batch.labels != PAD
        output = self.network(
            input_ids=self.ids[batch.source],
            attention_mask=torch.arange(batch.source.shape[1]) < batch.lengths[:, None],
            decoder_input_ids=self.ids[batch.inputs],
            use_cache=False,
        )
        # Padding, the last piece, starts the decoder, and CTranslate2 starts it from zeros: as long
        # as padding is never scored, no gradient moves its embedding from there.
        return output.logits[words][:, :-1], self.ids[batch.labels][words]


def network_config(pieces: int, config: MarianConfig) -> transformers.MarianConfig:
    """Describe the transformer: Marian's vocabulary has no start piece, and ends with padding."""
    padding = pieces - 2
    return transformers.MarianConfig(
        vocab_size=pieces - 1,
        d_model=config.dimension,
        encoder_layers=config.layers,
        decoder_layers=config.layers,
        encoder_attention_heads=config.heads,
        decoder_attention_heads=config.heads,
        encoder_ffn_dim=config.feed_forward,
        decoder_ffn_dim=config.feed_forward,
        max_position_embeddings=config.positions,
        activation_function="relu",
        dropout=config.dropout,
        scale_embedding=True,
        pad_token_id=padding,
        decoder_start_token_id=padding,
        eos_token_id=0,
        bos_token_id=None,
        forced_eos_token_id=None,
    )


def write_tokenizer(folder: Path, model: bytes, pieces: spm.SentencePieceProcessor) -> None:
    """Write a MarianTokenizer's files: one SentencePiece model for both sides."""
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(model)
    texts = [pieces.id_to_piece(i) for i in range(SPECIAL, len(pieces))]
    vocabulary = ["</s>", "<unk>", *texts, "<pad>"]
    (folder / "vocab.json").write_text(
        json.dumps({piece: i for i, piece in enumerate(vocabulary)}, ensure_ascii=False),
        encoding="utf-8",
    )
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "MarianTokenizer"})


def _within(pairs: Pairs, positions: int) -> Pairs:
    """Keep the pairs that fit the transformer's positions, the end token counted."""
    kept = [
        (source, target)
        for source, target in zip(*pairs, strict=True)
        if max(len(source), len(target)) < positions
    ]
    return Pairs([source for source, _ in kept], [target for _, target in kept])
