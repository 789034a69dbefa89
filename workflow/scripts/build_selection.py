"""Take the STS task that chooses epochs out of the STS Benchmark."""

from _adapter import logged
from tandem.corpora.sts_archives import build_task

with logged(snakemake.log[0]) as log:
    input, task = snakemake.input, snakemake.params.task
    pairs = build_task(snakemake.output.task, input.benchmark, task)
    log.info("%s: %d pairs", task, pairs)
