"""Make the points of Figure 1, Table 5, and test its findings."""

from _adapter import logged
from tandem.corpora.languages import read_register
from tandem.reporting import claims, results, table5, table5_claims, table5_markdown
from tandem.reporting.language_runs import measured_points, panel_notes, read_batches

with logged(snakemake.log[0]) as log:
    params, given, output = snakemake.params, snakemake.input, snakemake.output
    runs, overlaps = read_batches(given.scores)
    points = measured_points(runs, overlaps, given.uriel, read_register(given.register))
    settings = table5.Settings(**params.settings)
    table = table5.table5(points, settings)
    notes = panel_notes(dict(zip(params.labels, given.texts, strict=True)), runs)
    findings = table5_claims.table5_claims(points, settings, params.scale)
    results.write_text(output.markdown, table5_markdown.markdown(table, params.labels, notes))
    claims.write_claims(output.claims, findings)
    results.write_frame(output.points, points)
    results.write_frame(output.table, table)
    log.info("%d points, %d correlations, %d claims", len(points), len(table), len(findings))
