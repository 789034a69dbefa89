"""Regroup the STS archives at hand into tasks."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.sts_archives import build_sts

with logged(snakemake.log[0]) as log:
    archives = {}
    for key, file in snakemake.params.files.items():
        path = Path(snakemake.input[key]) / file
        archives[key] = path if path.exists() else None
    index = build_sts(snakemake.output.folder, snakemake.input.benchmark, **archives)
    for task in index["missing"]:
        log.warning("missing: %s", task)
