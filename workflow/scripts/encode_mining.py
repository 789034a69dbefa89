"""Encode both sides of both parts of a mining task with every seed of an experiment."""

from pathlib import Path

import numpy as np

from _adapter import logged
from tandem import encoders
from tandem.io import atomic_path
from tandem.tasks.mining_files import read_part

with logged(snakemake.log[0]) as log:
    language = snakemake.params.language
    models = [encoders.load(folder) for folder in snakemake.input.models]
    for path in map(Path, snakemake.output.vectors):  # .../seed<k>/<part>.<side>.npy
        part, side, _ = path.name.split(".")
        names = [Path(folder).name for folder in snakemake.input.models]
        task = read_part(snakemake.input.task, part, language)
        rows, spoken = (task.source, language) if side == "source" else (task.target, "en")
        vectors = models[names.index(path.parent.name)].encode(rows.values(), spoken)
        with atomic_path(path) as temporary, open(temporary, "wb") as stream:
            np.save(stream, vectors)
        log.info("%s: %d sentences", path, len(vectors))
