"""Choose the pairs of a mining run from what the sentences of both sides propose."""

import math

import numpy as np

from _adapter import logged
from tandem.files.io import read_json, write_json
from tandem.mining.choice import choose, read_proposals
from tandem.mining.pairs import check_searched, counted, write_pairs
from tandem.mining.sentences import Sentences
from tandem.mining.sorting import scratch_folder
from tandem.search.margins import Retrieval, Score

with logged(snakemake.log[0]) as log:
    params, inputs = snakemake.params, snakemake.input
    sides = Sentences(inputs.first), Sentences(inputs.second)
    numbers = inputs.first_numbers, inputs.second_numbers
    searched = [sum(len(np.load(path, mmap_mode="r")) for path in paths) for paths in numbers]
    check_searched(zip(sides, params.languages, searched, strict=True), Score(params.score))
    retrieval = Retrieval(params.retrieval)
    proposals = [read_proposals(paths) for paths in (inputs.forward, inputs.backward)]
    least = read_json(inputs.threshold)["at_least"]
    lowest = -math.inf if least is None else least
    # a quarter of it for each of two sorts: the rest is for Python and for a group's proposals
    memory = 10**6 * snakemake.resources.mem_mb // 4
    sizes, path = [len(side) for side in sides], snakemake.output.pairs
    with scratch_folder(path) as folder:
        pairs = choose(proposals, sizes, retrieval, folder, memory)
        counts = write_pairs(path, pairs, lowest, sides, retrieval, folder, memory)
    counts["at_least"] = least
    for name, side, count in zip(("first", "second"), sides, searched, strict=True):
        counts[name] = counted(side, count)
    write_json(snakemake.output.counts, counts)
    log.info("%s", counts)
