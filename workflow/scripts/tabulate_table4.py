"""Make Table 4."""

from _adapter import logged
from tandem.io import read_json
from tandem.reporting import claims, results, table4, table4_claims

with logged(snakemake.log[0]) as log:
    params, output = snakemake.params, snakemake.output
    timed = read_json(snakemake.input.speeds)
    table = table4.table4(timed, params.labels)
    findings = table4_claims.table4_claims(timed, params.labels, params.baselines, params.scale)
    claims.write_claims(output.claims, findings)
    results.write_text(output.markdown, table4.markdown(table, timed))
    results.write_frame(output.table, table)
    log.info("%d rows, %d claims", len(table), len(findings))
