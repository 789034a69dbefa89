"""Make Table 2 and test its findings."""

from _adapter import logged
from tandem.reporting import claims, results, table2, table2_claims
from tandem.tasks.sts import read_index

with logged(snakemake.log[0]) as log:
    params, given, output = snakemake.params, snakemake.input, snakemake.output
    rows = table2.rows_of(params.rows, params.learned, params.baselines)
    tracks = [table2.Track(**track) for track in params.tracks]
    similar = table2.track_cells(rows, tracks, given.tracks, **params.bootstrap)
    found = table2.retrieval_cells(rows, given.retrieval, **params.bootstrap)
    index = read_index(given.sts)
    for reason in table2.absent(tracks, index):
        log.warning("an empty column: %s", reason)
    findings = table2_claims.table2_claims(rows, tracks, similar, found, params.scale)
    claims.write_claims(output.claims, findings)
    text = table2.markdown(rows, tracks, similar, found, index)
    results.write_text(output.markdown, text)
    results.write_frame(output.table, table2.table2(rows, tracks, similar, found))
    log.info("%d rows, %d claims", len(rows), len(findings))
