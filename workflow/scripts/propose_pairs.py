"""Propose the best neighbour of each sentence of a group."""

import numpy as np

from _adapter import logged
from tandem.mining.lists import save
from tandem.mining.proposals import propose
from tandem.mining.sentences import Sentences
from tandem.search.margins import Score
from tandem.search.neighbours import Lists

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    means = np.zeros(len(Sentences(snakemake.input.other)))
    for path in snakemake.input.means:
        with np.load(path) as part:
            means[part["rows"]] = part["means"]
    with np.load(snakemake.input.lists) as arrays:
        rows, lists = arrays["rows"], Lists(arrays["indices"], arrays["scores"])
    pairs = propose(lists, means, Score(params.score))
    save(snakemake.output.proposals, source=rows[pairs.source], target=pairs.target,
         score=pairs.score)  # fmt: skip
    log.info("%d sentences, %d proposals", len(rows), len(pairs))
