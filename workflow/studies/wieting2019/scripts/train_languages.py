"""Train and score the encoders of a batch of a panel's languages."""

from _adapter import add_kinds, logged
from tandem.files.io import write_json
from tandem.tasks.task import TASKS
from tandem.training.run import Run
from wieting2019.methods.panel import panel_languages
from wieting2019.methods.runs import load_english, train_languages

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    inputs, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
    task, runs = TASKS.parse(params.task), [Run.parse(params.run, seed) for seed in params.seeds]
    english = load_english(inputs.text, inputs.english, inputs.sts, task, params.unit)
    codes = panel_languages(inputs.text)[int(wildcards.batch) :: params.batches]
    scores = train_languages(english, inputs.text, codes, runs, params.markers)
    write_json(snakemake.output.scores, {"panel": wildcards.panel, "languages": scores})
    log.info("%d languages", len(codes))
