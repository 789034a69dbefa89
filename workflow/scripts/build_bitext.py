"""Build a bitext folder from fetched corpora."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.bitext import build_bitext
from tandem.corpora.clean import Cleaning
from tandem.corpora.readers import read_bitext
from tandem.corpora.register import Dataset
from tandem.corpora.text import key
from tandem.io import read_lines

with logged(snakemake.log[0]) as log:
    bitext = dict(snakemake.params.bitext)
    left, right = bitext["languages"]
    sources = {}
    for dataset in (Dataset(**entry) for entry in snakemake.params.datasets):
        path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
        sources[dataset.name] = read_bitext(dataset, path, left, right)
    tasks = map(Path, snakemake.input.held_out)
    held_out = {key(text) for task in tasks for text in read_lines(task / "held-out.txt")}
    numbers = {name: bitext[name] for name in ("valid", "test", "seed", "max_pairs")}
    numbers |= {"folder": snakemake.output.folder, "held_out": held_out}
    counts = build_bitext(sources, (left, right), Cleaning(**bitext["cleaning"]), **numbers)
    log.info("%s", counts)
