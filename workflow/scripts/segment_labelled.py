"""Segment labelled pairs with a segmenter learned from them or loaded."""

from pathlib import Path

from _adapter import add_kinds, logged
from tandem.files.atomic import atomic_folder
from tandem.segmentation.labelled import segment_labelled
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.segmentation.segmenter import Segmenter

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    start, segmentation = snakemake.input.start, SEGMENTATIONS.parse(snakemake.params.segmentation)
    loaded = Segmenter.load(f"{start[0]}/segmenter") if start else None
    with atomic_folder(snakemake.output.folder) as folder:
        corpus = Path(snakemake.input.corpus)
        segmenter = segment_labelled(corpus, segmentation, folder, loaded)
    log.info("%d types", len(segmenter))
