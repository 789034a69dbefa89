"""Plot Table 1."""

import pandas as pd

from _adapter import logged
from tandem.reporting.plots import save, table1_figure
from tandem.reporting.results import Role, Setting

with logged(snakemake.log[0]) as log:
    settings = [Setting(s["name"], s["label"], Role(s["role"])) for s in snakemake.params.settings]
    table = pd.read_csv(snakemake.input.table)
    save(table1_figure(table, settings), snakemake.output)
    log.info("%d rows", len(table))
