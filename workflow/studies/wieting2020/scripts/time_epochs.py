"""Time the training of a table's models, in turns, on the text that they are trained on."""

import os

from _adapter import add_kinds, job_device, logged
from tandem.files.io import write_json
from tandem.machine import device_name
from tandem.segmentation.segmenter import Segmenter
from tandem.timing.rates import measure_training, sample
from tandem.training.pairs import load_texts
from tandem.training.run import Run, untrained_encoder

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, device = snakemake.params, job_device(snakemake.config)
    runs, encoders, pairs, whole = {}, {}, {}, {}
    for (name, run), folder in zip(params.runs.items(), snakemake.input.segmented, strict=True):
        runs[name] = Run.parse(run, seed=1)
        texts = load_texts(folder, params.sides[name], "mixed")
        segmenter = Segmenter.load(f"{folder}/segmenter")
        encoders[name] = untrained_encoder(runs[name].encoder, segmenter, 1, None)[0]
        pairs[name] = sample(texts, params.pairs)
        whole[name] = sum(len(text.usable) for text in texts)
    load = os.getloadavg()[0]  # before this job adds to it
    rates = measure_training(encoders, runs, pairs, params.turns, device)
    log.info("pairs per second: %s", rates)
    timed = {name: sum(len(text.usable) for text in texts) for name, texts in pairs.items()}
    report = {"rates": rates, "pairs": whole, "timed": timed, "load": load, "code": params.code}
    write_json(snakemake.output.times, report | {"device": device_name(device)})
