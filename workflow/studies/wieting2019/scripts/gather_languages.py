"""Read and clean the languages that one corpus holds."""

from _adapter import add_kinds, logged
from tandem.corpora.register import Dataset
from tandem.filtering.filter import parse_filters
from wieting2019.methods.panel import gather

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params = snakemake.params
    dataset = Dataset(**params.dataset)
    path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
    sources = dataset.many(path, "en", params.languages)
    cleaning = parse_filters(params.cleaning)
    counts = gather(sources, cleaning, params.limit, params.seed, snakemake.output.folder)
    log.info("%s", counts)
