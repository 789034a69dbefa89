"""Draw a figure of a table."""

import pandas as pd

from _adapter import add_kinds, load_table, logged
from tandem.reporting.plots import save

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    table, material = load_table(snakemake)
    frame = pd.read_csv(snakemake.input.table)
    figure = table.plot(snakemake.wildcards.figure, frame, material)
    save(figure, [snakemake.output.png, snakemake.output.pdf, snakemake.output.svg])
    log.info("%d rows", len(frame))
