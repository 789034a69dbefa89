"""Search the sentences of documents in those of their neighbours."""

import numpy as np

from _adapter import logged
from tandem.mining.documents import Documents, Vectors, search_pairs, slice_of
from tandem.mining.lists import Group, save
from tandem.mining.sentences import Sentences

with logged(snakemake.log[0]) as log:
    params, inputs = snakemake.params, snakemake.input
    pairs = slice_of(np.load(inputs.pairs), int(snakemake.wildcards.part), params.slices)
    vectors = [
        Vectors(Sentences(side), Group(inputs[f"{half}_vectors"], inputs[f"{half}_numbers"]))
        for half, side in zip(params.halves, inputs.sides, strict=True)
    ]
    near = search_pairs(pairs, [Documents(path) for path in inputs.members], vectors, params.width)
    arrays = {}
    for half, (numbers, lists) in zip(params.halves, near, strict=True):
        arrays |= {f"{half}_numbers": numbers}
        arrays |= {f"{half}_{name}": part for name, part in lists._asdict().items()}
    save(snakemake.output.lists, **arrays)
    log.info("%d pairs of documents", len(pairs))
