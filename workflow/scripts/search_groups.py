"""Search a group of shards of one side and one of the other in each other."""

from _adapter import job_device, logged
from tandem.mining.lists import Group, save, search_groups
from tandem.mining.sorting import scratch_folder
from tandem.search.neighbours import IndexKind

with logged(snakemake.log[0]) as log:
    import faiss

    faiss.omp_set_num_threads(snakemake.threads)
    params, inputs = snakemake.params, snakemake.input
    groups = (Group(inputs[f"{half}_vectors"], inputs[f"{half}_numbers"]) for half in params.halves)
    with scratch_folder(snakemake.output.lists) as scratch:
        near = search_groups(
            *groups, params.width, IndexKind(params.index), 9 * 10**5 * snakemake.resources.mem_mb,
            job_device(snakemake.config), scratch,
        )  # fmt: skip
    arrays = {f"{half}_{name}": part for half, lists in zip(params.halves, near, strict=True)
              for name, part in lists._asdict().items()}  # fmt: skip
    save(snakemake.output.lists, **arrays)
    log.info("%d and %d sentences", *(len(lists.indices) for lists in near))
