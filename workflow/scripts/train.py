"""Train an encoder in a setting with a seed, or take it untrained."""

from _adapter import add_kinds, checkpoint, job_device, logged
from tandem.encoders.model import SentenceEncoder
from tandem.files.io import remove
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks import selection
from tandem.training import run
from tandem.training.pairs import load_texts
from tandem.training.run import Run

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, inputs, output = snakemake.params, snakemake.input, snakemake.output
    place = checkpoint(snakemake.wildcards.root, output.model, params.code)
    described = Run.parse(params.run, int(snakemake.wildcards.seed))
    segmenter = Segmenter.load(f"{inputs.segmented}/segmenter")
    select = None
    if inputs.selection:
        select = selection.by_similarity(segmenter, inputs.selection[0])
    elif params.selection == "retrieval":
        select = selection.by_retrieval(inputs.segmented, params.sides)
    if params.run["trained"]:
        texts = load_texts(inputs.segmented, params.sides, params.pools)
        start = SentenceEncoder.load(inputs.start[0]) if inputs.start else None
        device = job_device(snakemake.config)
        trained = run.train_encoder(described, segmenter, texts, select, place, device, start=start)
    else:
        trained = run.untrained_encoder(described.encoder, segmenter, described.seed, select)
    scores = {"similarity": "pearson_x100", "retrieval": "p_at_1_x100", "last": ""}
    origin = {"experiment": snakemake.wildcards.experiment}
    run.save_trained(output.model, *trained, origin, scores[params.selection])
    remove(place)
