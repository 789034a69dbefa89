"""Score the seeds of an experiment on the English STS tasks."""

from _adapter import logged
from tandem import encoders
from tandem.io import write_json
from tandem.tasks.pair_scores import write_pairs
from tandem.tasks.sts import read_index, score_sts, tasks_of

with logged(snakemake.log[0]) as log:
    params, folder, output = snakemake.params, snakemake.input.sts, snakemake.output
    tasks = tasks_of(read_index(folder), params.years)
    runs = zip(params.seeds, snakemake.input.models, output.scores, output.pairs, strict=True)
    for seed, model, scores_path, pairs_path in runs:
        encoder = encoders.load(model)
        scores, pairs = score_sts(encoder, folder, tasks, **params.bootstrap)
        log.info("seed %d: mean of years %.2f", seed, scores["mean_of_years"])
        origin = {"experiment": snakemake.wildcards.experiment, "seed": seed, "code": params.code}
        write_pairs(pairs_path, pairs)
        write_json(scores_path, scores | origin)
