"""Transformer translators: a MarianMTModel of transformers, decoded with CTranslate2.

The folder holds the original (config.json, model.safetensors, source.spm, target.spm, vocab.json),
its conversion in ctranslate2/, and translator.json.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import ctranslate2
from ctranslate2.converters import TransformersConverter
from transformers import MarianMTModel, MarianTokenizer

from tandem.errors import InputError, TandemError
from tandem.io import atomic_folder, read_json, write_json
from tandem.translation.base import Translation, one_line
from tandem.translation.windows import translate_in_windows

logger = logging.getLogger(__name__)

CONVERTED = "ctranslate2"


class MarianTranslator:
    """A converted Marian model; decodes with a beam."""

    def __init__(
        self,
        model: ctranslate2.Translator,
        tokenizer: MarianTokenizer,
        beam: int,
        positions: int,
        prefix: str | None = None,
    ) -> None:
        """Wrap a loaded model.

        positions: tokens that the model has positions for, a bound on both sides. prefix: the
        language token (such as `>>ces<<`) that a multilingual model wants before each source.
        """
        self.model, self.tokenizer = model, tokenizer
        self.beam, self.positions, self.prefix = beam, positions, prefix

    @classmethod
    def load(cls, folder: str | Path, threads: int = 1) -> MarianTranslator:
        """Load from a folder that `adopt_marian` made, onto a GPU where CTranslate2 sees one.

        Raises:
            TandemError: when a file is missing or does not fit the others.
        """
        folder = Path(folder)
        value = settings_from(read_json(folder / "translator.json"), folder / "translator.json")
        try:
            model = ctranslate2.Translator(
                str(folder / CONVERTED), device="auto", intra_threads=threads
            )
            tokenizer = MarianTokenizer.from_pretrained(folder, local_files_only=True)
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            raise TandemError(
                f"{folder}: the Marian translator does not load ({error}). Make it again"
            ) from error
        return cls(model, tokenizer, value["beam"], value["positions"], value["prefix"])

    def translate(self, sentences: Iterable[str]) -> Iterator[Translation]:
        """Yield one translation per sentence, in input order.

        A sentence without text gives an empty translation of no tokens; one longer than the
        model's positions is cut to them.
        """
        return translate_in_windows(sentences, self._cut, self._translate_batch)

    def _cut(self, sentences: list[str]) -> list[list[str]]:
        """Cut sentences into pieces, without the end token; nothing for one without text."""
        rows = [self.tokenizer.tokenize(sentence) if sentence.strip() else []
                for sentence in sentences]  # fmt: skip
        room = self.positions - 1 - (self.prefix is not None)
        start = [self.prefix] if self.prefix is not None else []
        return [[*start, *row[:room]] if row else [] for row in rows]

    def _translate_batch(self, rows: Sequence[list[str]]) -> list[Translation]:
        """Translate rows of like length as one batch.

        CTranslate2 divides a hypothesis's summed log-probability by (its tokens, the end token
        counted) ** length_penalty, to compare hypotheses of unequal length; with the penalty 1
        multiplying by the tokens gives the sum back.
        """
        end = self.tokenizer.eos_token
        longest = max(map(len, rows))
        results = self.model.translate_batch(
            [[*row, end] for row in rows],
            beam_size=self.beam,
            length_penalty=1.0,
            max_decoding_length=min(2 * longest + 10, self.positions),
            max_input_length=0,
            return_scores=True,
            return_end_token=True,
            disable_unk=True,
        )
        return [self._finish(result.hypotheses[0], result.scores[0]) for result in results]

    def _finish(self, tokens: list[str], score: float) -> Translation:
        """Make a translation of output tokens and their mean log-probability."""
        words = [token for token in tokens if token not in self.tokenizer.all_special_tokens]
        text = one_line(self.tokenizer.spm_target.decode_pieces(words))
        return Translation(text, score * len(tokens), len(tokens))


def settings_from(value: dict[str, Any], path: Path) -> dict[str, Any]:
    """Check a parsed translator.json of a Marian translator and return it.

    Raises:
        InputError: when it is none.
    """
    if value.get("kind") != "marian" or not {"beam", "positions", "prefix"} <= set(value):
        raise InputError(path, None, "not of a marian translator", "Make the translator again")
    return value


def adopt_marian(
    name_or_path: str | Path,
    folder: str | Path,
    beam: int,
    prefix: str | None = None,
    revision: str | None = None,
) -> None:
    """Make a translator folder out of a Marian model, named on the model hub or in a local folder.

    revision: of a named model, best a commit, so that every run fetches the same weights.

    Raises:
        TandemError: when the model is not found, is not a Marian model, or does not convert.
    """
    try:
        tokenizer = MarianTokenizer.from_pretrained(name_or_path, revision=revision)
        model = MarianMTModel.from_pretrained(name_or_path, revision=revision)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise TandemError(
            f"{name_or_path}: no Marian model could be loaded from there ({error}). Name a folder "
            "with config.json, weights, source.spm, target.spm and vocab.json, or a model of the "
            "hub, and check the network"
        ) from error
    if prefix is not None and prefix not in tokenizer.get_vocab():
        raise TandemError(f"{name_or_path}: the model knows no language token {prefix!r}")
    start = model.get_decoder().get_input_embeddings().weight[model.config.decoder_start_token_id]
    if start.abs().max() > 0:
        logger.warning(
            "%s: the start token's embedding is not zero, as CTranslate2 takes it to be: its "
            "translations and scores will differ from the original's",
            name_or_path,
        )
    origin = Path(name_or_path).name if Path(name_or_path).is_dir() else str(name_or_path)
    with atomic_folder(folder) as aside:
        tokenizer.save_pretrained(aside)
        model.save_pretrained(aside)
        positions = model.config.max_position_embeddings
        complete(aside, beam, positions, prefix, {"model": origin, "revision": revision})


def complete(
    folder: Path, beam: int, positions: int, prefix: str | None, origin: dict[str, Any]
) -> None:
    """Make a transformers folder a translator: convert it (float32) and write translator.json."""
    TransformersConverter(str(folder)).convert(str(folder / CONVERTED))
    write_json(
        folder / "translator.json",
        {
            "kind": "marian",
            "beam": beam,
            "positions": positions,
            "prefix": prefix,
            "origin": origin,
        },
    )
