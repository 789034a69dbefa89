"""Segment one side of one split of a corpus."""

from pathlib import Path

from _adapter import logged
from tandem.segmentation.segmenter import segment_file

with logged(snakemake.log[0]) as log:
    split, side = snakemake.wildcards.split, snakemake.wildcards.side
    text = Path(snakemake.input.corpus) / f"{split}.{side}"
    stem = snakemake.output.ids.removesuffix(".ids.npy")
    log.info("%d sentences", segment_file(snakemake.input.segmenter, text, side, stem))
