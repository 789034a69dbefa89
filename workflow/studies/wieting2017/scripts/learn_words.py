"""Learn the words of all texts of the filtering experiments, which all encoders share."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from _adapter import add_kinds, logged
from tandem.corpora.collection import SPLITS
from tandem.encoders.baselines import load_baseline
from tandem.files.atomic import atomic_folder, atomic_path
from tandem.files.io import read_lines
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.segmentation.segmenter import learn
from wieting2017.methods import texts
from wieting2017.methods.word_vectors import word_shares, words_of


def text() -> Iterator[str]:
    """Yield all English text of the study."""
    inputs, params = snakemake.input, snakemake.params
    for pair in (pair for folder in inputs.texts for pair in texts.read(folder)):
        yield from (pair.reference, pair.paraphrase)
    for folder, side in zip(inputs.bitexts, params.sides, strict=True):
        for split in SPLITS:
            yield from read_lines(Path(folder) / f"{split}.{side}")


def sentences() -> Iterator[str]:
    """Yield all English text, then the words that have pretrained vectors."""
    inputs, params = snakemake.input, snakemake.params
    yield from text()
    if inputs.start:
        yield from words_of(inputs.start[0], params.segmentation["size"])
    elif params.baseline:
        yield from load_baseline(params.baseline).words()


with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    with atomic_folder(snakemake.output.folder) as folder:
        segmentation = SEGMENTATIONS.parse(snakemake.params.segmentation)
        learned = learn(segmentation, {"en": sentences}, folder)
    with atomic_path(snakemake.output.shares) as temporary, open(temporary, "wb") as out:
        np.save(out, word_shares(learned, text()))
    log.info("%d words", len(learned))
