"""Train one encoder, or draw an untrained one."""

from functools import partial
from pathlib import Path

from _adapter import logged

from tandem.encoders.composition import EncoderConfig
from tandem.evaluation.sts import read_task, select_score
from tandem.segment import Segmenter
from tandem.training import run
from tandem.training.loop import TrainingConfig

with logged(snakemake.log[0]) as log:
    params, seed = snakemake.params, int(snakemake.wildcards.seed)
    segmenter = Segmenter.load(snakemake.input.segmenter)
    architecture = EncoderConfig(*(params.encoder.get(k) for k in ("kind", "dimension", "hidden")))
    task = read_task(Path(snakemake.input.sts) / f"{params.selection}.tsv")
    sides = run.segmented_task(segmenter, zip(task.first, task.second, strict=True))
    select = partial(select_score, first=sides[0], second=sides[1], gold=task.gold)
    if pairs := params.setting["pairs"]:
        data = run.load_pairs(Path(snakemake.input.segmenter).parent, "train", params.sides, pairs)
        config = TrainingConfig(**params.training, seed=seed)
        encoder, history = run.train_encoder(
            segmenter, architecture, config, data, select, Path(params.checkpoint)
        )
    else:
        encoder, history = run.untrained_encoder(segmenter, architecture, seed, select)
    settings = {"encoder": params.encoder, "setting": params.setting, "code": params.code}
    run.save_trained(snakemake.output.model, encoder, history, settings)
    log.info("best epoch %d", encoder.metadata["epoch"])
