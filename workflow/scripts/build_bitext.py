"""Build a bitext folder from fetched corpora."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.bitext import build_bitext
from tandem.corpora.downloads import fetched
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Bitext
from tandem.files.io import read_lines
from tandem.tasks.sts_data import sentences
from tandem.text.spelling import bare_key, key

with logged(snakemake.log[0]) as log:
    bitext = Bitext(**snakemake.params.bitext)
    sources = {}
    for dataset, path in fetched(Dataset(**entry) for entry in snakemake.params.datasets):
        sources[dataset.name] = dataset.placed(path, *bitext.languages)
    tasks = map(Path, snakemake.input.held_out)
    held_out = {key(text) for task in tasks for text in read_lines(task / "held-out.txt")}
    unseen = {bare_key(text) for sts in snakemake.input.sts for text in sentences(Path(sts))}
    counts = build_bitext(sources, bitext, snakemake.output.folder, held_out, unseen=unseen)
    log.info("%s", counts)
