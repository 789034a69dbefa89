"""Score every seed of an experiment on a task."""

from pathlib import Path

from _adapter import add_kinds, job_device, logged
from tandem.encoders.baselines import load_baseline
from tandem.encoders.model import SentenceEncoder
from tandem.files.atomic import atomic_folder
from tandem.tasks.task import TASKS, write_scores

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, wildcards = snakemake.params, snakemake.wildcards
    task = TASKS.parse(params.task)
    paths = {k: v for k, v in snakemake.input.items() if k not in ("models", "own")}
    inputs = {name: Path(str(path)) for name, path in paths.items()}
    models = [params.pretrained] if params.pretrained else snakemake.input.models
    device = job_device(snakemake.config)
    load = load_baseline if params.pretrained else SentenceEncoder.load
    with atomic_folder(snakemake.output.folder) as folder:
        for seed, model in zip(params.seeds, models, strict=True):
            items = task.score(load(model, device), inputs)
            origin = {"study": params.study, "task": wildcards.task}
            origin |= {"experiment": wildcards.experiment}
            origin |= {"seed": seed, "code": params.code}
            rows = write_scores(folder / f"seed{seed}", task, items, origin)
            log.info("seed %s: %s", seed, rows)
