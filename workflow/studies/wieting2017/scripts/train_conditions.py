"""Train an encoder on every condition of a text, and score it."""

from pathlib import Path

import pandas as pd

from _adapter import add_kinds, logged
from tandem.files.io import sha256, write_json
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.task import TASKS
from tandem.training.run import Run
from wieting2017.methods import texts
from wieting2017.methods.runs import Bench, Text, run_all
from wieting2017.methods.settings import Experiment
from wieting2017.methods.word_vectors import start_vectors, started

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    inputs, params, names = snakemake.input, snakemake.params, snakemake.wildcards
    experiment, segmenter = Experiment(**params.experiment), Segmenter.load(inputs.words)
    run = Run.parse(params.run, seed=0)
    scores = pd.read_csv(inputs.scores, sep="\t")
    starts = {}
    if inputs.start:
        source = experiment.start or str(experiment.baseline)
        words = segmenter.units("en")
        vectors = start_vectors(Path(inputs.start[0]), words, run.encoder.dimension)
        log.info("%d of %d words have vectors in %s", len(vectors), len(words), source)
        starts = {seed: started(segmenter, run.encoder, seed, vectors, source)
                  for seed in params.seeds}  # fmt: skip
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
        starts=starts,
        tasks={key: (TASKS.parse(task), {"sts": Path(inputs.sts)})
               for key, task in params.tasks.items()},
        log=checkpoint,
        salt=" ".join(map(str, parts)),
    )  # fmt: skip
    results = run_all(bench, experiment, names.text, names.compared, params.seeds)
    described = {"text": names.text, "encoder": names.compared, "experiment": params.experiment}
    write_json(snakemake.output.scores, {**described, **results})
    log.info("%s", {key: len(value) for key, value in results.items()})
