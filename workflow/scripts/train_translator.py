"""Train a translator, or make one of a released model."""

from _adapter import checkpoint, logged
from tandem.translation.translator import TRANSLATORS

with logged(snakemake.log[0]) as log:
    scratch = checkpoint(snakemake.output.folder)
    TRANSLATORS.parse(snakemake.params.translator).train(snakemake.input.bitext, scratch)
    scratch.rename(snakemake.output.folder)
