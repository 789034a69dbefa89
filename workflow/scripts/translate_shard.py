"""Translate one shard of a split's source side."""

from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from _adapter import logged
from tandem.io import count_lines, read_lines, write_lines
from tandem.translation.translate_files import load_translator, translate_file

with logged(snakemake.log[0]) as log:
    split, params = snakemake.wildcards.split, snakemake.params
    source = Path(snakemake.input.bitext) / f"{split}.{params.source}"
    pairs = min(params.pairs or float("inf"), count_lines(source))
    shard, shards = int(snakemake.wildcards.shard), params.shards
    begin, end = shard * pairs // shards, (shard + 1) * pairs // shards
    translator = load_translator(snakemake.input.translator, params.threads)
    with TemporaryDirectory() as folder:
        part = Path(folder) / source.name
        write_lines(part, islice(read_lines(source), begin, end))
        translate_file(translator, part, snakemake.output.text, snakemake.output.scores)
    log.info("%s: lines %d to %d", source, begin + 1, end)
