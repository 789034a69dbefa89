"""Plot Figure 1 for one setting."""

import pandas as pd

from _adapter import logged
from tandem.corpora.languages import read_register
from tandem.reporting.figure1 import figure1, misplaced_labels
from tandem.reporting.plots import save
from tandem.reporting.table5 import read_table5

with logged(snakemake.log[0]) as log:
    given, setting = snakemake.input, snakemake.params.setting
    points = pd.read_csv(given.points)
    shown = points[(points["panel"] == setting["panel"]) & (points["marked"] == setting["marked"])]
    figure = figure1(shown, read_table5(given.table), read_register(given.register).script_groups)
    log.info("%d languages; labels that hide something: %s", len(shown), misplaced_labels(figure))
    save(figure, snakemake.output)
