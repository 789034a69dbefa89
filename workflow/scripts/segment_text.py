"""Segment one side of one split into memory-mapped ids."""

from pathlib import Path

from _adapter import logged

from tandem.segment_files import segment_file

with logged(snakemake.log[0]) as log:
    split, side = snakemake.wildcards.split, snakemake.wildcards.side
    stem = Path(snakemake.output.ids).parent / f"{split}.{side}"
    text = Path(snakemake.input.corpus) / f"{split}.{side}"
    count = segment_file(snakemake.input.segmenter, text, side, stem, snakemake.threads)
    log.info("%d sentences", count)
