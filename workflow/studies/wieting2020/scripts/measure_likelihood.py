"""Measure what an autoencoder makes of sentences of the test split."""

from itertools import islice
from pathlib import Path

import numpy as np

from _adapter import add_kinds, job_device, logged
from tandem.files.io import read_lines
from tandem.generation.saving import Generator
from tandem.machine import gpu_errors
from tandem.tasks.task import write_items
from wieting2020.methods.likelihood import likelihood

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, device = snakemake.params, job_device(snakemake.config)
    with gpu_errors("Lower `sentences` of the table likelihood", device):
        generator = Generator(snakemake.input.model, device)
        language = generator.sides[0]
        lines = islice(read_lines(Path(snakemake.input.corpus) / f"test.{language}"),
                       params.sentences)  # fmt: skip
        rows = generator.encoder.segmenter.encoder(language)(list(lines))
        rows = rows.gather(np.flatnonzero(rows.lengths()))
        items = likelihood(generator, rows, params.draws, params.seed)
    write_items(snakemake.output.measured, items)
    log.info("%d sentences", len(rows))
