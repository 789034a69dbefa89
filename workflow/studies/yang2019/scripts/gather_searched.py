"""Gather the sentences, with their documents, that are searched for translations."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.register import Dataset
from tandem.files.io import write_lines
from yang2019.methods import texts

with logged(snakemake.log[0]) as log:
    dataset, language = Dataset(**snakemake.params.dataset), snakemake.wildcards.language
    path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
    kept = None
    if snakemake.input.within:
        kept = {*texts.split_pairs(Path(snakemake.input.within[0]), "test", language)}
    _, placed = next(iter(dataset.sections(path, "en", [language])))
    written = write_lines(snakemake.output.text, texts.lines(placed, kept))
    log.info("%d pairs of %s", written, dataset.name)
