"""Read and clean the languages that one corpus holds."""

from tandem.languages.panel import gather

from _adapter import logged
from tandem.corpora.register import Dataset
from tandem.filtering import parse_filters

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    dataset = Dataset(**params.dataset)
    path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
    sources = dataset.many(path, "en", params.languages)
    cleaning = parse_filters(params.cleaning)
    counts = gather(sources, cleaning, params.limit, params.seed, snakemake.output.folder)
    log.info("%s", counts)
