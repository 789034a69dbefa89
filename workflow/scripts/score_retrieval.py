"""Search the test split of an experiment's corpus for translations with every seed."""

from _adapter import logged
from tandem import encoders
from tandem.io import write_json
from tandem.tasks.hits import write_hits
from tandem.tasks.retrieval_scores import score_retrieval

with logged(snakemake.log[0]) as log:
    params, output = snakemake.params, snakemake.output
    runs = zip(params.seeds, snakemake.input.models, output.scores, output.hits, strict=True)
    for seed, model, scores_path, hits_path in runs:
        encoder = encoders.load(model)
        scores, hits = score_retrieval(
            encoder, snakemake.input.corpus, params.sides, **params.bootstrap
        )
        log.info("seed %d: %s", seed, scores["directions"])
        origin = {"experiment": snakemake.wildcards.experiment, "seed": seed, "code": params.code}
        write_hits(hits_path, hits)
        write_json(scores_path, scores | origin)
