"""Train an encoder in a setting with a seed, or take it untrained."""

from pathlib import Path

from _adapter import logged
from tandem.encoders.composition import EncoderConfig
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks import selection
from tandem.training import run
from tandem.training.loop import TrainingConfig

with logged(snakemake.log[0]) as log:
    params, seed = snakemake.params, int(snakemake.wildcards.seed)
    segmenter = Segmenter.load(snakemake.input.segmenter)
    encoder = segmenter, EncoderConfig(**params.architecture)
    if snakemake.input.selection:
        select = selection.by_similarity(segmenter, snakemake.input.selection)
    else:
        select = selection.by_retrieval(params.segmented, params.sides)
    if params.pairs:
        pairs = run.load_pairs(params.segmented, "train", params.sides, params.pairs)
        config = TrainingConfig(**params.training, seed=seed)
        trained = run.train_encoder(*encoder, config, pairs, select, Path(params.checkpoint))
    else:
        trained = run.untrained_encoder(*encoder, seed, select)
    run.save_trained(snakemake.output.model, *trained, params.provenance, params.score)
