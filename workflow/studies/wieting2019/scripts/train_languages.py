"""Train and score a batch of a panel's languages."""

from _adapter import logged
from tandem.io import write_json
from tandem.languages.batch import Study, run_batch

# the workers import this file
if __name__ == "__main__":
    with logged(snakemake.log[0]) as log:
        params, wildcards = snakemake.params, snakemake.wildcards
        languages = run_batch(
            Study(**params.study),
            *(snakemake.input[name] for name in ("text", "segmenter", "sts")),
            batch=slice(*(params.size * (int(wildcards.batch) + n) for n in (0, 1))),
            workers=snakemake.threads,
            scratch=params.scratch,
            code=params.code,
        )
        origin = {"panel": wildcards.panel, "code": params.code}
        write_json(snakemake.output.scores, origin | {"languages": languages})
        log.info("%d languages", len(languages))
