"""Take a published mining task, or hide one in the sources of a bitext."""

from collections import Counter
from itertools import chain

from _adapter import logged
from tandem.corpora.downloads import fetched
from tandem.corpora.mining_task import PARTS, hide_pairs, take_published
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Bitext, HiddenPairs
from tandem.filtering.clean import filter_pairs

with logged(snakemake.log[0]) as log:
    params, folder = snakemake.params, snakemake.output.folder
    task, bitext = HiddenPairs(**params.task), Bitext(**params.bitext)
    files = fetched(Dataset(**entry) for entry in params.datasets)
    if task.published():
        parts = dict(zip(PARTS, files, strict=True))
        counts = take_published(parts, task.language, folder)
    else:
        pairs = chain.from_iterable(d.pairs(path, *bitext.languages) for d, path in files)
        kept = filter_pairs(pairs, bitext.cleaning, Counter())
        counts = hide_pairs(kept, bitext.languages, task, folder)
    log.info("%s", counts)
