"""Train an encoder in a setting with a seed, or take it untrained, or as a part of a model."""

from pathlib import Path

from _adapter import add_kinds, checkpoint, job_device, logged
from tandem.encoders.model import SentenceEncoder
from tandem.files.atomic import remove
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.selection import SCORES, described_choice, epoch_choice
from tandem.training import run
from tandem.training.pairs import load_texts
from tandem.training.run import Run

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, inputs, output = snakemake.params, snakemake.input, snakemake.output
    place = checkpoint(snakemake.wildcards.root, output.model, params.code)
    described = Run.parse(params.run, int(snakemake.wildcards.seed))
    segmenter = Segmenter.load(f"{inputs.segmented}/segmenter")
    asked = {"task": next(iter(inputs.selection), None), "languages": params.languages}
    select, held_out = epoch_choice(
        params.selection, segmenter, inputs.segmented, params.sides, **asked
    )
    if params.part:
        trained = SentenceEncoder.load(Path(inputs.start[0]) / params.part), []
    elif params.run["trained"]:
        texts = load_texts(inputs.segmented, params.sides, params.pools)
        start = SentenceEncoder.load(inputs.start[0]) if inputs.start else None
        device = job_device(snakemake.config)
        trained = run.train_encoder(
            described, segmenter, texts, select, place, device, start=start, held_out=held_out,
            chosen_by=described_choice(params.selection, inputs.segmented, **asked),
        )  # fmt: skip
    else:
        start = SentenceEncoder.load(inputs.start[0]) if inputs.start else None
        trained = run.untrained_encoder(
            described.encoder, segmenter, described.seed, select, start
        )
    origin = {"experiment": snakemake.wildcards.experiment}
    run.save_trained(output.model, *trained, origin, SCORES[params.selection])
    remove(place)
