"""Translate one shard of a split's source side."""

from pathlib import Path

from _adapter import add_kinds, job_device, logged
from tandem.files.io import read_lines
from tandem.machine import gpu_errors
from tandem.translation.translate_files import translate_file
from tandem.translation.translator import TRANSLATORS, load_translator

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    split, params = snakemake.wildcards.split, snakemake.params
    settings = TRANSLATORS.parse(params.translator)
    source = Path(snakemake.input.bitext) / f"{split}.{settings.source}"
    pairs = sum(1 for _ in read_lines(source))
    if params.pairs is not None:
        pairs = min(pairs, params.pairs)
    shard, shards = int(snakemake.wildcards.shard), params.shards
    lines = shard * pairs // shards, (shard + 1) * pairs // shards
    output, device = snakemake.output, job_device(snakemake.config, auto=True)
    with gpu_errors(device=device):
        translator = load_translator(snakemake.input.translator, settings.threads, device=device)
        translate_file(translator, source, output.text, output.scores, lines)
    log.info("%s: lines %d to %d", source, lines[0] + 1, lines[1])
