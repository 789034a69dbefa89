"""Gather the held-out pairs of a bitext."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.downloads import fetched
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Bitext
from wieting2020.methods import held_out

with logged(snakemake.log[0]) as log:
    bitext, sources = Bitext(**snakemake.params.bitext), {}
    for dataset, path in fetched(Dataset(**entry) for entry in snakemake.params.datasets):
        sources[dataset.name] = dataset.placed(path, *bitext.languages)
    corpus, output = Path(snakemake.input.corpus), snakemake.output.pairs
    log.info("%d pairs", held_out.gather(sources, bitext, corpus, output))
