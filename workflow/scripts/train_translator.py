"""Train a translator, or make one of a released model."""

from pathlib import Path

from _adapter import logged
from tandem.translation.translator import TRANSLATORS

with logged(snakemake.log[0]) as log:
    scratch = Path(snakemake.params.scratch)
    TRANSLATORS.parse(snakemake.params.translator).train(snakemake.input.bitext, scratch)
    scratch.rename(snakemake.output.folder)
