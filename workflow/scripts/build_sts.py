"""Regroup the STS archives at hand into tasks."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.sts_archives import build_sts

with logged(snakemake.log[0]) as log:
    files = {key: Path(file) for key, file in snakemake.params.files.items()}
    archives = {key: file if file.exists() else None for key, file in files.items()}
    index = build_sts(snakemake.output.folder, **archives)
    for task in index["missing"]:
        log.warning("missing: %s", task)
