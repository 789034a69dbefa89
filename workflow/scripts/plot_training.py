"""Plot the learning curves of Table 1's experiments."""

from pathlib import Path

import pandas as pd

from _adapter import logged
from tandem.reporting.plots import learning_curves, save
from tandem.reporting.results import Experiment, Role, Setting

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    settings = [Setting(s["name"], s["label"], Role(s["role"])) for s in params.settings]
    experiments = [Experiment(**e, parameters=0) for e in params.experiments]
    histories: dict[str, list[pd.DataFrame]] = {}
    for folder in map(Path, snakemake.input.models):  # results/models/<experiment>/seed<k>
        histories.setdefault(folder.parent.name, []).append(pd.read_csv(folder / "history.csv"))
    save(learning_curves(histories, experiments, settings), snakemake.output)
    log.info("%d experiments", len(histories))
