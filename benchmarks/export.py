"""Measure an exported encoder against a stock static model, and against Tandem's own encoder.

The stock model is what one would build without Tandem: a Unigram model of the same pieces behind
the BERT normaliser and pre-tokeniser, and the same table. It and the exported one are
`StaticEmbedding`s and encode with sentence-transformers. Tandem's own is loaded anew for each
repeat, since it remembers words. They encode the same lines and take turns; medians over the
repeats, of the processor time as well, which other work on the machine disturbs less.

    python benchmarks/export.py --model results/models/sp.bitext/seed1 --text my.en --language en
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece as spm
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, Metaspace, Sequence

from tandem.encoders.model import SentenceEncoder
from tandem.exporting.card import Card
from tandem.exporting.sentence_transformers import export_sentence_transformers
from tandem.files.io import read_lines
from tandem.segmentation.pieces import piece_scores


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=Path, required=True, help="a folder of SentencePieces")
    parser.add_argument("--text", type=Path, required=True, help="one sentence a line")
    parser.add_argument("--language", required=True)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    encoder = SentenceEncoder.load(options.model)
    lines = list(islice(read_lines(options.text), options.sentences))
    with tempfile.TemporaryDirectory() as folder:
        folders = export_sentence_transformers(encoder, Path(folder) / "model", Card("exported"))
        exported = SentenceTransformer(str(folders[options.language]), device="cpu")
    contestants: dict[str, Any] = {
        "exported": exported,
        "stock": stock(encoder, options.language),
        "native": encoder,
    }
    own = encoder.encode(lines, options.language)
    difference = np.abs(exported.encode(lines, batch_size=options.batch) - own).max()
    print(f"{len(lines):,} lines; largest difference to Tandem's own vectors {difference:.2g}")
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for _ in range(options.repeats):
        contestants["native"] = SentenceEncoder.load(options.model)
        for name, model in contestants.items():
            language = [options.language] if name == "native" else []
            wall, processor = time.perf_counter(), time.process_time()
            model.encode(lines, *language, batch_size=options.batch)
            seconds[name].append((time.perf_counter() - wall, time.process_time() - processor))
    rates = {name: len(lines) / np.median(each, axis=0) for name, each in seconds.items()}
    for name, (wall, processor) in rates.items():
        print(f"{name:10}{wall:10,.0f} lines a second{processor:10,.0f} of processor time")
    for one, other in (("exported", "stock"), ("native", "exported")):
        wall, processor = rates[one] / rates[other]
        print(f"{one} to {other}: {wall:.2f}, {processor:.2f} of processor time")


def stock(encoder: SentenceEncoder, language: str) -> SentenceTransformer:
    """Return a static model of the encoder's pieces behind the BERT pre-tokeniser."""
    path = str(encoder.segmenter.models[language])
    scores = piece_scores(spm.SentencePieceProcessor(model_file=path))
    # the first piece stands for the unknown, which this model counts
    tokenizer = Tokenizer(models.Unigram(list(scores.items()), 0, False))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = Sequence([BertPreTokenizer(), Metaspace()])
    units = encoder.segmenter.units(language)
    table = encoder.table[[units[piece] for piece in scores]]
    return SentenceTransformer(modules=[StaticEmbedding(tokenizer, table)], device="cpu")


if __name__ == "__main__":
    main()
