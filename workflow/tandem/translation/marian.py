"""Released Marian models of transformers, decoded with CTranslate2.

The folder holds the original (config.json, model.safetensors, source.spm, target.spm, vocab.json),
its conversion in ctranslate2/, and translator.json.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import ctranslate2
from ctranslate2.converters import TransformersConverter
from transformers import MarianMTModel, MarianTokenizer

from tandem.errors import TandemError
from tandem.files import saved
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_json
from tandem.text.spelling import collapse
from tandem.translation.batching import translate_in_windows
from tandem.translation.kinds.released import Released
from tandem.translation.translator import Translation

logger = logging.getLogger(__name__)

CONVERTED = "ctranslate2"


class MarianTranslator:
    """A converted Marian model; decodes with a beam."""

    def __init__(
        self, folder: Path, settings: Released, threads: int, device: str = "auto"
    ) -> None:
        """Load from a folder that `adopt_marian` made.

        Args:
            folder, settings: of the translator.
            threads: of the CPU.
            device: cpu, cuda, cuda:1; auto is a GPU where CTranslate2 sees one, which is not
                everywhere where PyTorch sees one.

        Raises:
            TandemError: a file is missing or does not fit the others, or CTranslate2 cannot
                compute on the device.
        """
        self.beam, self.prefix = settings.beam, settings.prefix
        kind, _, number = device.partition(":")
        try:
            self.model = ctranslate2.Translator(
                str(folder / CONVERTED),
                device=kind,
                device_index=int(number or 0),
                intra_threads=threads,
            )
            self.tokenizer = MarianTokenizer.from_pretrained(folder, local_files_only=True)
            # a bound on both sides
            self.positions = int(read_json(folder / "config.json")["max_position_embeddings"])
        except (OSError, RuntimeError, TypeError, ValueError, KeyError) as error:
            raise TandemError(
                f"{folder}: the Marian translator does not load on {device} ({error}). Make "
                "it again, or choose another device"
            ) from error

    def translate(self, sentences: Iterable[str]) -> Iterator[Translation]:
        """Yield one translation per sentence, in order; longer ones are cut to the positions."""
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
        text = collapse(self.tokenizer.spm_target.decode_pieces(words))
        return Translation(text, score * len(tokens), len(tokens))


def adopt_marian(settings: Released, folder: str | Path) -> None:
    """Make a translator folder out of a released model; TandemError if there is none to load."""
    name, prefix, revision = settings.model, settings.prefix, settings.revision or "main"
    try:
        tokenizer = MarianTokenizer.from_pretrained(name, revision=revision)
        model = MarianMTModel.from_pretrained(name, revision=revision)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise TandemError(
            f"{name}: no Marian model could be loaded from there ({error}). Name a folder with "
            "config.json, weights, source.spm, target.spm and vocab.json, or a model of the hub, "
            "and check the network"
        ) from error
    if prefix is not None and prefix not in tokenizer.get_vocab():
        raise TandemError(f"{name}: the model knows no language token {prefix!r}")
    start = model.get_decoder().get_input_embeddings().weight[model.config.decoder_start_token_id]
    if start.abs().max() > 0:
        logger.warning(
            "%s: the start token's embedding is not zero, as CTranslate2 takes it to be: its "
            "translations and scores will differ from the original's",
            name,
        )
    # Of a folder only its name: its path means nothing on other machines
    origin = Path(name).name if Path(name).is_dir() else name
    with atomic_folder(folder) as aside:
        tokenizer.save_pretrained(aside)
        model.save_pretrained(aside)
        TransformersConverter(str(aside)).convert(str(aside / CONVERTED))
        settings.model_copy(update={"model": origin}).save_settings(aside)
        saved.seal(aside)
