"""Train a translator, or make one of a released model."""

from _adapter import add_kinds, checkpoint, logged
from tandem.translation.translator import TRANSLATORS

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    root, output, code = snakemake.wildcards.root, snakemake.output.folder, snakemake.params.code
    scratch = checkpoint(root, output, code)
    TRANSLATORS.parse(snakemake.params.translator).train(snakemake.input.bitext, scratch)
    scratch.rename(output)
