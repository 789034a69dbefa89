"""Read and clean the languages that one corpus holds."""

from _adapter import logged
from tandem.corpora.clean import Cleaning
from tandem.corpora.readers import read_bitexts
from tandem.corpora.register import Dataset
from wieting2019.languages.panel import gather

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    dataset = Dataset(**params.dataset)
    path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
    sources = read_bitexts(dataset, path, "en", params.languages)
    cleaning = Cleaning(**params.cleaning)
    counts = gather(sources, cleaning, params.limit, params.seed, snakemake.output.folder)
    log.info("%s", counts)
