"""Train a translator, or make one of a released model."""

from _adapter import add_kinds, checkpoint, job_device, logged
from tandem.machine import gpu_errors
from tandem.translation.translator import TRANSLATORS

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    root, output, code = snakemake.wildcards.root, snakemake.output.folder, snakemake.params.code
    scratch = checkpoint(root, output, code)
    translator = TRANSLATORS.parse(snakemake.params.translator)
    device = job_device(snakemake.config) if translator.trained else "cpu"
    with gpu_errors("Lower `batch_tokens` or `dimension` of the translator", device):
        translator.train(snakemake.input.bitext, scratch, device=device)
    scratch.rename(output)
