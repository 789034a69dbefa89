"""Train a translator, or make one of a released model."""

from _adapter import checkpoint, kinds, logged
from tandem.translation.translator import TRANSLATORS

with logged(snakemake.log[0]) as log, kinds(snakemake.config):
    scratch = checkpoint(snakemake.wildcards.root, snakemake.output.folder)
    TRANSLATORS.parse(snakemake.params.translator).train(snakemake.input.bitext, scratch)
    scratch.rename(snakemake.output.folder)
