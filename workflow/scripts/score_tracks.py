"""Score the seeds of an experiment on the tracks of STS 2017 that its languages cover."""

from _adapter import logged
from tandem import encoders
from tandem.io import write_json
from tandem.tasks.pair_scores import write_pairs
from tandem.tasks.sts import covered, read_index, score_sts

with logged(snakemake.log[0]) as log:
    params, folder, output = snakemake.params, snakemake.input.sts, snakemake.output
    index = read_index(folder)
    for task in index.missing:
        log.warning("%s.%s is missing: %s", task["year"], task["task"], task["why"])
    runs = zip(params.seeds, snakemake.input.models, output.scores, output.pairs, strict=True)
    for seed, model, scores_path, pairs_path in runs:
        encoder = encoders.load(model)
        tasks = covered(index, params.tasks, encoder.languages)
        scores, pairs = score_sts(encoder, folder, tasks, **params.bootstrap)
        log.info("seed %d: %s", seed, scores["tasks"])
        origin = {"experiment": snakemake.wildcards.experiment, "seed": seed, "code": params.code}
        write_pairs(pairs_path, pairs)
        write_json(scores_path, scores | origin)
