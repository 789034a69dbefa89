"""Make Table 3 and test the findings on mining."""

from _adapter import logged
from tandem.reporting import claims, results, table3, table3_claims

with logged(snakemake.log[0]) as log:
    params, output = snakemake.params, snakemake.output
    mined = table3.read_mined(params.experiments, snakemake.input.scores, **params.bootstrap)
    findings = table3_claims.table3_claims(mined, params.scale)
    claims.write_claims(output.claims, findings)
    results.write_text(output.markdown, table3.markdown(mined))
    results.write_frame(output.table, table3.table3(mined))
    log.info("%d experiments, %d claims", len(mined), len(findings))
