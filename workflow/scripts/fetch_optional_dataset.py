"""Fetch a corpus that the workflow can do without; leave a note where it cannot be reached."""

from _adapter import logged
from tandem.corpora.fetch import fetch_if_reachable
from tandem.corpora.register import Dataset

with logged(snakemake.log[0]) as log:
    dataset, folder = Dataset(**snakemake.params.dataset), snakemake.output.folder
    # not in params, as in fetch_dataset: else another mirror would remove what was verified
    if not fetch_if_reachable(dataset, folder, snakemake.config["mirror"]):
        log.warning("%s is left out: see %s/unreachable.txt", dataset.name, folder)
