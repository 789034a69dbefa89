"""Train an encoder in a setting with a seed, or take it untrained."""

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
    encoder = Segmenter.load(snakemake.input.segmenter), EncoderConfig(**params.architecture)
    task = read_task(Path(snakemake.input.sts) / f"{params.selection}.tsv")
    first, second = run.segmented_task(encoder[0], zip(task.first, task.second, strict=True))
    select = partial(select_score, first=first, second=second, gold=task.gold)
    if params.pairs:
        folder = Path(snakemake.input.ids[0]).parent
        pairs = run.load_pairs(folder, "train", params.sides, params.pairs)
        config = TrainingConfig(**params.training, seed=seed)
        trained = run.train_encoder(*encoder, config, pairs, select, Path(params.checkpoint))
    else:
        trained = run.untrained_encoder(*encoder, seed, select)
    run.save_trained(snakemake.output.model, *trained, params.provenance)
    log.info("%s", trained[1])
