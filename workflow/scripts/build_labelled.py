"""Build labelled pairs from a fetched corpus."""

from _adapter import logged
from tandem.corpora.labelled import build_labelled
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Labelled

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    dataset, settings = Dataset(**params.dataset), Labelled(**params.labelled)
    path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
    log.info("%s", build_labelled(dataset, path, settings, snakemake.output.folder))
