"""Find the documents that are neighbours."""

import numpy as np

from _adapter import job_device, logged
from tandem.files.atomic import atomic_path
from tandem.mining.documents import pair_documents
from tandem.search.neighbours import IndexKind

with logged(snakemake.log[0]) as log:
    import faiss

    faiss.omp_set_num_threads(snakemake.threads)
    params = snakemake.params
    pairs = pair_documents(
        *snakemake.input, params.documents, IndexKind(params.index),
        9 * 10**5 * snakemake.resources.mem_mb, job_device(snakemake.config),
    )  # fmt: skip
    with atomic_path(snakemake.output.pairs) as place, open(place, "wb") as out:
        np.save(out, pairs)
    log.info("%d pairs of documents", len(pairs))
