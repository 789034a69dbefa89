"""Take a published mining task, or hide one in the text that is searched."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.mining_task import PARTS, take_published
from tandem.corpora.register import Dataset
from yang2019.methods.comparable import Comparable, hide

with logged(snakemake.log[0]) as log:
    params, inputs, output = snakemake.params, snakemake.input, snakemake.output
    task, language = Comparable(**params.task), snakemake.wildcards.language
    if task.published:
        datasets = [Dataset(**entry) for entry in params.datasets]
        pairs = zip(datasets, map(Path, inputs.files), strict=True)
        counts = take_published(dict(zip(PARTS, pairs, strict=True)), language, output.folder)
    else:
        counts = hide(Path(inputs.searched[0]), language, task, output.folder)
    log.info("%s", counts)
