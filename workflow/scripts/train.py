"""Train an encoder in a setting with a seed, or take it untrained, or as a part of a model."""

from pathlib import Path

from _adapter import add_kinds, checkpoint, job_device, logged
from tandem.encoders.model import SentenceEncoder
from tandem.files.atomic import remove
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks import selection
from tandem.training import run
from tandem.training.pairs import load_pairs, load_texts
from tandem.training.run import Run

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, inputs, output = snakemake.params, snakemake.input, snakemake.output
    place = checkpoint(snakemake.wildcards.root, output.model, params.code)
    described = Run.parse(params.run, int(snakemake.wildcards.seed))
    segmenter = Segmenter.load(f"{inputs.segmented}/segmenter")
    select = None
    if params.selection == "similarity":
        select = selection.by_similarity(segmenter, inputs.selection[0])
    elif params.selection == "labels":
        select = selection.by_labels(inputs.segmented)
    elif inputs.selection:
        select = selection.by_collection(segmenter, inputs.selection[0], params.languages)
    elif params.selection == "retrieval":
        select = selection.by_retrieval(inputs.segmented, params.sides)
    held_out = None
    if params.selection == "loss":
        held_out = load_pairs(inputs.segmented, "valid", params.sides)
    if params.part:
        trained = SentenceEncoder.load(Path(inputs.start[0]) / params.part), []
    elif params.run["trained"]:
        texts = load_texts(inputs.segmented, params.sides, params.pools)
        start = SentenceEncoder.load(inputs.start[0]) if inputs.start else None
        device = job_device(snakemake.config)
        trained = run.train_encoder(
            described, segmenter, texts, select, place, device, start=start, held_out=held_out
        )
    else:
        trained = run.untrained_encoder(described.encoder, segmenter, described.seed, select)
    scores = {
        "similarity": "pearson_x100",
        "retrieval": "p_at_1_x100",
        "labels": "accuracy_x100",
        "loss": "minus_loss_nats",  # the higher the better, as all of them
        "last": "",
    }
    origin = {"experiment": snakemake.wildcards.experiment}
    run.save_trained(output.model, *trained, origin, scores[params.selection])
    remove(place)
