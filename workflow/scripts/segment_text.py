"""Segment one side of one split of a corpus."""

from pathlib import Path

from _adapter import logged
from tandem.segmentation.segment_files import segment_file

# the workers import this file
if __name__ == "__main__":
    with logged(snakemake.log[0]) as log:
        split, side = snakemake.wildcards.split, snakemake.wildcards.side
        text = Path(snakemake.input.corpus) / f"{split}.{side}"
        stem = snakemake.output.ids.removesuffix(".ids.npy")
        count = segment_file(snakemake.input.segmenter, text, side, stem, snakemake.threads)
        log.info("%d sentences", count)
