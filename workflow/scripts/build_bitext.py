"""Build a bitext folder from fetched corpora."""

from _adapter import logged
from tandem.corpora.bitext import build_bitext
from tandem.corpora.clean import Cleaning
from tandem.corpora.readers import read_bitext
from tandem.corpora.register import Dataset

with logged(snakemake.log[0]) as log:
    bitext = dict(snakemake.params.bitext)
    languages = bitext["languages"]
    sources = {}
    for entry in snakemake.params.datasets:
        dataset = Dataset(**entry)
        path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
        sources[dataset.name] = read_bitext(dataset, path, *languages)
    counts = build_bitext(
        sources,
        tuple(languages),
        Cleaning(**bitext["cleaning"]),
        **{name: bitext[name] for name in ("valid", "test", "seed", "max_pairs")},
        folder=snakemake.output.folder,
    )
    log.info("%s", counts)
