"""Train an encoder in a setting with a seed, or take it untrained."""

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
    architecture = EncoderConfig(**params.architecture)
    task = read_task(Path(snakemake.input.sts) / f"{params.selection}.tsv")
    sides = run.segmented_task(segmenter, zip(task.first, task.second, strict=True))

    def select(embed: run.Embed) -> float:
        """Score an encoder on the selection task."""
        return select_score(embed, *sides, task.gold)

    if params.pairs:
        folder = Path(snakemake.input.ids[0]).parent
        pairs = run.load_pairs(folder, "train", params.sides, params.pairs)
        config = TrainingConfig(**params.training, seed=seed)
        checkpoint = Path(params.checkpoint)
        trained = run.train_encoder(segmenter, architecture, config, pairs, select, checkpoint)
    else:
        trained = run.untrained_encoder(segmenter, architecture, seed, select)
    run.save_trained(snakemake.output.model, *trained, params.provenance)
    log.info("%s", trained[1])
