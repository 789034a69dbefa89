"""Time encoders on text that they have not read, and their training."""

import sys
from itertools import islice
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))
sys.path.append(str(Path(__file__).resolve().parents[2]))

from _adapter import add_kinds, logged
from tandem.corpora.register import Dataset
from tandem.encoders.encoder import ENCODERS
from tandem.io import read_lines, write_json
from tandem.objectives.objective import OBJECTIVES
from tandem.training.loop import Run
from tandem.training.recipe import Recipe
from wieting2019.speed import measure_models, new_sentences

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, given, measured = snakemake.params, snakemake.input, dict(snakemake.params.measured)
    dataset = Dataset(**params.dataset)
    path = f"results/corpora/downloads/{dataset.name}/{dataset.file}"
    others = {own: next(code for code in dataset.languages if code != own) for own in params.read}
    texts = ([own for own, _ in dataset.pairs(path, *sides)] for sides in others.items())
    known = read_lines(f"{given.corpus}/train.{measured['language']}")
    text = new_sentences(texts, known, measured.pop("sentences"), measured.pop("seed"))
    most = measured.pop("training_pairs")
    pairs = {
        side: list(islice(read_lines(f"{given.corpus}/train.{side}"), most))
        for side in params.sides
    }
    models = dict(zip(params.names, given.models, strict=True))
    runs = {
        name: Run(ENCODERS.parse(run["encoder"]), OBJECTIVES.parse(run["objective"]),
                  Recipe(**run["recipe"]), 1)
        for name, run in params.runs.items()
    }  # fmt: skip
    found = measure_models(models, runs, params.baselines, text, pairs, **measured)
    log.info("%s", found)
    write_json(snakemake.output.speeds, found | {"code": params.code})
