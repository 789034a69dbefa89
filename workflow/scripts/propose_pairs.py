"""Propose the best neighbour of each sentence of a group."""

import numpy as np

from _adapter import logged
from tandem.mining.lists import save
from tandem.mining.proposals import of_few, propose, read_means
from tandem.search.margins import Score
from tandem.search.neighbours import Lists

with logged(snakemake.log[0]) as log:
    with np.load(snakemake.input.lists) as arrays:
        rows, lists = arrays["rows"], Lists(arrays["indices"], arrays["scores"])
    numbers, lists = of_few(lists)
    means = read_means(snakemake.input.means, numbers)
    pairs = propose(lists, means, Score(snakemake.params.score))
    save(snakemake.output.proposals, source=rows[pairs.source], target=numbers[pairs.target],
         score=pairs.score)  # fmt: skip
    log.info("%d sentences, %d proposals", len(rows), len(pairs))
