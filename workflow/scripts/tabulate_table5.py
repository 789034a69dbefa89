"""Make the points of Figure 1, Table 5, and test its findings."""

from _adapter import logged
from tandem.languages.distance import english_distances, read_uriel
from tandem.languages.register import read_register
from tandem.reporting import (
    claims,
    language_points,
    language_runs,
    results,
    table5,
    table5_claims,
    table5_markdown,
)

with logged(snakemake.log[0]) as log:
    params, given, output = snakemake.params, snakemake.input, snakemake.output
    register = read_register(given.register)
    runs, overlaps = language_runs.read_batches(given.scores)
    languages = [register[code] for code in sorted(set(runs["language"]))]
    distances = english_distances(read_uriel(given.uriel, [x.uriel for x in languages]), languages)
    points = language_points.language_points(runs, overlaps, distances, register)
    settings = table5.Settings(**params.settings)
    table = table5.table5(points, settings)
    notes = language_runs.panel_notes(dict(zip(params.labels, given.texts, strict=True)), runs)
    results.write_text(output.markdown, table5_markdown.markdown(table, params.labels, notes))
    found = table5_claims.table5_claims(points, settings, params.scale)
    claims.write_claims(output.claims, found)
    results.write_frame(output.points, points)
    results.write_frame(output.table, table)
    log.info("%d points, %d correlations, %d claims", len(points), len(table), len(found))
