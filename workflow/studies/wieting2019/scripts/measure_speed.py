"""Time encoders on one side of a bitext."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))
sys.path.append(str(Path(__file__).resolve().parents[2]))

from _adapter import add_kinds, logged
from tandem.io import write_json
from wieting2019.speed import measure_models, sample_lines

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, measured = snakemake.params, dict(snakemake.params.measured)
    path = f"{snakemake.input.bitext}/train.{measured['language']}"
    sentences = sample_lines(path, measured.pop("sentences"), measured.pop("seed"))
    models = dict(zip(params.names, snakemake.input.models, strict=True))
    found = measure_models(models, params.baselines, sentences, **measured)
    log.info("%s", found)
    write_json(snakemake.output.speeds, found | {"code": params.code})
