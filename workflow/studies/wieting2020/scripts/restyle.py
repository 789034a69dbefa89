"""Write the meaning of each triple's source in the manner of its style."""

from pathlib import Path

from _adapter import add_kinds, job_device, logged
from tandem.files.io import write_lines
from tandem.generation.saving import Generator
from tandem.machine import gpu_errors
from tandem.progress import progress_bar
from wieting2020.methods import transfer
from wieting2020.methods.styles import read_triples

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    triples = read_triples(Path(snakemake.input.styles) / "triples.tsv")
    device = job_device(snakemake.config)
    with gpu_errors("Give the table styles a `beam` of 1", device):
        generator = Generator(snakemake.input.model, device)
        manner = snakemake.wildcards.manner
        lines = transfer.written(generator, triples, snakemake.params.beam, manner)
        shown = progress_bar(lines, total=len(triples), desc="restyle", unit="line")
        log.info("%d lines", write_lines(snakemake.output.text, shown))
