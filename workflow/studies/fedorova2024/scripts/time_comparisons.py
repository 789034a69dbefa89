"""Time how fast models compare pairs of sentences, in turns."""

import os

from _adapter import add_kinds, job_device, logged
from fedorova2024.methods.comparing import pairs_per_second, seconds_of_all
from tandem.corpora.labelled import read_scored
from tandem.encoders.baselines import load_baseline
from tandem.encoders.model import SentenceEncoder
from tandem.files.io import write_json
from tandem.machine import device_name

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, device = snakemake.params, job_device(snakemake.config)
    rows = [*read_scored(snakemake.input.pairs, "test")["en"].values()]
    load = os.getloadavg()[0]  # before this job adds to it
    folders = zip(params.trained, snakemake.input.models, strict=True)
    models = {name: SentenceEncoder.load(folder, device) for name, folder in folders}
    models |= {name: load_baseline(model, device) for name, model in params.baselines.items()}
    rates: dict[str, list[float]] = {name: [] for name in models}
    for turn in range(params.turns + 1):  # the first one loads and compiles what is needed
        count = params.pairs if turn else 8
        part = [rows[(turn * count + n) % len(rows)] for n in range(count)]
        for name, model in models.items():
            rate = pairs_per_second(model, [r.first for r in part], [r.second for r in part])
            rates[name] += [rate] * (turn > 0)
    report = {
        name: {"pairs_per_s": by_turn, "all_s": seconds_of_all(models[name], max(by_turn)),
               "device": device_name(getattr(models[name], "device", "cpu"))}
        for name, by_turn in rates.items()
    }  # fmt: skip
    log.info("%s", report)
    write_json(snakemake.output.times, {"models": report, "load": load, "code": params.code})
