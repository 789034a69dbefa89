"""Search one shard of the source sentences of both parts of a mining task."""

from _adapter import logged
from tandem.search.shards import search_shard

with logged(snakemake.log[0]) as log:
    params, vectors = snakemake.params, snakemake.input.vectors
    shard = int(snakemake.wildcards.shard)
    memory = snakemake.resources.mem_mb << 20
    sides = zip(vectors[::2], vectors[1::2], snakemake.output.lists, strict=True)
    for source, target, path in sides:
        search_shard(
            source, target, params.neighbours, shard, params.shards, path, memory_bytes=memory
        )
        log.info("%s", path)
