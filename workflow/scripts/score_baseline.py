"""Score an encoder that others made on the tracks of STS 2017 and in retrieval."""

from _adapter import logged
from tandem.encoders.baselines import load_baseline
from tandem.io import write_json
from tandem.tasks.hits import write_hits
from tandem.tasks.pair_scores import write_pairs
from tandem.tasks.retrieval_scores import score_retrieval
from tandem.tasks.sts import covered, read_index, score_sts

with logged(snakemake.log[0]) as log:
    params, given, output = snakemake.params, snakemake.input, snakemake.output
    encoder = load_baseline(params.model)
    origin = {"experiment": f"baseline.{snakemake.wildcards.baseline}", "code": params.code}
    tasks = covered(read_index(given.sts), params.tasks)
    scores, pairs = score_sts(encoder, given.sts, tasks, **params.bootstrap)
    write_pairs(output.pairs, pairs)
    write_json(output.scores, scores | origin)
    for corpus, sides, scores_path, hits_path in zip(
        given.corpora, params.sides, output.retrieval, output.hits, strict=True
    ):
        scores, hits = score_retrieval(encoder, corpus, sides, **params.bootstrap)
        log.info("%s", scores["directions"])
        write_hits(hits_path, hits)
        write_json(scores_path, scores | origin)
