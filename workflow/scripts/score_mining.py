"""Score the mined pairs of every seed of an experiment."""

from itertools import product

from _adapter import logged
from tandem.io import write_json
from tandem.search.margins import Retrieval, Score
from tandem.search.shards import merge
from tandem.tasks.mining import gold_rows
from tandem.tasks.mining_counts import write_counts
from tandem.tasks.mining_files import PARTS, read_part
from tandem.tasks.mining_scores import Method, score_mining

with logged(snakemake.log[0]) as log:
    params, output, step = snakemake.params, snakemake.output, snakemake.params.shards
    ways = [Method(Score(s), Retrieval(r)) for s, r in product(params.scores, params.retrievals)]
    tasks = [read_part(snakemake.input.task, part, params.language) for part in PARTS]
    lists = iter(snakemake.input.lists)  # the shards of each part of each seed
    about = {name: params[name] for name in ("mining", "neighbours", "code")}
    about["experiment"] = snakemake.wildcards.experiment
    about["sentences"] = [len(side) for task in tasks for side in (task.source, task.target)]
    for number, seed in enumerate(params.seeds):
        found = [merge([next(lists) for _ in range(step)]) for _ in PARTS]
        parts = [(near, gold_rows(task)) for near, task in zip(found, tasks, strict=True)]
        scores, counts = score_mining(*parts, ways, **params.bootstrap)
        write_counts(output.counts[number], counts)
        write_json(output.scores[number], scores | about | {"seed": seed})
        log.info("seed %d: %s", seed, scores["methods"])
