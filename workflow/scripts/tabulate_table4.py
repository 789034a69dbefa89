"""Make Table 4."""

from _adapter import logged
from tandem.io import read_json
from tandem.reporting import results, table4

with logged(snakemake.log[0]) as log:
    timed = read_json(snakemake.input.speeds)
    table = table4.table4(timed, snakemake.params.labels)
    results.write_text(snakemake.output.markdown, table4.markdown(table, timed))
    results.write_frame(snakemake.output.table, table)
    log.info("%d rows", len(table))
