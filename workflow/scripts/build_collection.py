"""Build a collection of parallel text in many languages from fetched corpora."""

from functools import partial
from pathlib import Path

from _adapter import logged
from tandem.corpora.collection import build_collection, languages_of
from tandem.corpora.downloads import fetched
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Collection
from tandem.tasks.sts_data import sentences

with logged(snakemake.log[0]) as log:
    collection, sources = Collection(**snakemake.params.collection), {}
    for dataset, path in fetched(Dataset(**entry) for entry in snakemake.params.datasets):
        languages = languages_of(dataset, collection)
        sources[dataset.name] = partial(dataset.sections, path, collection.pivot, languages)
    unseen = (text for folder in snakemake.input.sts for text in sentences(Path(folder)))
    folder, jobs = snakemake.output.folder, snakemake.threads
    record = build_collection(sources, collection, folder, unseen, jobs)
    log.info("%s", record["cleaning"])
