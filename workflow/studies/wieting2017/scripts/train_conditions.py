"""Train an encoder on every condition of a text, and score it."""

from pathlib import Path

import pandas as pd

from _adapter import add_kinds, logged
from tandem.files.io import sha256, write_json
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.task import TASKS, write_items
from tandem.training.run import Run
from wieting2017.methods import texts
from wieting2017.methods.runs import Bench, Text, gathered, run_all
from wieting2017.methods.settings import Experiment
from wieting2017.methods.starts import starts

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    inputs, params, names = snakemake.input, snakemake.params, snakemake.wildcards
    experiment, segmenter = Experiment(**params.experiment), Segmenter.load(inputs.words)
    run = Run.parse(params.run, seed=0)
    scores = pd.read_csv(inputs.scores, sep="\t")
    checkpoint = Path(params.checkpoint)
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    folders = map(Path, (inputs.words, inputs.sts))
    files = [Path(inputs.text) / "candidates.tsv", Path(inputs.scores)]
    files += [file for folder in folders for file in sorted(folder.iterdir())]
    parts = [*map(sha256, files), run.description(), params.code]
    bench = Bench(
        text=Text.of(texts.read(inputs.text), scores, segmenter),
        run=run,
        segmenter=segmenter,
        starts=starts(experiment, names.compared, segmenter, run.encoder, params.seeds,
                      inputs.start, inputs.shares),
        tasks={key: (TASKS.parse(task), {"sts": Path(inputs.sts)})
               for key, task in params.tasks.items()},
        log=checkpoint,
        salt=" ".join(map(str, parts)),
    )  # fmt: skip
    results = run_all(bench, experiment, names.text, names.compared, params.seeds)
    write_items(snakemake.output.scored_items, gathered(results))
    described = {"text": names.text, "encoder": names.compared, "experiment": params.experiment}
    write_json(snakemake.output.scores, {**described, **results})
    log.info("%s", {key: len(value) for key, value in results.items()})
