"""Fetch a registered corpus into its folder."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.fetch import fetch
from tandem.corpora.register import Dataset

with logged(snakemake.log[0]) as log:
    dataset = Dataset(**snakemake.params.dataset)
    # not in params: where verified bytes come from does not change them
    mirror = snakemake.config["mirror"]
    log.info("fetching %s", dataset.source)
    fetch(dataset, Path(snakemake.output.file).parent, mirror)
