"""Score an encoder on the English STS tasks."""

from _adapter import logged

from tandem import encoders
from tandem.evaluation.pairs import write_pairs
from tandem.evaluation.sts import read_index, score_sts, tasks_of
from tandem.io import write_json

with logged(snakemake.log[0]) as log:
    params, folder = snakemake.params, snakemake.input.sts
    encoder = encoders.load(snakemake.input.model)
    tasks = tasks_of(read_index(folder), params.years)
    scores, pairs = score_sts(encoder, folder, tasks, **params.bootstrap)
    scores |= {
        "experiment": snakemake.wildcards.experiment,
        "seed": int(snakemake.wildcards.seed),
        "code": params.code,
    }
    log.info("mean of years %.2f", scores["mean_of_years"])
    write_pairs(snakemake.output.pairs, pairs)
    write_json(snakemake.output.scores, scores)
