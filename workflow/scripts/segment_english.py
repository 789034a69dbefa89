"""Learn the pieces of a panel's English text."""

from functools import partial

from _adapter import logged
from tandem.io import atomic_folder
from tandem.languages.panel import read_english
from tandem.languages.runs import ENGLISH, scheme
from tandem.segmentation.segmenter import learn

with logged(snakemake.log[0]) as log:
    how = scheme(snakemake.params.pieces, snakemake.params.character_coverage)
    texts = {ENGLISH: partial(read_english, snakemake.input.text)}
    with atomic_folder(snakemake.output.segmenter) as folder:
        segmenter = learn(how, texts, folder)
    log.info("%d pieces", len(segmenter))
