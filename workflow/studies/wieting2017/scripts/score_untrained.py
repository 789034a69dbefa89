"""Score the encoders that training starts from: the floor of every training text."""

from pathlib import Path

from _adapter import add_kinds, logged
from tandem.files.io import write_json
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.task import TASKS, write_items
from tandem.training.run import Run
from wieting2017.methods.runs import untrained
from wieting2017.methods.settings import UNTRAINED, Experiment
from wieting2017.methods.starts import starts

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    inputs, params, compared = snakemake.input, snakemake.params, snakemake.wildcards.compared
    experiment, segmenter = Experiment(**params.experiment), Segmenter.load(inputs.words)
    kind = Run.parse(params.training, seed=0).encoder
    tasks = {key: (TASKS.parse(task), {"sts": Path(inputs.sts)})
             for key, task in params.tasks.items()}  # fmt: skip
    encoders = starts(experiment, compared, segmenter, kind, params.seeds, inputs.start,
                      inputs.shares)  # fmt: skip
    results, items = untrained(encoders, tasks)
    write_items(snakemake.output.scored_items, items)
    described = {"text": UNTRAINED, "encoder": compared, "experiment": params.experiment}
    write_json(snakemake.output.scores, {**described, "chosen": results})
    log.info("%s", [result["development"] for result in results])
