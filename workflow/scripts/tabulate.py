"""Make a table and test the findings that a paper draws from it."""

from _adapter import add_kinds, load_table, logged
from tandem.files.io import write_lines
from tandem.reporting.claims import judge, write_claims
from tandem.reporting.writer import write_frame

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    output = snakemake.output
    table, material = load_table(snakemake)
    report = table.build(material)
    claims = judge(material, report)
    write_claims(output.claims, claims)
    write_lines(output.markdown, report.markdown.removesuffix("\n").split("\n"))
    write_frame(output.table, report.frame)
    log.info("%d rows, %d claims", len(report.frame), len(claims))
