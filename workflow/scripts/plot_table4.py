"""Plot Table 4."""

import pandas as pd

from _adapter import logged
from tandem.reporting.plots import save
from tandem.reporting.plots_across import table4_figure

with logged(snakemake.log[0]) as log:
    table = pd.read_csv(snakemake.input.table)
    save(table4_figure(table), snakemake.output)
    log.info("%d rows", len(table))
