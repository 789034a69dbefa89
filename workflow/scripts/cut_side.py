"""Cut a side into shards of different sentences."""

from pathlib import Path

from _adapter import logged
from tandem.files.atomic import atomic_folder
from tandem.mining.sentences import cut
from tandem.mining.settings import Columns

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    columns = Columns(**params.columns) if params.columns else None
    # half of it: the rest is for Python and for the blocks of the files
    memory = 5 * 10**5 * snakemake.resources.mem_mb
    with atomic_folder(snakemake.output.folder) as folder:
        side = cut(list(snakemake.input.files), columns, Path(folder), params.shard, memory)
    log.info("%d lines, %d sentences", sum(side["lines"]), sum(side["shards"]))
