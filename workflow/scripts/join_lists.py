"""Join the lists of a group's sentences, and leave out neighbours that filters refuse."""

import numpy as np

from _adapter import job_device, logged
from tandem.mining.filtered import refuse, refusing
from tandem.mining.lists import Group, join, save, without
from tandem.mining.sentences import Sentences
from tandem.search.margins import mean_cosines
from tandem.search.neighbours import Lists

with logged(snakemake.log[0]) as log:
    params, half = snakemake.params, snakemake.wildcards.half
    rows = Group([], snakemake.input.numbers).rows
    lists = None
    for path in snakemake.input.lists:
        with np.load(path) as arrays:
            part = Lists(arrays[f"{half}_indices"], arrays[f"{half}_scores"])
        lists = join([lists, part] if lists else [part], params.width)
    if params.filters:
        sides = [Sentences(folder) for folder in snakemake.input.sides]
        device = job_device(snakemake.config)
        refuses = refusing(params.filters, params.languages, sides, half == "second", device)
        refused = refuse(rows, lists, refuses)
        log.info("%d neighbours are refused", refused.sum())
        lists = without(lists, refused, params.k)
    save(snakemake.output.lists, rows=rows, **lists._asdict())
    save(snakemake.output.means, rows=rows, means=mean_cosines(lists))
