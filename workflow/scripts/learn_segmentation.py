"""Learn a segmentation from the training split of a corpus."""

from functools import partial
from pathlib import Path

from _adapter import logged
from tandem.io import atomic_folder, read_lines
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import learn

with logged(snakemake.log[0]) as log:
    scheme = Segmentation(**snakemake.params.segmentation)
    corpus = Path(snakemake.input.corpus)
    texts = {side: partial(read_lines, corpus / f"train.{side}") for side in snakemake.params.sides}
    with atomic_folder(snakemake.output.segmenter) as folder:
        segmenter = learn(scheme, texts, folder)
    log.info("%d types", len(segmenter))
